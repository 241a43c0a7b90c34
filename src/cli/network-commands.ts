// `footlight refusals` and `footlight network allow|remove|list`.
import { Networks } from '../base/lib/ip-address.ts';
import { allowNetwork, disallowNetwork, listNetworks } from '../base/peers/network-store.ts';
import { listRefusals } from '../base/peers/refusal-store.ts';
import {
  type Command,
  nameText,
  printLine,
  readOptions,
  UsageError,
  withStore,
} from './command.ts';

/** Older refusals tell nothing of now. */
const shownMs = 600_000;

export const networkCommands: Command[] = [
  {
    name: 'refusals',
    audit: 'nothing',
    usage: 'refusals',
    sentence:
      'Who was refused in the last ten minutes and why, one JSON line each, the latest first.',
    run: async (words, config) => {
      readOptions(words, []);
      const from = Date.now() - shownMs;
      const refusals = await withStore(config, (store) => store.perform(listRefusals, { from }));
      for (const { first_at, last_at, ...refusal } of refusals) {
        const time = (at: number) => config.zone.dateTime(at);
        printLine({ ...refusal, first_at: time(first_at), last_at: time(last_at) });
      }
      return 0;
    },
  },
  {
    name: 'network allow',
    audit: 'service',
    usage: 'network allow NETWORK [--note TEXT]',
    sentence:
      'Let an address or a network such as 192.0.2.0/24 have more than one network’s share.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['note'], { rest: ['the network'] });
      const network = networkText(rest[0]);
      const note = options.note === undefined ? '' : nameText(options.note, '--note');
      const allowed = { network, note, created_at: Date.now() };
      await withStore(config, (store) => store.perform(allowNetwork, allowed));
      printLine({ network, note });
      return 0;
    },
  },
  {
    name: 'network remove',
    audit: 'service',
    usage: 'network remove NETWORK',
    sentence: 'Let an allowed network have its share again, and no more.',
    run: async (words, config) => {
      const { rest } = readOptions(words, [], { rest: ['the network'] });
      const network = networkText(rest[0]);
      const wasAllowed = await withStore(config, (store) =>
        store.perform(disallowNetwork, { network }),
      );
      if (!wasAllowed) throw new Error(`${network} is not allowed: see network list`);
      printLine({ network });
      return 0;
    },
  },
  {
    name: 'network list',
    audit: 'nothing',
    usage: 'network list',
    sentence: 'The networks that are allowed, one JSON line each.',
    run: async (words, config) => {
      readOptions(words, []);
      const networks = await withStore(config, (store) => store.perform(listNetworks, {}));
      for (const { network, note, created_at } of networks)
        printLine({ network, note, created_at: config.zone.dateTime(created_at) });
      return 0;
    },
  },
];

/** One address or network, without the spaces around it. */
function networkText(text = ''): string {
  const network = text.trim();
  try {
    new Networks(network);
  } catch {
    throw new UsageError(`the network must be such as 192.0.2.7 or 192.0.2.0/24 (got "${text}")`);
  }
  if (network === '' || network.includes(','))
    throw new UsageError(`one network at a time (got "${text}")`);
  return network;
}
