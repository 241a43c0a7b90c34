// The steps of a Footlight that does not exist yet: they change rows so that a step run twice, or by half, shows.
import { type Migration, migrations } from '../../src/base/db/migrations.ts';

const nextSteps: readonly Migration[] = [
  {
    name: 'trial: a column, filled from another',
    statements: ({ id, int, table }) => [
      `ALTER TABLE channels ADD COLUMN trial_marks ${int} NOT NULL DEFAULT 0`,
      'UPDATE channels SET trial_marks = trial_marks + 1',
      `CREATE TABLE trial_notes (id ${id}, note TEXT NOT NULL) ${table}`,
      'INSERT INTO trial_notes (note) SELECT name FROM channels',
    ],
  },
  {
    name: 'trial: rows changed once more',
    statements: () => [
      'UPDATE channels SET trial_marks = trial_marks + 10',
      'CREATE INDEX trial_notes_by_note ON trial_notes (note)',
      "INSERT INTO trial_notes (note) VALUES ('second')",
    ],
  },
];

/** What each channel's `trial_marks` is after every step. */
export const marksAfterAll = 11;

/** This program's steps and those of the next. */
export const allSteps: readonly Migration[] = [...migrations, ...nextSteps];
