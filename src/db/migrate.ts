// Brings a database up to this program's tables, one transaction a step; refuses a newer one.
import { dialectWords } from './dialect.ts';
import { type Migration, migrations } from './migrations.ts';
import type { Sql } from './sql.ts';

/** Runs `work` in a transaction that no other program's migration runs beside. */
export type Exclusively = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

export class NewerDatabase extends Error {
  constructor(found: number, known: number) {
    super(
      `the database was made by a newer Footlight (its tables are at step ${found}, this program knows ${known}): run that version, or restore a backup made with this one`,
    );
  }
}

/** How many steps it ran. Each is committed by itself, so a kill between two loses nothing. */
export async function migrate(
  exclusively: Exclusively,
  steps: readonly Migration[] = migrations,
): Promise<number> {
  let ran = 0;
  for (;;) {
    const more = await exclusively(async (sql) => {
      const words = dialectWords(sql.dialect);
      await sql.run(
        `CREATE TABLE IF NOT EXISTS migrations (step ${words.int} PRIMARY KEY, name TEXT NOT NULL) ${words.table}`,
      );
      const row = await sql.one<{ step: number | null }>(
        'SELECT MAX(step) AS step FROM migrations',
      );
      const done = row?.step ?? 0;
      if (done > steps.length) throw new NewerDatabase(done, steps.length);
      const next = steps[done];
      if (!next) return false;
      for (const text of next.statements(words, sql.dialect)) await sql.run(text);
      await sql.run('INSERT INTO migrations (step, name) VALUES ($1, $2)', [done + 1, next.name]);
      return true;
    });
    if (!more) return ran;
    ran += 1;
  }
}
