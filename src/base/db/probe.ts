// The smallest write there is: shows whether the database takes writes again.
import { write } from './sql.ts';

export const probe = write('db.probe', async (sql, input: { now: number }) => {
  await sql.run(
    `INSERT INTO marks (name, value) VALUES ('probe', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [input.now],
  );
});
