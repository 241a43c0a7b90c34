// How far a database is: which step of the migrations it is at, and what is said where that is not this program's.
import { dialectWords } from './dialect.ts';
import { read, type Sql } from './sql.ts';

/** There is none where the settings say, and whoever asked does not make one. */
export class AbsentDatabase extends Error {}

/** Its tables are of an older Footlight, and whoever asked does not bring them up to date. */
export class OlderDatabase extends Error {
  constructor(found: number, known: number) {
    super(
      `the database is of an older Footlight (its tables are at step ${found} of ${known}), and a command that reads does not change it: start the service once, which brings it up to date`,
    );
  }
}

/** The step that its tables are at; 0 where it has none of ours. */
export async function doneSteps(sql: Sql): Promise<number> {
  const hasTable = await sql.one(dialectWords(sql.dialect).tableNamed, ['migrations']);
  const row = hasTable
    ? await sql.one<{ step: number | null }>('SELECT MAX(step) AS step FROM migrations')
    : undefined;
  return row?.step ?? 0;
}

/** The same as an operation: the first read of what takes everything along, which the audit log must have. */
export const readDoneSteps = read('db.steps', doneSteps);
