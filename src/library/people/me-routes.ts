// Who asks, their password and their sessions, beside the interface.
import type { PersonCaller } from '../../base/api/caller.ts';
import { get, post, put } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { idMax, integer } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { networkOf } from '../../base/lib/network.ts';
import { endOtherSessions, endSession, sessionsOf } from './console-session-store.ts';
import { showMe } from './me.ts';
import { meDocs } from './me-docs.ts';
import { checkPassword } from './password.ts';
import type { PeopleParts } from './people.ts';
import { succeeded } from './person.ts';
import { newPasswordField, passwordField, personNameField } from './person-fields.ts';
import { changePerson, findSecrets } from './person-store.ts';

export function meRoutes(parts: PeopleParts): AnyRoute[] {
  const handlers = { getMe, changeMe, listMySessions, endMySession, endMyOtherSessions };
  return routes({ table: meTable, docs: meDocs, handlers, parts });
}

const sessionById = {
  params: { session_id: integer('session id', { min: 1, max: idMax }) },
  absent: 'noSession',
} as const;

/** Each is answered by the function of its name. */
const meTable = {
  getMe: get('/manage/v1/me', 'caller', {}),
  changeMe: put('/manage/v1/me', 'person', {
    told: ['name'],
    body: { name: personNameField, password: newPasswordField, old_password: passwordField },
  }),
  listMySessions: get('/manage/v1/me/sessions', 'person', {}),
  endMySession: post('/manage/v1/me/sessions/{session_id}/end', 'person', {
    ...sessionById,
    body: {},
  }),
  endMyOtherSessions: post('/manage/v1/me/sessions/end-others', 'person', { body: {} }),
};

type Handle = Handlers<typeof meTable, typeof meDocs, PeopleParts>;

const getMe: Handle['getMe'] = async ({ caller }, parts) => ({
  body: await showMe(parts.store.for(ofAccount(caller)), caller, parts),
});

const changeMe: Handle['changeMe'] = async (call, parts) => {
  const { caller, body } = call;
  const { account_id, session } = caller;
  const { person_id, id: session_id } = session;
  const password =
    body.password === undefined
      ? undefined
      : await changedPassword({ ...body, password: body.password }, parts, {
          caller,
          network: networkOf(call.address()),
        });
  const change = { account_id, person_id, name: body.name, password, session_id };
  await parts.store.perform(changePerson, change);
  return { body: await showMe(parts.store.for(ofAccount(caller)), caller, parts) };
};

async function changedPassword(
  { password, old_password }: { password: string; old_password?: string },
  { store, attempts, passwords }: PeopleParts,
  { caller, network }: { caller: PersonCaller; network: string },
): Promise<{ old: string; hash: string }> {
  if (old_password === undefined)
    throw new ApiError('missing', {
      fields: [{ name: 'old_password', message: 'old_password must be given' }],
    });
  const { person_id } = caller.session;
  const person = await findSecrets(store.for(ofAccount(caller)), person_id);
  if (!person) throw new ApiError('noPerson');
  checkPassword(password, person);
  attempts.takeOwn(`person ${person_id}`, network);
  const asker = { network, isKnown: true };
  if (!(await passwords.isRight(old_password, person.password_hash, asker)))
    throw new ApiError('wrongPassword', { message: 'The old password is wrong' });
  return { old: person.password_hash, hash: await passwords.hash(password, asker) };
}

const listMySessions: Handle['listMySessions'] = async ({ caller }, parts) => {
  const { store, zone, now, deviceOf } = parts;
  const { person_id, id: current } = caller.session;
  const rows = await sessionsOf(store.for(ofAccount(caller)), { person_id, now: now() });
  const sessions = rows.map(({ id, made_at, last_used_at, address, user_agent }) => {
    const { device, browser } = deviceOf(user_agent);
    return {
      id,
      made_at: zone.dateTime(made_at),
      last_used_at: zone.dateTime(last_used_at),
      address,
      device,
      browser,
      current: id === current,
    };
  });
  return { body: { sessions } };
};

const endMySession: Handle['endMySession'] = async ({ caller, params }, { store }) => {
  const { account_id, session } = caller;
  const { person_id } = session;
  await store.perform(endSession, { account_id, id: params.session_id, person_id });
  return succeeded;
};

const endMyOtherSessions: Handle['endMyOtherSessions'] = async ({ caller }, { store }) => {
  const { account_id, session } = caller;
  const others = { account_id, person_id: session.person_id, but: session.id };
  return { body: { ended: await store.perform(endOtherSessions, others) } };
};
