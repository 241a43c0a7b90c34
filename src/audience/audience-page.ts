// Any page of a channel's sessions or visitors in a few steps, whatever its number and however many rows there are.
import { limitFrom, read, type Sql, where } from '../db/sql.ts';
import {
  type AudienceKind,
  audienceTables,
  blockSizes,
  type Level,
  matchingMs,
} from './block-counts.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

export interface AudienceQuery {
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

export const sessionPage = read('audience.sessionPage', (sql, query: AudienceQuery) =>
  page<SessionRow>(sql, 'session', query),
);

export const visitorPage = read('audience.visitorPage', (sql, query: AudienceQuery) =>
  page<VisitorRow>(sql, 'visitor', query),
);

/**
 * Rows are numbered (`seq`) in order of entry, so a period is a range of numbers. The rank of a number
 * is how many (matching) rows stand before it; the block counts give it without visiting them. A page
 * is a range of ranks, found the other way round: block of a million, block of a thousand, rows.
 */
async function page<Row>(sql: Sql, kind: AudienceKind, query: AudienceQuery) {
  const { enteredFrom, enteredBefore, offset, limit, direction } = query;
  const low =
    enteredFrom === undefined
      ? 0
      : await rank(sql, kind, query, await seqAt(sql, query, enteredFrom));
  const high = await rank(sql, kind, query, await seqAt(sql, query, enteredBefore));
  const total = Math.max(0, high - low);
  if (offset >= total) return { total, rows: [] as Row[] };
  const count = Math.min(limit, total - offset);
  const from = direction === 'asc' ? low + offset : high - offset - count;
  const rows = await rowsOfRanks<Row>(sql, kind, query, { from, before: from + count });
  return { total, rows: direction === 'asc' ? rows : rows.reverse() };
}

/** The number of the first session that entered at or after a time; undefined where none has. */
async function seqAt(
  sql: Sql,
  { channel_id }: AudienceQuery,
  enteredAt: number | undefined,
): Promise<number | undefined> {
  if (enteredAt === undefined) return undefined;
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
  const counted = filtered ? 'matching' : 'rows';
  const sum = (range: string) => `(SELECT COALESCE(SUM(${counted}), 0) FROM audience_block
    WHERE channel_id = $1 AND kind = $2 AND ${range})`;
  if (seq === undefined) {
    const all = await sql.one<{ rank: number }>(`SELECT ${sum('level = 2')} AS rank`, [
      channel_id,
      kind,
    ]);
    return all?.rank ?? 0;
  }
  const upper = Math.floor(seq / blockSizes[2]);
  const lower = Math.floor(seq / blockSizes[1]);
  const before = await sql.one<{ rank: number }>(
    `SELECT ${sum('level = 2 AND block < $3')} + ${sum('level = 1 AND block >= $4 AND block < $5')} +
     (SELECT COUNT(*) FROM ${audienceTables[kind]} WHERE channel_id = $1 AND seq >= $6 AND seq < $7
      ${filtered ? `AND watch_ms >= ${matchingMs[kind]}` : ''}) AS rank`,
    [
      channel_id,
      kind,
      upper,
      (upper * blockSizes[2]) / blockSizes[1],
      lower,
      lower * blockSizes[1],
      seq,
    ],
  );
  return before?.rank ?? 0;
}

interface Ranks {
  from: number;
  before: number;
}

async function rowsOfRanks<Row>(sql: Sql, kind: AudienceKind, query: AudienceQuery, ranks: Ranks) {
  const rows: Row[] = [];
  const perUpper = blockSizes[2] / blockSizes[1];
  for (const upper of await blocksOver(sql, kind, query, { level: 2, ranks })) {
    const within = { from: ranks.from - upper.start, before: ranks.before - upper.start };
    const range = { from: upper.block * perUpper, before: (upper.block + 1) * perUpper };
    const lowers = await blocksOver(sql, kind, query, { level: 1, ranks: within, range });
    for (const run of runsOf(lowers)) {
      const skip = Math.max(0, within.from - run.start);
      const take = ranks.before - ranks.from - rows.length;
      rows.push(...(await rowsOfBlocks<Row>(sql, kind, query, { ...run, skip, take })));
    }
  }
  return rows;
}

interface CountedBlock {
  block: number;
  counted: number;
  /** Rows before it, of those in the range that was asked for. */
  start: number;
}

/** The blocks that hold rows of the given ranks, and the rank each starts at. */
async function blocksOver(
  sql: Sql,
  kind: AudienceKind,
  { channel_id, filtered }: AudienceQuery,
  { level, ranks, range }: { level: Level; ranks: Ranks; range?: Ranks },
): Promise<CountedBlock[]> {
  const counted = filtered ? 'matching' : 'rows';
  const filter = where([
    ['channel_id = ?', channel_id],
    ['kind = ?', kind],
    ['level = ?', level],
    ['block >= ?', range?.from],
    ['block < ?', range?.before],
  ]);
  return await sql.all<CountedBlock>(
    `SELECT block, counted, start FROM (
       SELECT block, ${counted} AS counted, SUM(${counted}) OVER (ORDER BY block) - ${counted} AS start
       FROM audience_block ${filter.text}
     ) b WHERE start < $${filter.next} AND start + counted > $${filter.next + 1} ORDER BY block`,
    [...filter.params, ranks.before, ranks.from],
  );
}

interface Run {
  block: number;
  blocks: number;
  start: number;
}

/** Neighbouring blocks are read together; blocks without matching rows between them are not read at all. */
function runsOf(blocks: readonly CountedBlock[]): Run[] {
  const runs: Run[] = [];
  for (const { block, start } of blocks) {
    const last = runs.at(-1);
    if (last && last.block + last.blocks === block) last.blocks += 1;
    else runs.push({ block, blocks: 1, start });
  }
  return runs;
}

async function rowsOfBlocks<Row>(
  sql: Sql,
  kind: AudienceKind,
  { channel_id, filtered }: AudienceQuery,
  run: Run & { skip: number; take: number },
): Promise<Row[]> {
  const from = run.block * blockSizes[1];
  return await sql.all<Row>(
    `SELECT * FROM ${audienceTables[kind]} WHERE channel_id = $1 AND seq >= $2 AND seq < $3
     ${filtered ? `AND watch_ms >= ${matchingMs[kind]}` : ''} ORDER BY seq ${limitFrom(4)}`,
    [channel_id, from, from + run.blocks * blockSizes[1], run.take, run.skip],
  );
}
