// People who may sign in no more, one or all of a manager: gone with their sessions and links.
import { dialectWords } from '../../base/db/dialect.ts';
import type { Sql } from '../../base/db/sql.ts';

/** Within a transaction. People before their sessions and links, as everybody locks them. Refused from the next request on. */
export async function forgetPeople(sql: Sql, by: 'id' | 'manager_id', id: number): Promise<void> {
  const people = `SELECT id FROM persons WHERE ${by} = $1`;
  await sql.all(`${people} ${dialectWords(sql.dialect).forUpdate}`, [id]);
  await sql.run(`DELETE FROM console_sessions WHERE person_id IN (${people})`, [id]);
  await sql.run(`DELETE FROM console_links WHERE person_id IN (${people})`, [id]);
  if (by === 'manager_id') await sql.run('DELETE FROM console_links WHERE manager_id = $1', [id]);
  await sql.run(`DELETE FROM persons WHERE ${by} = $1`, [id]);
}
