// Sessions of people who have signed in: made, found by the hash of their secret, ended by being removed.
import { managerScopes, type PersonCaller, type Plan, scopes } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount, ofNetwork } from '../../base/db/whose.ts';
import type { Holder } from '../access/known-holders.ts';
import { seenBy } from '../access/token-store.ts';
import { hashConsoleSecret } from './console-secret.ts';
import { signInLimits } from './sign-in-limits.ts';

/** Whose browser it is. */
export interface NewSession {
  /** Of its secret. */
  hash: string;
  address: string;
  user_agent: string;
  now: number;
  expires_at: number;
}

interface SignIn {
  person_id: number;
  password_hash: string;
  session: NewSession;
}

/** For who has given the password of `password_hash`; refused where it is another by now, or the person is gone. */
export const startSession = telling(
  { person: (_, { person_id }) => person_id },
  write('people.startSession', ofBrowser, async (sql, input: SignIn) => {
    const person = await sql.one(
      `SELECT id FROM persons WHERE id = $1 AND password_hash = $2 ${dialectWords(sql.dialect).forUpdate}`,
      [input.person_id, input.password_hash],
    );
    if (!person) throw new ApiError('wrongPassword');
    return await addSession(sql, input.person_id, input.session);
  }),
);

function ofBrowser({ session }: SignIn): string {
  return ofNetwork(session.address);
}

/** Within a transaction that has the person's row; the sessions that were used longest ago make room. */
export async function addSession(
  sql: Sql,
  person_id: number,
  session: NewSession,
): Promise<number> {
  await sql.run(
    `DELETE FROM console_sessions WHERE person_id = $1 AND (expires_at <= $2 OR id NOT IN (
       SELECT id FROM console_sessions WHERE person_id = $1
       ORDER BY last_used_at DESC, id DESC LIMIT CAST($3 AS BIGINT)))`,
    [person_id, session.now, signInLimits.sessionsMax - 1],
  );
  const row = await sql.one<{ id: number }>(
    `INSERT INTO console_sessions
       (person_id, hash, address, user_agent, made_at, last_used_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $5, $6) RETURNING id`,
    [person_id, session.hash, session.address, session.user_agent, session.now, session.expires_at],
  );
  return row?.id ?? 0;
}

/** Whose session a secret is. */
export type SessionHolder = Holder & PersonCaller & { last_used_at: number; expires_at: number };

interface SessionHolderRow {
  id: number;
  person_id: number;
  last_used_at: number;
  expires_at: number;
  account_id: number;
  manager_id: number;
  plan: Plan;
  auto_save_live_video: number;
  name: string;
  manager_username: string | null;
}

/** A manager that is not there any more has no people. */
const selectHolder = `SELECT s.id, s.person_id, s.last_used_at, s.expires_at, p.account_id, p.manager_id, p.name, a.plan,
  a.auto_save_live_video, m.username AS manager_username FROM console_sessions s JOIN persons p ON p.id = s.person_id
  JOIN accounts a ON a.id = p.account_id LEFT JOIN managers m ON m.id = p.manager_id
  WHERE s.hash = $1 AND (p.manager_id = 0 OR m.id IS NOT NULL)`;

/** Whose session it is, or why it is nobody's. */
export async function findSession(
  sql: Sql,
  secret: string,
  now: number,
): Promise<SessionHolder | string> {
  const row = await sql.one<SessionHolderRow>(selectHolder, [hashConsoleSecret(secret)]);
  if (!row || row.expires_at <= now) return 'The session has ended: sign in again';
  return {
    account_id: row.account_id,
    manager_id: row.manager_id,
    plan: row.plan,
    auto_save_live_video: row.auto_save_live_video === 1,
    sees: seenBy(row),
    scopes: row.manager_id === 0 ? scopes : managerScopes,
    session: { id: row.id, person_id: row.person_id },
    token_id: 0,
    name: row.name,
    manager_username: row.manager_username ?? '',
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  };
}

interface SessionUse {
  account_id: number;
  id: number;
  now: number;
  expires_at: number;
  address: string;
}

export const useSession = write('people.useSession', ofAccount, async (sql, input: SessionUse) => {
  await sql.run(
    `UPDATE console_sessions SET last_used_at = $2, expires_at = $3, address = $4
       WHERE id = $1 AND last_used_at < $2`,
    [input.id, input.now, input.expires_at, input.address],
  );
});

export interface ConsoleSessionRow {
  id: number;
  made_at: number;
  last_used_at: number;
  address: string;
  user_agent: string;
}

/** Those that are not over, the one that was used last first. */
export async function sessionsOf(
  sql: Sql,
  { person_id, now }: { person_id: number; now: number },
): Promise<ConsoleSessionRow[]> {
  return await sql.all<ConsoleSessionRow>(
    `SELECT id, made_at, last_used_at, address, user_agent FROM console_sessions
     WHERE person_id = $1 AND expires_at > $2 ORDER BY last_used_at DESC, id DESC`,
    [person_id, now],
  );
}

interface OwnSession {
  hash: string;
  address: string;
}

/** By its secret, whoever's it is: the person, where there was one. */
export const endOwnSession = telling(
  { person: (person_id) => person_id, changed: (person_id) => person_id !== undefined },
  write(
    'people.endOwnSession',
    ({ address }: OwnSession) => ofNetwork(address),
    async (sql, { hash }: OwnSession) => {
      const ended = await sql.one<{ person_id: number }>(
        'DELETE FROM console_sessions WHERE hash = $1 RETURNING person_id',
        [hash],
      );
      return ended?.person_id;
    },
  ),
);

export const endSession = write(
  'people.endSession',
  ofAccount,
  async (sql, input: { account_id: number; id: number; person_id: number }) => {
    const ended = await sql.run('DELETE FROM console_sessions WHERE id = $1 AND person_id = $2', [
      input.id,
      input.person_id,
    ]);
    if (ended === 0) throw new ApiError('noSession');
  },
);

/** All of a person, but for the one that asks; how many they were. */
export const endOtherSessions = write(
  'people.endOtherSessions',
  ofAccount,
  async (sql, input: { account_id: number; person_id: number; but: number }) =>
    await endSessionsOf(sql, input),
);

/** `but`: one that stays, 0 for none. */
export async function endSessionsOf(
  sql: Sql,
  { person_id, but }: { person_id: number; but: number },
): Promise<number> {
  return await sql.run('DELETE FROM console_sessions WHERE person_id = $1 AND id <> $2', [
    person_id,
    but,
  ]);
}
