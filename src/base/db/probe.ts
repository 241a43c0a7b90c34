// The smallest read and the smallest write there are: they show whether the database answers, and takes writes again.
import { type Sql, write } from './sql.ts';

export async function probeRead(sql: Sql): Promise<void> {
  await sql.one('SELECT 1 AS one');
}

export const probe = write('db.probe', async (sql, input: { now: number }) => {
  await sql.run(
    `INSERT INTO marks (name, value) VALUES ('probe', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [input.now],
  );
});
