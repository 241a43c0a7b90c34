// Counts of audience rows per block of sequence numbers: ranks and totals come from them alone.
import { batchStatement } from '../../base/db/batch.ts';
import type { Sql } from '../../base/db/sql.ts';

export type AudienceKind = 'session' | 'visitor';

export const audienceTables = { session: 'sessions', visitor: 'visitors' } as const;

/** What a filter asks for: a session watched for a second (4.6), a visitor for a minute (4.7). */
export const matchingMs = { session: 1_000, visitor: 60_000 } as const;

/** Rows per block of each level; a block holds `blocksPerUpper` blocks of the level below. */
export const blockSizes = { 1: 1_024, 2: 32_768, 3: 1_048_576 } as const;
export type Level = keyof typeof blockSizes;
export const levels: readonly Level[] = [1, 2, 3];
export const topLevel: Level = 3;
/** Few enough that summing them up costs less than reading a page of rows. */
export const blocksPerUpper = 32;

/** SQL for a whole number divided by a block size: both engines cut towards zero, and `seq` is never negative. */
export function blockOf(seq: string, level: Level): string {
  return `((${seq}) / ${blockSizes[level]})`;
}

/** SQL that is 1 for a row that the filter shows and 0 for others. */
export function isMatching(kind: AudienceKind, watchMs: string): string {
  return `CASE WHEN ${watchMs} >= ${matchingMs[kind]} THEN 1 ELSE 0 END`;
}

/** Gathers what one transaction changes, then writes it once a block. */
export class BlockChanges {
  private readonly kind: AudienceKind;
  private readonly changes = new Map<number, { rows: number; matching: number }>();

  constructor(kind: AudienceKind) {
    this.kind = kind;
  }

  added(seq: number, watchMs: number): void {
    this.change(seq, 1, this.matches(watchMs));
  }

  removed(seq: number, watchMs: number): void {
    this.change(seq, -1, -this.matches(watchMs));
  }

  /** A row that did not match does from now on. */
  matched(seq: number): void {
    this.change(seq, 0, 1);
  }

  async write(sql: Sql, channelId: number): Promise<void> {
    const changed = levels.flatMap((level) =>
      Array.from(this.perBlock(level), ([block, counts]) => ({
        channel_id: channelId,
        kind: this.kind,
        level,
        block,
        ...counts,
      })),
    );
    await addCounts.run(
      sql,
      changed.filter(({ rows, matching }) => rows !== 0 || matching !== 0),
    );
  }

  private matches(watchMs: number): number {
    return watchMs >= matchingMs[this.kind] ? 1 : 0;
  }

  private change(seq: number, rows: number, matching: number): void {
    add(this.changes, Math.floor(seq / blockSizes[1]), { rows, matching });
  }

  private perBlock(level: Level): Map<number, { rows: number; matching: number }> {
    if (level === 1) return this.changes;
    const upper = new Map<number, { rows: number; matching: number }>();
    for (const [block, change] of this.changes) {
      add(upper, Math.floor((block * blockSizes[1]) / blockSizes[level]), change);
    }
    return upper;
  }
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

function add(
  map: Map<number, { rows: number; matching: number }>,
  key: number,
  change: { rows: number; matching: number },
): void {
  const sum = map.get(key) ?? { rows: 0, matching: 0 };
  map.set(key, { rows: sum.rows + change.rows, matching: sum.matching + change.matching });
}
