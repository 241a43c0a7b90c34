// People who sign in, in the database.
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Sql, telling, where, write } from '../../base/db/sql.ts';
import { ofAccount, ofNamed } from '../../base/db/whose.ts';
import { forgetPeople } from '../access/forgotten-people-store.ts';
import { endSessionsOf } from './console-session-store.ts';

export interface PersonRow {
  id: number;
  account_id: number;
  /** 0: of the account's own side. */
  manager_id: number;
  /** Null on the account's own side. */
  manager_username: string | null;
  user_name: string;
  name: string;
  made_at: number;
  /** Of any session that there is; null where there is none. */
  last_used_at: number | null;
}

const selectPeople = `SELECT p.id, p.account_id, p.manager_id, m.username AS manager_username, p.user_name, p.name,
  p.made_at, (SELECT MAX(s.last_used_at) FROM console_sessions s WHERE s.person_id = p.id) AS last_used_at
  FROM persons p LEFT JOIN managers m ON m.id = p.manager_id`;

/** Undefined for every account: the command line shows them all. */
export async function listPeople(sql: Sql, account_id: number | undefined): Promise<PersonRow[]> {
  const filter = where(['p.id > 0', ['p.account_id = ?', account_id]]);
  return await sql.all<PersonRow>(`${selectPeople} ${filter.text} ORDER BY p.id`, filter.params);
}

export async function findPerson(sql: Sql, id: number): Promise<PersonRow | undefined> {
  return await sql.one<PersonRow>(`${selectPeople} WHERE p.id = $1`, [id]);
}

/** Whether anybody can sign in at all. */
export async function hasPeople(sql: Sql): Promise<boolean> {
  return (await sql.one('SELECT id FROM persons LIMIT 1')) !== undefined;
}

export interface Secrets {
  id: number;
  user_name: string;
  password_hash: string;
}

/** By the folded user name. */
export async function findByUserName(sql: Sql, folded: string): Promise<Secrets | undefined> {
  return await sql.one<Secrets>(
    'SELECT id, user_name, password_hash FROM persons WHERE folded_user_name = $1',
    [folded],
  );
}

export async function findSecrets(sql: Sql, id: number): Promise<Secrets | undefined> {
  return await sql.one<Secrets>('SELECT id, user_name, password_hash FROM persons WHERE id = $1', [
    id,
  ]);
}

export interface NewPerson {
  account_id: number;
  manager_id: number;
  user_name: string;
  folded_user_name: string;
  name: string;
  password_hash: string;
  now: number;
}

/** Within a transaction. */
export async function addPerson(sql: Sql, person: NewPerson): Promise<number> {
  const row = await sql.one<{ id: number }>(
    `INSERT INTO persons
       (account_id, manager_id, user_name, folded_user_name, name, password_hash, made_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (folded_user_name) DO NOTHING RETURNING id`,
    [
      person.account_id,
      person.manager_id,
      person.user_name,
      person.folded_user_name,
      person.name,
      person.password_hash,
      person.now,
    ],
  );
  if (row) return row.id;
  throw new ApiError('invalid', {
    fields: [
      { name: 'user_name', message: `user_name ${JSON.stringify(person.user_name)} is taken` },
    ],
  });
}

/** Whether a person could not be made because somebody has that user name. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof ApiError && error.fields.some(({ name }) => name === 'user_name');
}

/** Within a transaction: every session ends but one, and no reset that was made before is good any more. */
export async function setPassword(
  sql: Sql,
  given: { person_id: number; password_hash: string; but: number },
): Promise<boolean> {
  const { person_id, password_hash, but } = given;
  const changed = await sql.run('UPDATE persons SET password_hash = $2 WHERE id = $1', [
    person_id,
    password_hash,
  ]);
  if (changed === 0) return false;
  await endSessionsOf(sql, { person_id, but });
  await sql.run('DELETE FROM console_links WHERE person_id = $1 AND used_at IS NULL', [person_id]);
  return true;
}

interface PersonChange {
  account_id: number;
  person_id: number;
  name: string | undefined;
  /** `old`: what the old password was compared with. */
  password: { old: string; hash: string } | undefined;
  /** The session that stays where the password is another. */
  session_id: number;
}

export const changePerson = telling(
  { of: ({ person_id }) => ({ kind: 'person', id: person_id }) },
  write('people.changePerson', ofAccount, async (sql, change: PersonChange) => {
    const { person_id, name, password, session_id } = change;
    const row = await sql.one<{ password_hash: string }>(
      `SELECT password_hash FROM persons WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
      [person_id],
    );
    if (!row) throw new ApiError('noPerson');
    if (name !== undefined)
      await sql.run('UPDATE persons SET name = $2 WHERE id = $1', [person_id, name]);
    if (!password) return;
    if (row.password_hash !== password.old) throw new ApiError('wrongPassword');
    await setPassword(sql, { person_id, password_hash: password.hash, but: session_id });
  }),
);

/** Of an account; the command line names none. */
export interface OfPeople {
  account_id: number | undefined;
}

export interface NamedPerson extends OfPeople {
  person_id: number;
}

/** Its sessions and links are gone with it. */
export const removePerson = telling(
  { of: ({ person_id }) => ({ kind: 'person', id: person_id }) },
  write('people.removePerson', ofNamed, async (sql, input: NamedPerson) => {
    const { account_id, manager_id } = await namedPerson(sql, input);
    if (manager_id === 0 && (await ownSideCount(sql, account_id)) === 1)
      throw new ApiError('lastPerson');
    await forgetPeople(sql, 'id', input.person_id);
  }),
);

export const endPersonSessions = telling(
  { of: ({ person_id }) => ({ kind: 'person', id: person_id }) },
  write('people.endPersonSessions', ofNamed, async (sql, input: NamedPerson) => {
    await namedPerson(sql, input);
    return await endSessionsOf(sql, { person_id: input.person_id, but: 0 });
  }),
);

/** Whoever else makes or removes people of the account waits until this transaction ends. */
export async function namedPerson(
  sql: Sql,
  { account_id, person_id }: NamedPerson,
): Promise<{ account_id: number; manager_id: number; user_name: string }> {
  const found = await findPerson(sql, person_id);
  const isTheirs = found && (account_id === undefined || found.account_id === account_id);
  if (!isTheirs) throw new ApiError('noPerson', { message: `No person ${person_id}` });
  await lockAccount(sql, found.account_id);
  const again = await findPerson(sql, person_id);
  if (!again) throw new ApiError('noPerson', { message: `No person ${person_id}` });
  return again;
}

export async function lockAccount(sql: Sql, account_id: number): Promise<void> {
  const row = await sql.one(
    `SELECT id FROM accounts WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
    [account_id],
  );
  if (!row) throw new ApiError('noUser', { message: `No account ${account_id}` });
}

/** People of an account's own side. */
export async function ownSideCount(sql: Sql, account_id: number): Promise<number> {
  const row = await sql.one<{ n: number }>(
    'SELECT COUNT(*) AS n FROM persons WHERE account_id = $1 AND manager_id = 0',
    [account_id],
  );
  return row?.n ?? 0;
}

export async function peopleCount(sql: Sql, account_id: number): Promise<number> {
  const row = await sql.one<{ n: number }>(
    'SELECT COUNT(*) AS n FROM persons WHERE account_id = $1',
    [account_id],
  );
  return row?.n ?? 0;
}
