// Signing in and out and using one-time links, which anyone may ask for.
import { post } from '../../base/api/endpoint.ts';
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import { ofAccount, ofNetwork } from '../../base/db/whose.ts';
import { networkOf } from '../../base/lib/network.ts';
import { findLink, type LinkRow, useLink as spendLink } from './console-link-store.ts';
import { hashConsoleSecret, makeConsoleSecret } from './console-secret.ts';
import {
  endOwnSession,
  findSession,
  type NewSession,
  startSession,
} from './console-session-store.ts';
import { showMe } from './me.ts';
import { checkPassword } from './password.ts';
import type { PeopleParts } from './people.ts';
import { managerView, succeeded } from './person.ts';
import {
  linkField,
  newPasswordField,
  passwordField,
  personNameField,
  userNameField,
} from './person-fields.ts';
import { findByUserName, isNameTaken } from './person-store.ts';
import { signInDocs } from './sign-in-docs.ts';
import { signInLimits } from './sign-in-limits.ts';
import { foldedUserName } from './user-name.ts';

export function signInRoutes(parts: PeopleParts): AnyRoute[] {
  const handlers = { signIn, signOut, lookAtLink, useLink };
  return routes({ table: signInTable, docs: signInDocs, handlers, parts });
}

/** Each is answered by the function of its name. By POST: what is secret stands in no address, and so in no log. */
const signInTable = {
  signIn: post('/manage/v1/sign-in', 'anyone', {
    body: { user_name: userNameField, password: passwordField },
    required: ['user_name', 'password'],
  }),
  signOut: post('/manage/v1/sign-out', 'anyone', { body: {}, byCookie: true }),
  lookAtLink: post('/manage/v1/links/look', 'anyone', {
    audit: 'nothing',
    body: { link: linkField },
    required: ['link'],
  }),
  useLink: post('/manage/v1/links/use', 'anyone', {
    body: {
      link: linkField,
      name: personNameField,
      user_name: userNameField,
      password: newPasswordField,
    },
    required: ['link', 'password'],
  }),
};

type Handle = Handlers<typeof signInTable, typeof signInDocs, PeopleParts>;

/** What of a call says whose browser it is. */
interface Browser {
  address(): string;
  header(name: string): string | null;
}

const signIn: Handle['signIn'] = async (call, parts) => {
  const { store, audit, attempts, passwords, cookies, refusals } = parts;
  const address = call.address();
  const network = networkOf(address);
  const userName = foldedUserName(call.body.user_name);
  const person = await findByUserName(store.for(ofNetwork(address)), userName);
  const mark = cookies.browserIn(call.header('cookie'));
  const isKnown = attempts.take({ userName, person_id: person?.id, address, mark });
  // As much is done where nobody has that name, so that the time it takes tells nothing.
  const asker = { network, isKnown };
  const isRight = await passwords.isRight(call.body.password, person?.password_hash, asker);
  if (!isRight || !person) {
    refusals.note('wrong', network);
    if (person) audit.refusedSignIn(person.id, address);
    throw new ApiError('wrongPassword', { isCounted: true });
  }
  const { secret, session } = newSession(call, parts);
  const { id: person_id, password_hash } = person;
  await store.perform(startSession, { person_id, password_hash, session });
  return await welcome({ secret, person_id, call }, parts);
};

const signOut: Handle['signOut'] = async (call, { store, cookies }) => {
  await endSessionIn(call, { store, cookies });
  return { ...succeeded, cookies: [cookies.cleared()] };
};

const lookAtLink: Handle['lookAtLink'] = async (call, { store, zone, now }) => {
  const hash = hashConsoleSecret(call.body.link);
  const row = await findLink(store.for(ofNetwork(call.address())), { hash, now: now() });
  return {
    body: {
      for: row.purpose,
      account: { id: row.account_id, name: row.account_name },
      manager: managerView(row),
      user_name: row.user_name ?? '',
      name: row.person_name ?? row.name,
      expires_at: zone.dateTime(row.expires_at),
    },
  };
};

const useLink: Handle['useLink'] = async (call, parts) => {
  const { store, attempts, passwords } = parts;
  const { link, password } = call.body;
  const address = call.address();
  const network = networkOf(address);
  const hash = hashConsoleSecret(link);
  const row = await findLink(store.for(ofNetwork(address)), { hash, now: parts.now() });
  const { user_name, name } = namesFor(row, call.body);
  checkPassword(password, { user_name });
  attempts.takeOwn(`link ${row.id}`, network);
  const invited = { account_id: row.account_id, network };
  if (row.purpose === 'invite') attempts.checkNames(invited);
  const password_hash = await passwords.hash(password, { network, isKnown: true });
  const { secret, session } = newSession(call, parts);
  const folded_user_name = foldedUserName(user_name);
  const use = { hash, user_name, folded_user_name, name, password_hash, session };
  const { person_id } = await store.perform(spendLink, use).catch((error) => {
    if (isNameTaken(error)) attempts.nameWasTaken(invited);
    throw error;
  });
  return await welcome({ secret, person_id, call }, parts);
};

/** What a person is to be called; one who is there already keeps their names. */
function namesFor(row: LinkRow, asked: { user_name?: string; name?: string }) {
  if (row.purpose === 'reset')
    return { user_name: row.user_name ?? '', name: row.person_name ?? '' };
  const { user_name } = asked;
  if (user_name === undefined)
    throw new ApiError('missing', {
      fields: [{ name: 'user_name', message: 'user_name must be given' }],
    });
  if (foldedUserName(user_name) === '')
    throw invalidField('user_name', 'user_name must have characters that can be seen');
  return { user_name, name: asked.name ?? (row.name || user_name) };
}

/** Its secret is fresh, whatever cookie came: nobody can prepare one for somebody else. */
function newSession(
  call: Browser,
  { now, sessionMs }: PeopleParts,
): { secret: string; session: NewSession } {
  const secret = makeConsoleSecret();
  const at = now();
  const agent = call.header('user-agent') ?? '';
  return {
    secret,
    session: {
      hash: hashConsoleSecret(secret),
      address: call.address(),
      user_agent: agent.slice(0, signInLimits.userAgentCharactersMax).toWellFormed(),
      now: at,
      expires_at: at + sessionMs,
    },
  };
}

/** The answer to who has just signed in. The session that the browser had before ends. */
async function welcome(
  { secret, person_id, call }: { secret: string; person_id: number; call: Browser },
  parts: PeopleParts,
) {
  const { store, attempts, cookies, now } = parts;
  await endSessionIn(call, parts);
  const holder = await findSession(store.for(ofNetwork(call.address())), secret, now());
  if (typeof holder === 'string') throw new ApiError('wrongPassword');
  const mark = attempts.markFor(person_id, cookies.browserIn(call.header('cookie')));
  return {
    body: await showMe(store.for(ofAccount(holder)), holder, parts),
    cookies: [cookies.session(secret), cookies.browser(mark)],
  };
}

/** The session whose cookie came, if there is one; all of them where somebody has added others. */
async function endSessionIn(
  call: Browser,
  { store, cookies }: Pick<PeopleParts, 'store' | 'cookies'>,
): Promise<void> {
  const address = call.address();
  for (const secret of cookies.sessionsIn(call.header('cookie')))
    await store.perform(endOwnSession, { hash: hashConsoleSecret(secret), address });
}
