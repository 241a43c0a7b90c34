// `footlight refusals` and `footlight network allow|remove|list`.
import { Networks } from '../../base/lib/ip-address.ts';
import { allowNetwork, disallowNetwork, listNetworks } from '../../base/peers/network-store.ts';
import { listRefusals } from '../../base/peers/refusal-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { notFound, UsageError } from '../parts/exit-codes.ts';
import { type Kind, option, word } from '../parts/option.ts';
import { name } from '../parts/value-kinds.ts';

/** Older refusals tell nothing of now. */
const shownMs = 600_000;

/** One address or network, without the spaces around it. */
const networkKind: Kind<string> = {
  value: 'NETWORK',
  read: (text, named) => {
    const network = text.trim();
    try {
      new Networks(network);
    } catch {
      throw new UsageError(`${named} must be such as 192.0.2.7 or 192.0.2.0/24 (got "${text}")`);
    }
    if (network === '' || network.includes(','))
      throw new UsageError(`one network at a time (got "${text}")`);
    return network;
  },
};

const networkWord = word(
  networkKind,
  'the network',
  'An address, or a network such as 192.0.2.0/24.',
);

export const refusalsCommand: Command = command({
  name: 'refusals',
  audit: 'nothing',
  sentence: 'Who was refused in the last ten minutes and why, the latest first.',
  run: async (_, run) => {
    const from = Date.now() - shownMs;
    const rows = await withStore(run, (store) => store.perform(listRefusals, { from }));
    const time = (at: number) => run.config.zone.dateTime(at);
    const shown = rows.map(({ first_at, last_at, ...refusal }) => ({
      ...refusal,
      first_at: time(first_at),
      last_at: time(last_at),
    }));
    await run.out.all(shown, ['last_at', 'kind', 'who', 'count', 'sentence']);
  },
});

export const networkCommands: readonly Command[] = [
  command({
    name: 'network allow',
    audit: 'service',
    sentence:
      'Let an address or a network such as 192.0.2.0/24 have more than one network’s share.',
    words: { network: networkWord },
    options: { note: option(name, 'What it is, for who reads the list.') },
    examples: ["network allow 203.0.113.0/24 --note 'the hall'"],
    run: async ({ network, note = '' }, run) => {
      const allowed = { network, note, created_at: Date.now() };
      await withStore(run, (store) => store.perform(allowNetwork, allowed));
      await run.out.thing({ network, note });
    },
  }),
  command({
    name: 'network remove',
    audit: 'service',
    sentence: 'Let an allowed network have its share again, and no more.',
    words: { network: networkWord },
    examples: ['network remove 203.0.113.0/24'],
    run: async ({ network }, run) => {
      const wasAllowed = await withStore(run, (store) =>
        store.perform(disallowNetwork, { network }),
      );
      if (!wasAllowed) throw notFound(`${network} is not allowed: see network list`);
      await run.out.thing({ network });
    },
  }),
  command({
    name: 'network list',
    audit: 'nothing',
    sentence: 'The networks that are allowed.',
    run: async (_, run) => {
      const rows = await withStore(run, (store) => store.perform(listNetworks, {}));
      const { zone } = run.config;
      const shown = rows.map(({ network, note, created_at }) => ({
        network,
        note,
        created_at: zone.dateTime(created_at),
      }));
      await run.out.all(shown, ['network', 'note', 'created_at']);
    },
  }),
];
