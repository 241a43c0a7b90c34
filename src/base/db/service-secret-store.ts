// The service's own secrets, one of each name in a database: every node that shares it signs alike.

import { randomText } from '../lib/secret.ts';
import { write } from './sql.ts';

const secretBits = 256;

/** The secret of that name, made by whoever comes first; two nodes that start together get the same. */
export const takeServiceSecret = write(
  'secrets.take',
  async (sql, { name }: { name: string }): Promise<string> => {
    // On PostgreSQL it waits for another's insert, so the statement after it sees what that one made.
    await sql.run(
      'INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      [name, randomText(secretBits)],
    );
    const row = await sql.one<{ value: string }>('SELECT value FROM secrets WHERE name = $1', [
      name,
    ]);
    if (!row) throw new Error(`the secret ${name} vanished inside its own transaction`);
    return row.value;
  },
);
