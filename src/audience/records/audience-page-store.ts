// Any page of a channel's sessions or visitors in a few steps, whatever its number and however many rows there are.
import { limitFrom, read, type Sql, type Value, where } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import {
  type AudienceKind,
  audienceTables,
  blockSizes,
  blocksPerUpper,
  type Level,
  levels,
  matchingMs,
  topLevel,
} from './block-counts.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

export interface AudienceQuery {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  /** Only rows that watched long enough. */
  filtered: boolean;
  direction: 'asc' | 'desc';
  /** Entered at or after, and before; undefined for no such end. Sessions only. */
  enteredFrom?: number | undefined;
  enteredBefore?: number | undefined;
  limit: number;
  offset: number;
}

export const sessionPage = read('audience.sessionPage', ofAccount, (sql, query: AudienceQuery) =>
  page<SessionRow>(sql, 'session', query),
);

export const visitorPage = read('audience.visitorPage', ofAccount, (sql, query: AudienceQuery) =>
  page<VisitorRow>(sql, 'visitor', query),
);

/**
 * Rows are numbered (`seq`) in order of entry, so a period is a range of numbers. The rank of a number
 * is how many (matching) rows stand before it; the block counts give it without visiting them. A page
 * is a range of ranks, found the other way round: from the largest blocks down to rows.
 */
async function page<Row>(sql: Sql, kind: AudienceKind, query: AudienceQuery) {
  const { channel_id, enteredFrom, enteredBefore, offset, limit, direction } = query;
  const rankAt = async (enteredAt: number) =>
    await rank(sql, kind, query, await firstEntry(sql, { channel_id, enteredAt }));
  const low = enteredFrom === undefined ? 0 : await rankAt(enteredFrom);
  const high =
    enteredBefore === undefined
      ? await rank(sql, kind, query, undefined)
      : await rankAt(enteredBefore);
  const total = Math.max(0, high - low);
  if (offset >= total) return { total, rows: [] as Row[] };
  const count = Math.min(limit, total - offset);
  const from = direction === 'asc' ? low + offset : high - offset - count;
  const rows = await rowsOfRanks<Row>(sql, kind, query, { from, before: from + count });
  return { total, rows: direction === 'asc' ? rows : rows.reverse() };
}

/** The number of the first session that entered at or after a time; undefined where none has. */
export async function firstEntry(
  sql: Sql,
  { channel_id, enteredAt }: { channel_id: number; enteredAt: number },
): Promise<number | undefined> {
  const row = await sql.one<{ seq: number }>(
    'SELECT seq FROM sessions WHERE channel_id = $1 AND entered_at >= $2 ORDER BY entered_at, seq LIMIT 1',
    [channel_id, enteredAt],
  );
  return row?.seq;
}

/** How many rows of the query stand before a number; all of them where it is undefined. */
async function rank(
  sql: Sql,
  kind: AudienceKind,
  { channel_id, filtered }: AudienceQuery,
  seq: number | undefined,
): Promise<number> {
  const params: Value[] = [channel_id, kind];
  const given = (value: number) => `$${params.push(value)}`;
  const sum = (
    range: string,
  ) => `(SELECT COALESCE(SUM(${countedBy(filtered)}), 0) FROM audience_block
    WHERE channel_id = $1 AND kind = $2 AND ${range})`;
  if (seq === undefined) {
    const all = await sql.one<{ rank: number }>(
      `SELECT ${sum(`level = ${topLevel}`)} AS rank`,
      params,
    );
    return all?.rank ?? 0;
  }
  // Whole blocks of the top level, then of each level below inside the one the number lies in, then rows.
  const parts: string[] = [];
  let from = 0;
  for (const level of levels.toReversed()) {
    const own = Math.floor(seq / blockSizes[level]);
    parts.push(sum(`level = ${level} AND block >= ${given(from)} AND block < ${given(own)}`));
    from = level === 1 ? own * blockSizes[1] : own * blocksPerUpper;
  }
  parts.push(`(SELECT COUNT(*) FROM ${audienceTables[kind]}
    WHERE channel_id = $1 AND seq >= ${given(from)} AND seq < ${given(seq)} ${isShown(kind, filtered)})`);
  const before = await sql.one<{ rank: number }>(`SELECT ${parts.join(' + ')} AS rank`, params);
  return before?.rank ?? 0;
}

interface Ranks {
  from: number;
  before: number;
}

async function rowsOfRanks<Row>(sql: Sql, kind: AudienceKind, query: AudienceQuery, ranks: Ranks) {
  const rows: Row[] = [];
  for (const run of runsOf(await blocksOver(sql, kind, query, { level: topLevel, ranks }))) {
    const take = ranks.before - ranks.from - rows.length;
    rows.push(...(await rowsOfBlocks<Row>(sql, kind, query, { ...run, take })));
  }
  return rows;
}

interface FoundBlock {
  /** Of level 1. */
  block: number;
  /** Rows of the block that stand before the first one wanted. */
  skip: number;
}

/** The smallest blocks that hold rows of the given ranks: from the top level down, a few dozen counts a level. */
async function blocksOver(
  sql: Sql,
  kind: AudienceKind,
  query: AudienceQuery,
  { level, ranks, range }: { level: Level; ranks: Ranks; range?: Ranks },
): Promise<FoundBlock[]> {
  const filter = where([
    ['channel_id = ?', query.channel_id],
    ['kind = ?', kind],
    ['level = ?', level],
    ['block >= ?', range?.from],
    ['block < ?', range?.before],
  ]);
  const blocks = await sql.all<{ block: number; counted: number }>(
    `SELECT block, ${countedBy(query.filtered)} AS counted FROM audience_block ${filter.text} ORDER BY block`,
    filter.params,
  );
  const found: FoundBlock[] = [];
  let start = 0;
  for (const { block, counted } of blocks) {
    const within = { from: ranks.from - start, before: ranks.before - start };
    start += counted;
    if (within.from >= counted || within.before <= 0) continue;
    if (level === 1) found.push({ block, skip: Math.max(0, within.from) });
    else {
      const lower = { from: block * blocksPerUpper, before: (block + 1) * blocksPerUpper };
      const next = { level: (level - 1) as Level, ranks: within, range: lower };
      found.push(...(await blocksOver(sql, kind, query, next)));
    }
  }
  return found;
}

interface Run extends FoundBlock {
  blocks: number;
}

/** Neighbouring blocks are read together; blocks without matching rows between them are not read at all. */
function runsOf(found: readonly FoundBlock[]): Run[] {
  const runs: Run[] = [];
  for (const { block, skip } of found) {
    const last = runs.at(-1);
    if (last && last.block + last.blocks === block) last.blocks += 1;
    else runs.push({ block, skip, blocks: 1 });
  }
  return runs;
}

async function rowsOfBlocks<Row>(
  sql: Sql,
  kind: AudienceKind,
  { channel_id, filtered }: AudienceQuery,
  run: Run & { take: number },
): Promise<Row[]> {
  const from = run.block * blockSizes[1];
  return await sql.all<Row>(
    `SELECT * FROM ${audienceTables[kind]} WHERE channel_id = $1 AND seq >= $2 AND seq < $3
     ${isShown(kind, filtered)} ORDER BY seq ${limitFrom(4)}`,
    [channel_id, from, from + run.blocks * blockSizes[1], run.take, run.skip],
  );
}

/** The count that a question is about. */
function countedBy(filtered: boolean): 'matching' | 'rows' {
  return filtered ? 'matching' : 'rows';
}

/** Ends a condition on rows. */
function isShown(kind: AudienceKind, filtered: boolean): string {
  return filtered ? `AND watch_ms >= ${matchingMs[kind]}` : '';
}
