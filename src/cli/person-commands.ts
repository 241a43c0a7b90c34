// `footlight console-link` and `footlight person list|invite|reset|remove|end-sessions`.
import type { Config } from '../config.ts';
import { createFirstAccount } from '../library/access/account-store.ts';
import { linkAddress } from '../library/people/console-link.ts';
import {
  invitePerson,
  type MadeLink,
  makeConsoleLink,
  openInvitations,
  resetPerson,
} from '../library/people/console-link-store.ts';
import { endPersonSessions, listPeople, removePerson } from '../library/people/person-store.ts';
import { siteAddress } from './addresses.ts';
import {
  type Command,
  nameText,
  oneId,
  printLine,
  readOptions,
  wholeNumber,
  withStore,
} from './command.ts';

export const personCommands: Command[] = [
  {
    name: 'console-link',
    audit: 'people',
    usage: 'console-link [--account N]',
    sentence:
      "Print a link, good once and for an hour, that makes a person of an account's own side.",
    run: async (words, config) => {
      const { options } = readOptions(words, ['account']);
      const account_id = wholeNumber(options.account ?? '1', '--account');
      const order = { account_id, now: Date.now() };
      printLink(await withStore(config, (store) => store.perform(makeConsoleLink, order)), config);
      return 0;
    },
  },
  {
    name: 'person list',
    audit: 'nothing',
    usage: 'person list [--account N]',
    sentence: 'People who can sign in, and invitations that are open, one JSON line each.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account']);
      const account_id =
        options.account === undefined ? undefined : wholeNumber(options.account, '--account');
      const { people, invitations } = await withStore(config, async (store) => ({
        people: await listPeople(store, account_id),
        invitations: await store.perform(openInvitations, { account_id, now: Date.now() }),
      }));
      const shown = (at: number | null) => (at === null ? '' : config.zone.dateTime(at));
      for (const { manager_username, made_at, last_used_at, ...row } of people)
        printLine({ ...row, made_at: shown(made_at), last_used_at: shown(last_used_at) });
      for (const { id, account_id, manager_id, name, expires_at } of invitations)
        printLine({ invitation: id, account_id, manager_id, name, expires_at: shown(expires_at) });
      return 0;
    },
  },
  {
    name: 'person invite',
    audit: 'people',
    usage: 'person invite [--account N] [--manager N] [--name TEXT]',
    sentence:
      "Print a link, good once and for seven days, that makes a person: of a manager, or of the account's own side.",
    run: async (words, config) => {
      const { options } = readOptions(words, ['account', 'manager', 'name']);
      const order = {
        account_id: wholeNumber(options.account ?? '1', '--account'),
        manager_id: wholeNumber(options.manager ?? '0', '--manager'),
        name: options.name === undefined ? '' : nameText(options.name, '--name'),
        now: Date.now(),
      };
      const made = await withStore(config, async (store) => {
        await store.perform(createFirstAccount, order);
        return await store.perform(invitePerson, order);
      });
      printLink(made, config);
      return 0;
    },
  },
  {
    name: 'person reset',
    audit: 'people',
    usage: 'person reset ID',
    sentence: 'Print a link, good once and for an hour, by which a person sets a new password.',
    run: async (words, config) => {
      const person_id = oneId(words, 'the person id');
      const order = { account_id: undefined, person_id, now: Date.now() };
      printLink(await withStore(config, (store) => store.perform(resetPerson, order)), config);
      return 0;
    },
  },
  {
    name: 'person remove',
    audit: 'people',
    usage: 'person remove ID',
    sentence:
      "Remove a person; their sessions end at once. The last one of an account's own side stays.",
    run: async (words, config) => {
      const person_id = oneId(words, 'the person id');
      const named = { account_id: undefined, person_id };
      await withStore(config, (store) => store.perform(removePerson, named));
      printLine({ id: person_id, removed: true });
      return 0;
    },
  },
  {
    name: 'person end-sessions',
    audit: 'people',
    usage: 'person end-sessions ID',
    sentence: 'End all sessions of a person.',
    run: async (words, config) => {
      const person_id = oneId(words, 'the person id');
      const named = { account_id: undefined, person_id };
      const ended = await withStore(config, (store) => store.perform(endPersonSessions, named));
      printLine({ id: person_id, ended });
      return 0;
    },
  },
];

/** The link alone on the last line; until when it is good, beside it. */
function printLink({ secret, expires_at }: MadeLink, config: Config): void {
  console.error(`Good once, until ${config.zone.dateTime(expires_at)}:`);
  console.log(linkAddress(siteAddress(config), secret));
}
