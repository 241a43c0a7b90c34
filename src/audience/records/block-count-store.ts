// Counts of audience rows per block of sequence numbers: ranks and totals come from them alone.
import { batchStatement } from '../../base/db/batch.ts';
import type { Sql } from '../../base/db/sql.ts';
import {
  type AudienceKind,
  audienceTables,
  type BlockChanges,
  blockSizes,
  type Level,
  levels,
  matchingMs,
} from './block-counts.ts';

/** Adds what a transaction has changed to the counts of a channel. */
export async function writeBlockChanges(
  sql: Sql,
  channel_id: number,
  changes: BlockChanges,
): Promise<void> {
  await addCounts.run(
    sql,
    changes.perBlock().map((change) => ({ channel_id, ...change })),
  );
}

/** Ends an insert of block counts: what is there already is added to. */
export const addBlock = `ON CONFLICT (channel_id, kind, level, block) DO UPDATE
  SET rows = audience_block.rows + excluded.rows, matching = audience_block.matching + excluded.matching`;

/** SQLite takes the ON of a conflict for that of a join where no WHERE stands before it. */
const addCounts = batchStatement(
  {
    channel_id: 'int',
    kind: 'text',
    level: 'int',
    block: 'int',
    rows: 'int',
    matching: 'int',
  },
  (given, from) => `
    INSERT INTO audience_block (${Object.keys(given).join(', ')})
    SELECT ${Object.values(given).join(', ')} ${from()} WHERE true ${addBlock}`,
);

/** Counts a channel's rows anew from the block of `fromSeq` on. */
export async function recountBlocks(
  sql: Sql,
  { channel_id, kind, fromSeq }: { channel_id: number; kind: AudienceKind; fromSeq: number },
): Promise<void> {
  for (const level of levels) {
    const firstBlock = Math.floor(fromSeq / blockSizes[level]);
    await sql.run(
      'DELETE FROM audience_block WHERE channel_id = $1 AND kind = $2 AND level = $3 AND block >= $4',
      [channel_id, kind, level, firstBlock],
    );
    await addRows(sql, { channel_id, kind, level, fromSeq: firstBlock * blockSizes[level] });
  }
}

/** Counts rows that were added from `fromSeq` on. */
export async function countAdded(
  sql: Sql,
  added: { channel_id: number; kind: AudienceKind; fromSeq: number },
): Promise<void> {
  for (const level of levels) await addRows(sql, { ...added, level });
}

async function addRows(
  sql: Sql,
  given: { channel_id: number; kind: AudienceKind; level: Level; fromSeq: number },
): Promise<void> {
  const { channel_id, kind, level, fromSeq } = given;
  const block = blockOf('seq', level);
  await sql.run(
    `INSERT INTO audience_block (channel_id, kind, level, block, rows, matching)
     SELECT $1, $2, CAST($3 AS BIGINT), ${block}, COUNT(*), SUM(${isMatching(kind, 'watch_ms')})
     FROM ${audienceTables[kind]} WHERE channel_id = $1 AND seq >= $4 GROUP BY ${block} ${addBlock}`,
    [channel_id, kind, level, fromSeq],
  );
}

/** SQL for a whole number divided by a block size: both engines cut towards zero, and `seq` is never negative. */
export function blockOf(seq: string, level: Level): string {
  return `((${seq}) / ${blockSizes[level]})`;
}

/** SQL that is 1 for a row that the filter shows and 0 for others. */
export function isMatching(kind: AudienceKind, watchMs: string): string {
  return `CASE WHEN ${watchMs} >= ${matchingMs[kind]} THEN 1 ELSE 0 END`;
}
