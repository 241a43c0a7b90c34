// An account's people, beside the interface: list, invite, reset, remove, end sessions.
import { get, post } from '../../base/api/endpoint.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { linkAddress } from './console-link.ts';
import * as linkStore from './console-link-store.ts';
import { meRoutes } from './me-routes.ts';
import type { PeopleParts } from './people.ts';
import { peopleDocs } from './people-docs.ts';
import { managerView, personById, succeeded } from './person.ts';
import * as personStore from './person-store.ts';
import { signInRoutes } from './sign-in-routes.ts';

export function peopleRoutes(parts: PeopleParts): AnyRoute[] {
  const handlers = {
    listPeople,
    invitePerson,
    withdrawInvitation,
    resetPerson,
    removePerson,
    endPersonSessions,
  };
  const own = routes({ table: peopleTable, docs: peopleDocs, handlers, parts });
  return [...signInRoutes(parts), ...meRoutes(parts), ...own];
}

/** Each is answered by the function of its name. */
const peopleTable = {
  listPeople: get('/manage/v1/people', 'manage', { fresh: true }),
  invitePerson: post('/manage/v1/people/invite', 'manage', {
    told: ['name'],
    body: {
      manager_id: integer("whose person it is to be; absent or 0: of the account's own side", {
        min: 0,
        max: idMax,
        cleared: 0,
      }),
      name: text('whom it is for', { max: 255, trim: true, examples: ['Anna'] }),
    },
  }),
  withdrawInvitation: post('/manage/v1/people/invitations/{invitation_id}/withdraw', 'manage', {
    params: { invitation_id: integer('invitation id', { min: 1, max: idMax }) },
    absent: 'noLink',
    body: {},
  }),
  resetPerson: post('/manage/v1/people/{person_id}/reset', 'manage', { ...personById, body: {} }),
  removePerson: post('/manage/v1/people/{person_id}/remove', 'manage', {
    ...personById,
    body: {},
  }),
  endPersonSessions: post('/manage/v1/people/{person_id}/end-sessions', 'manage', {
    ...personById,
    body: {},
  }),
};

type Handle = Handlers<typeof peopleTable, typeof peopleDocs, PeopleParts>;

const listPeople: Handle['listPeople'] = async ({ caller }, { store, zone, now }) => {
  const { account_id } = caller;
  const rows = await personStore.listPeople(store.for(ofAccount(caller)), account_id);
  const open = await store.perform(linkStore.openInvitations, { account_id, now: now() });
  return {
    body: {
      people: rows.map((row) => ({
        id: row.id,
        name: row.name,
        user_name: row.user_name,
        manager: managerView(row),
        made_at: zone.dateTime(row.made_at),
        last_used_at: row.last_used_at === null ? '' : zone.dateTime(row.last_used_at),
      })),
      invitations: open.map((row) => ({
        id: row.id,
        name: row.name,
        manager: managerView(row),
        made_at: zone.dateTime(row.made_at),
        expires_at: zone.dateTime(row.expires_at),
      })),
    },
  };
};

const invitePerson: Handle['invitePerson'] = async (call, { store, zone, now }) => {
  const { account_id } = call.caller;
  const { manager_id = 0, name = '' } = call.body;
  const order = { account_id, manager_id, name, now: now() };
  return { body: shown(await store.perform(linkStore.invitePerson, order), call, zone) };
};

const withdrawInvitation: Handle['withdrawInvitation'] = async (call, { store, now }) => {
  const { account_id } = call.caller;
  const input = { account_id, id: call.params.invitation_id, now: now() };
  await store.perform(linkStore.withdrawInvitation, input);
  return succeeded;
};

const resetPerson: Handle['resetPerson'] = async (call, { store, zone, now }) => {
  const { account_id } = call.caller;
  const order = { account_id, person_id: call.params.person_id, now: now() };
  return { body: shown(await store.perform(linkStore.resetPerson, order), call, zone) };
};

const removePerson: Handle['removePerson'] = async (call, { store }) => {
  const { account_id } = call.caller;
  await store.perform(personStore.removePerson, { account_id, person_id: call.params.person_id });
  return succeeded;
};

const endPersonSessions: Handle['endPersonSessions'] = async (call, { store }) => {
  const { account_id } = call.caller;
  const person = { account_id, person_id: call.params.person_id };
  return { body: { ended: await store.perform(personStore.endPersonSessions, person) } };
};

function shown(
  { secret, expires_at }: linkStore.MadeLink,
  { baseUrl }: { baseUrl: string },
  zone: Zone,
) {
  return { link: linkAddress(baseUrl, secret), expires_at: zone.dateTime(expires_at) };
}
