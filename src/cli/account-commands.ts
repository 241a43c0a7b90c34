// `footlight account create|list|set`.
import type { Plan } from '../base/api/caller.ts';
import {
  createAccount,
  createFirstAccount,
  listAccounts,
  setAccount,
} from '../library/access/account-store.ts';
import {
  type Command,
  nameText,
  printLine,
  readOptions,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

export const accountCommands: Command[] = [
  {
    name: 'account create',
    audit: 'account',
    usage: 'account create --name TEXT [--plan traffic|standard]',
    sentence: 'Make an account; prints one JSON line with its id.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['name', 'plan']);
      const name = nameText(options.name, '--name');
      const plan = readPlan(options.plan) ?? 'standard';
      const now = Date.now();
      const id = await withStore(config, async (store) => {
        // The first account stays number 1, also where a command comes before the first start.
        await store.perform(createFirstAccount, { now });
        return await store.perform(createAccount, { name, plan, now });
      });
      printLine({ id, name, plan });
      return 0;
    },
  },
  {
    name: 'account list',
    audit: 'nothing',
    usage: 'account list',
    sentence: 'Every account, one JSON line each.',
    run: async (words, config) => {
      readOptions(words, []);
      for (const row of await withStore(config, listAccounts)) {
        printLine({
          ...row,
          auto_save_live_video: row.auto_save_live_video === 1,
          created_at: config.zone.dateTime(row.created_at),
        });
      }
      return 0;
    },
  },
  {
    name: 'account set',
    audit: 'account',
    usage:
      'account set ID [--name TEXT] [--plan traffic|standard] [--auto-save-live-video true|false]',
    sentence: 'Change an account.',
    run: async (words, config) => {
      const names = ['name', 'plan', 'auto-save-live-video'] as const;
      const { options, rest } = readOptions(words, names, { rest: ['the account id'] });
      const change = {
        id: wholeNumber(rest[0] ?? '', 'the account id'),
        name: options.name === undefined ? undefined : nameText(options.name, '--name'),
        plan: readPlan(options.plan),
        auto_save_live_video: readFlag(options['auto-save-live-video']),
      };
      await withStore(config, (store) => store.perform(setAccount, change));
      printLine(change);
      return 0;
    },
  },
];

function readPlan(text: string | undefined): Plan | undefined {
  if (text === undefined || text === 'traffic' || text === 'standard') return text;
  throw new UsageError(`--plan must be traffic or standard (got "${text}")`);
}

function readFlag(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`--auto-save-live-video must be true or false (got "${text}")`);
}
