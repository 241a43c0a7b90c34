// `footlight manager create|list|rename|remove`.
import { createFirstAccount } from '../library/access/account-store.ts';
import {
  createManager,
  listManagers,
  removeManager,
  renameManager,
} from '../library/access/manager-store.ts';
import {
  type Command,
  nameText,
  oneId,
  printLine,
  readOptions,
  wholeNumber,
  withStore,
} from './command.ts';

export const managerCommands: Command[] = [
  {
    name: 'manager create',
    audit: 'managers',
    usage: 'manager create --username TEXT [--account N]',
    sentence: 'Make a channel manager; prints one JSON line with its id.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['username', 'account']);
      const username = nameText(options.username, '--username');
      const account_id = wholeNumber(options.account ?? '1', '--account');
      const now = Date.now();
      const id = await withStore(config, async (store) => {
        await store.perform(createFirstAccount, { now });
        return await store.perform(createManager, { account_id, username, now });
      });
      printLine({ id, account_id, username });
      return 0;
    },
  },
  {
    name: 'manager list',
    audit: 'nothing',
    usage: 'manager list [--account N]',
    sentence: 'Channel managers, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account']);
      const account =
        options.account === undefined ? undefined : wholeNumber(options.account, '--account');
      for (const row of await withStore(config, (store) => listManagers(store, account))) {
        printLine({ ...row, created_at: config.zone.dateTime(row.created_at) });
      }
      return 0;
    },
  },
  {
    name: 'manager rename',
    audit: 'managers',
    usage: 'manager rename ID --username TEXT',
    sentence: 'Give a channel manager another username.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['username'], { rest: ['the manager id'] });
      const id = wholeNumber(rest[0] ?? '', 'the manager id');
      const username = nameText(options.username, '--username');
      await withStore(config, (store) => store.perform(renameManager, { id, username }));
      printLine({ id, username });
      return 0;
    },
  },
  {
    name: 'manager remove',
    audit: 'managers',
    usage: 'manager remove ID',
    sentence:
      'Remove a channel manager; its tokens end and its people are gone, its channels and videos stay with manager 0.',
    run: async (words, config) => {
      const id = oneId(words, 'the manager id');
      await withStore(config, (store) => store.perform(removeManager, { id, now: Date.now() }));
      printLine({ id, removed: true });
      return 0;
    },
  },
];
