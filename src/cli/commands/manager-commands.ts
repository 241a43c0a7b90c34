// `footlight manager create|list|rename|remove`.
import { createFirstAccount } from '../../library/access/account-store.ts';
import {
  createManager,
  listManagers,
  removeManager,
  renameManager,
} from '../../library/access/manager-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { needed, option, usually, word } from '../parts/option.ts';
import { id, name, whole } from '../parts/value-kinds.ts';

const managerId = word(id, 'the manager id', 'Which manager; manager list says which there are.');

export const managerCommands: readonly Command[] = [
  command({
    name: 'manager create',
    audit: 'managers',
    sentence: 'Make a channel manager; prints one JSON line with its id.',
    options: {
      username: needed(name, 'What the manager is called.'),
      account: usually(whole, '1', 'In which account.'),
    },
    examples: ['manager create --username anna'],
    run: async ({ username, account: account_id }, run) => {
      const now = Date.now();
      const made = await withStore(run, async (store) => {
        await store.perform(createFirstAccount, { now });
        return await store.perform(createManager, { account_id, username, now });
      });
      await run.out.line({ id: made, account_id, username });
    },
  }),
  command({
    name: 'manager list',
    audit: 'nothing',
    sentence: 'Channel managers.',
    options: { account: option(whole, 'Only those of this account.') },
    run: async ({ account }, run) => {
      const rows = await withStore(run, async (store) => await listManagers(store, account));
      const { zone } = run.config;
      const shown = rows.map((row) => ({ ...row, created_at: zone.dateTime(row.created_at) }));
      await run.out.all(shown, ['id', 'account_id', 'username', 'created_at']);
    },
  }),
  command({
    name: 'manager rename',
    audit: 'managers',
    sentence: 'Give a channel manager another username.',
    words: { id: managerId },
    options: { username: needed(name, 'What the manager is called from now on.') },
    examples: ['manager rename 3 --username berta'],
    run: async ({ id, username }, run) => {
      await withStore(run, (store) => store.perform(renameManager, { id, username }));
      await run.out.thing({ id, username });
    },
  }),
  command({
    name: 'manager remove',
    audit: 'managers',
    sentence:
      'Remove a channel manager; its tokens end and its people are gone, its channels and videos stay with manager 0.',
    words: { id: managerId },
    examples: ['manager remove 3'],
    run: async ({ id }, run) => {
      await withStore(run, (store) => store.perform(removeManager, { id, now: Date.now() }));
      await run.out.thing({ id, removed: true });
    },
  }),
];
