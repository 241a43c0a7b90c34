// The secret by which the nodes on a database know each other, and the one before it.
import { type Sql, write } from '../db/sql.ts';
import { randomText } from '../lib/secret.ts';

const secretBits = 256;
const newest = 'links';
/** Good beside it, so that no link is lost while nodes learn of the new one; the next change ends it. */
const before = 'links-before';

/** Those that are good now, the newest first; made by whoever comes first. */
export const takeLinkSecrets = write(
  'links.takeSecrets',
  async (sql, _: Record<string, never>): Promise<string[]> => {
    // On PostgreSQL it waits for another's insert, so the statement after it sees what that one made.
    await sql.run(
      'INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      [newest, randomText(secretBits)],
    );
    return await linkSecrets(sql);
  },
);

export async function linkSecrets(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ value: string }>(
    'SELECT value FROM secrets WHERE name IN ($1, $2) ORDER BY name',
    [newest, before],
  );
  return rows.map(({ value }) => value);
}

/** Another takes its place, and it is the one before. Done twice, the first is good no more. */
export const rotateLinkSecret = write(
  'links.rotateSecret',
  async (sql, _: Record<string, never>): Promise<void> => {
    await sql.run(
      `INSERT INTO secrets (name, value) SELECT $2, value FROM secrets WHERE name = $1
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [newest, before],
    );
    await sql.run(
      `INSERT INTO secrets (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [newest, randomText(secretBits)],
    );
  },
);
