// What each service refused in the last minutes, in the database: so the command line can show it.
import { placeholders, read, write } from '../db/sql.ts';
import type { Refusal } from './refusals.ts';

const columns = ['kind', 'reason', 'sentence', 'who', 'count', 'first_at', 'last_at'] as const;

/** Rows of one statement: both engines take a few hundred parameters at ease. */
const rowsAtOnce = 100;

/** The node's refusals are these, and no others. */
export const keepRefusals = write(
  'peers.keepRefusals',
  async (sql, { node, refusals }: { node: string; refusals: readonly Refusal[] }) => {
    await sql.run('DELETE FROM refusals WHERE node = $1', [node]);
    for (let at = 0; at < refusals.length; at += rowsAtOnce) {
      const rows = refusals.slice(at, at + rowsAtOnce);
      await sql.run(
        `INSERT INTO refusals (node, ${columns.join(', ')})
         VALUES ${placeholders(rows.length, columns.length + 1)}`,
        rows.flatMap((refusal) => [node, ...columns.map((column) => refusal[column])]),
      );
    }
  },
);

/** Of every service on this database since `from`, the latest first. */
export const listRefusals = read(
  'peers.listRefusals',
  async (sql, { from }: { from: number }): Promise<Refusal[]> =>
    await sql.all<Refusal>(
      `SELECT ${columns.join(', ')} FROM refusals WHERE last_at >= $1
       ORDER BY last_at DESC, kind, reason, who`,
      [from],
    ),
);
