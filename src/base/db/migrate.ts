// Brings a database up to this program's tables, one transaction a step; refuses a newer one that it cannot work with.
import { doneSteps } from './database-state.ts';
import { dialectWords } from './dialect.ts';
import type { Migration } from './migrations.ts';
import type { Sql } from './sql.ts';

/** Runs `work` in a transaction that no other program's migration runs beside. */
type Exclusively = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

export class NewerDatabase extends Error {
  constructor(found: number, known: number) {
    super(
      `the database was made by a newer Footlight (its tables are at step ${found}, this program knows ${known}): run that version, or restore a backup made with this one`,
    );
  }
}

/**
 * How many steps it ran. Each is committed by itself, so a kill between two loses nothing. What is done is
 * read through `sql` without a lock, so a database that is up to date waits for nobody; under the lock it is
 * read again, as another program may have run the step meanwhile.
 */
export async function migrate(
  sql: Sql,
  exclusively: Exclusively,
  steps: readonly Migration[],
): Promise<number> {
  let ran = 0;
  while (await missingStep(sql, steps)) {
    ran += await exclusively(async (locked) => {
      const missing = await missingStep(locked, steps);
      if (!missing) return 0;
      const words = dialectWords(locked.dialect);
      await locked.run(
        `CREATE TABLE IF NOT EXISTS migrations (step ${words.int} PRIMARY KEY, name TEXT NOT NULL) ${words.table}`,
      );
      const { number, step } = missing;
      for (const text of step.statements(words, locked.dialect)) await locked.run(text);
      await step.fill?.(locked);
      await locked.run('INSERT INTO migrations (step, name) VALUES ($1, $2)', [number, step.name]);
      if (step.expands)
        await locked.run('UPDATE migrations SET expands = 1 WHERE step = $1', [number]);
      return 1;
    });
  }
  return ran;
}

async function missingStep(
  sql: Sql,
  steps: readonly Migration[],
): Promise<{ number: number; step: Migration } | undefined> {
  const done = await doneSteps(sql);
  await checkNotNewer(sql, { done, known: steps.length });
  const step = steps[done];
  return step && { number: done + 1, step };
}

/** Throws where the database has steps that this program does not know, and one of them takes what it needs. */
export async function checkNotNewer(
  sql: Sql,
  { done, known }: { done: number; known: number },
): Promise<void> {
  if (done <= known) return;
  const taking = await sql.one(
    'SELECT step FROM migrations WHERE step > $1 AND expands = 0 LIMIT 1',
    [known],
  );
  if (taking) throw new NewerDatabase(done, known);
}
