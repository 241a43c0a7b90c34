// `footlight console-link` and `footlight person list|invite|reset|remove|end-sessions`.
import { createFirstAccount } from '../../library/access/account-store.ts';
import { linkAddress } from '../../library/people/console-link.ts';
import {
  invitePerson,
  type MadeLink,
  makeConsoleLink,
  openInvitations,
  resetPerson,
} from '../../library/people/console-link-store.ts';
import { endPersonSessions, listPeople, removePerson } from '../../library/people/person-store.ts';
import { siteAddress } from '../parts/addresses.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { option, usually, word } from '../parts/option.ts';
import { id, name, whole } from '../parts/value-kinds.ts';

const personId = word(id, 'the person id', 'Which person; person list says which there are.');

export const consoleLinkCommand: Command = command({
  name: 'console-link',
  audit: 'people',
  sentence:
    "Print a link, good once and for an hour, that makes a person of an account's own side.",
  options: { account: usually(whole, '1', 'Of which account.') },
  run: async ({ account: account_id }, run) => {
    const order = { account_id, now: Date.now() };
    await printLink(await withStore(run, (store) => store.perform(makeConsoleLink, order)), run);
  },
});

export const personCommands: readonly Command[] = [
  command({
    name: 'person list',
    audit: 'nothing',
    sentence: 'People who can sign in, and invitations that are open.',
    options: { account: option(whole, 'Only those of this account.') },
    run: async ({ account: account_id }, run) => {
      const { people, invitations } = await withStore(run, async (store) => ({
        people: await listPeople(store, account_id),
        invitations: await store.perform(openInvitations, { account_id, now: Date.now() }),
      }));
      const shown = (at: number | null) => (at === null ? '' : run.config.zone.dateTime(at));
      const listing = run.out.list<Record<string, unknown>>([
        'id',
        'invitation',
        'account_id',
        'manager_id',
        'user_name',
        'name',
        'last_used_at',
        'expires_at',
      ]);
      await listing.add(
        people.map(({ manager_username: _, made_at, last_used_at, ...row }) => ({
          ...row,
          made_at: shown(made_at),
          last_used_at: shown(last_used_at),
        })),
      );
      await listing.add(
        invitations.map(({ id, account_id, manager_id, name, expires_at }) => ({
          ...{ invitation: id, account_id, manager_id, name },
          expires_at: shown(expires_at),
        })),
      );
      await listing.end();
    },
  }),
  command({
    name: 'person invite',
    audit: 'people',
    sentence:
      "Print a link, good once and for seven days, that makes a person: of a manager, or of the account's own side.",
    options: {
      account: usually(whole, '1', 'In which account.'),
      manager: usually(whole, '0', "Of which manager; 0 for the account's own side."),
      name: option(name, 'Whom it is for, for who reads the list.'),
    },
    examples: ['person invite --manager 3 --name Anna'],
    run: async ({ account: account_id, manager: manager_id, name = '' }, run) => {
      const order = { account_id, manager_id, name, now: Date.now() };
      const made = await withStore(run, async (store) => {
        await store.perform(createFirstAccount, order);
        return await store.perform(invitePerson, order);
      });
      await printLink(made, run);
    },
  }),
  command({
    name: 'person reset',
    audit: 'people',
    sentence: 'Print a link, good once and for an hour, by which a person sets a new password.',
    words: { id: personId },
    examples: ['person reset 2'],
    run: async ({ id: person_id }, run) => {
      const order = { account_id: undefined, person_id, now: Date.now() };
      await printLink(await withStore(run, (store) => store.perform(resetPerson, order)), run);
    },
  }),
  command({
    name: 'person remove',
    audit: 'people',
    sentence:
      "Remove a person; their sessions end at once. The last one of an account's own side stays.",
    words: { id: personId },
    examples: ['person remove 2'],
    run: async ({ id: person_id }, run) => {
      const named = { account_id: undefined, person_id };
      await withStore(run, (store) => store.perform(removePerson, named));
      await run.out.thing({ id: person_id, removed: true });
    },
  }),
  command({
    name: 'person end-sessions',
    audit: 'people',
    sentence: 'End all sessions of a person.',
    words: { id: personId },
    examples: ['person end-sessions 2'],
    run: async ({ id: person_id }, run) => {
      const named = { account_id: undefined, person_id };
      const ended = await withStore(run, (store) => store.perform(endPersonSessions, named));
      await run.out.thing({ id: person_id, ended });
    },
  }),
];

/** The link alone on the last line; until when it is good, beside it. */
async function printLink({ secret, expires_at }: MadeLink, { out, config }: Run): Promise<void> {
  const link = linkAddress(siteAddress(config), secret);
  const until = config.zone.dateTime(expires_at);
  if (out.isJson) return await out.line({ link, expires_at: until });
  await out.remark(`Good once, until ${until}:`);
  await out.text(link);
}
