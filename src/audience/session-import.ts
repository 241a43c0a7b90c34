// Imports the sessions of another platform: staged, sorted, then merged with exact visitors and block counts.
import { dialectWords } from '../db/dialect.ts';
import {
  type AnyOperation,
  placeholders,
  type Sql,
  type Store,
  type Value,
  write,
} from '../db/sql.ts';
import { ApiError } from '../lib/errors.ts';
import { type ImportOptions, type ImportReport, readLines } from '../lib/import.ts';
import type { Zone } from '../lib/time.ts';
import { lockAudience, saveAudience, takeRecordIds } from './audience-store.ts';
import { addBlock, blockOf, isMatching, levels, recountBlocks } from './block-counts.ts';
import { type ImportedSession, sessionLineReader } from './session-line.ts';
import { addVisits, createVisitTables, measureBefore, renumberVisitors } from './visit-import.ts';

/** Rows staged by one statement. */
const stageRows = 200;
/** Rows merged in one transaction: the service's own writes wait no longer than this takes. */
const mergeRows = 5_000;
/** Between two transactions the service's writer, which polls for the lock, must find it free. */
const yieldMs = 25;

const copied = [
  'external_id',
  'viewer_id',
  'nick',
  'addr',
  'phone',
  'device',
  'browser',
  'origin',
  'ip',
  'entered_at',
  'last_seen_at',
  'online_ms',
  'watch_ms',
] as const satisfies (keyof ImportedSession)[];

/** Runs on a store with one connection: what is staged lies in tables of that connection alone. */
export async function importSessions(
  store: Store,
  { channel_id, zone, ...options }: ImportOptions & { channel_id: number; zone: Zone },
): Promise<ImportReport> {
  const report: ImportReport = { lines: 0, added: 0, known: 0, bad: 0 };
  await createStage(store);
  await readLines(options, report, {
    check: sessionLineReader(zone),
    keep: async (good) => {
      for (let at = 0; at < good.length; at += stageRows) {
        const rows = good.slice(at, at + stageRows);
        report.known += rows.length - (await stage(store, rows));
      }
    },
  });
  const staged = await countStaged(store);
  report.known += await dropKnown(store, channel_id);
  const isHistory = await hasOlder(store, channel_id);
  if (isHistory) {
    options.onProgress(report, 'numbering the channel anew');
    report.added = await store.perform(mergeHistory, { channel_id });
    return report;
  }
  const count = await numberStaged(store);
  for (let from = 1; from <= count; from += mergeRows) {
    const until = Math.min(from + mergeRows, count + 1);
    await store.perform(appendSessions, { channel_id, from, until });
    report.added += until - from;
    options.onProgress(report, `added of ${staged}`);
    if (store.dialect === 'sqlite') await Bun.sleep(yieldMs);
  }
  return report;
}

/** Adds a run of numbered lines, all entered after everything that is there. */
export const appendSessions = write(
  'audience.appendSessions',
  async (sql, input: { channel_id: number; from: number; until: number }): Promise<void> => {
    const { channel_id, from, until } = input;
    const audience = await lockAudience(sql, channel_id);
    const first = audience.next_session_seq;
    const visits = { channel_id, from, until };
    await measureBefore(sql, visits);
    await insertSessions(sql, { ...visits, first });
    for (const level of levels) {
      const block = blockOf('seq', level);
      await sql.run(
        `INSERT INTO audience_block (channel_id, kind, level, block, rows, matching)
         SELECT $1, 'session', CAST($2 AS BIGINT), ${block}, COUNT(*), SUM(${isMatching('session', 'watch_ms')})
         FROM sessions WHERE channel_id = $1 AND seq >= $3 GROUP BY ${block} ${addBlock}`,
        [channel_id, level, first],
      );
    }
    audience.next_visitor_seq = await addVisits(sql, visits, audience.next_visitor_seq);
    audience.next_session_seq += until - from;
    audience.last_entry_at = (await lastEntry(sql, channel_id)) ?? audience.last_entry_at;
    await saveAudience(sql, channel_id, audience);
  },
);

/**
 * Adds lines that are older than what is there. Everything that entered later is taken out, sorted
 * together with them and put back under new numbers, in this one transaction and off air.
 */
export const mergeHistory = write(
  'audience.mergeHistory',
  async (sql, { channel_id }: { channel_id: number }): Promise<number> => {
    const audience = await lockAudience(sql, channel_id);
    const channel = await sql.one<{ live: number }>('SELECT live FROM channels WHERE id = $1', [
      channel_id,
    ]);
    if (channel?.live === 1) {
      throw new ApiError('unavailable', {
        message: `Channel ${channel_id} is live: lines older than its last entry are imported off air`,
      });
    }
    const oldest = await sql.one<{ at: number }>(
      'SELECT MIN(entered_at) AS at FROM staged_sessions',
    );
    const tail = await sql.one<{ seq: number }>(
      'SELECT seq FROM sessions WHERE channel_id = $1 AND entered_at > $2 ORDER BY entered_at, seq LIMIT 1',
      [channel_id, oldest?.at ?? 0],
    );
    const first = tail?.seq ?? audience.next_session_seq;
    const added = await countStaged(sql);
    await sql.run(
      `INSERT INTO staged_sessions (line, is_new, record_id, credited_until, ${copied.join(', ')})
       SELECT seq - $3, 0, record_id, credited_until, ${copied.join(', ')}
       FROM sessions WHERE channel_id = $1 AND seq >= $2`,
      [channel_id, first, audience.next_session_seq],
    );
    const count = await numberStaged(sql);
    const visits = { channel_id, from: 1, until: count + 1 };
    await measureBefore(sql, visits);
    await sql.run('DELETE FROM sessions WHERE channel_id = $1 AND seq >= $2', [channel_id, first]);
    await insertSessions(sql, { ...visits, first });
    await recountBlocks(sql, { channel_id, kind: 'session', fromSeq: first });
    await addVisits(sql, visits, audience.next_visitor_seq);
    audience.next_visitor_seq = await renumberVisitors(sql, channel_id);
    audience.next_session_seq = first + count;
    audience.last_entry_at = (await lastEntry(sql, channel_id)) ?? audience.last_entry_at;
    audience.numbering += 1;
    await saveAudience(sql, channel_id, audience);
    return added;
  },
);

async function createStage(sql: Sql): Promise<void> {
  const { int } = dialectWords(sql.dialect);
  const columns = `line ${int} NOT NULL, is_new ${int} NOT NULL, record_id ${int}, credited_until ${int},
    external_id TEXT, viewer_id TEXT NOT NULL, nick TEXT NOT NULL, addr TEXT NOT NULL, phone TEXT NOT NULL,
    device TEXT NOT NULL, browser TEXT NOT NULL, origin TEXT NOT NULL, ip TEXT NOT NULL,
    entered_at ${int} NOT NULL, last_seen_at ${int} NOT NULL, online_ms ${int} NOT NULL, watch_ms ${int} NOT NULL`;
  await sql.run('DROP TABLE IF EXISTS staged_sessions');
  await sql.run('DROP TABLE IF EXISTS numbered_sessions');
  await sql.run(`CREATE TEMP TABLE staged_sessions (${columns})`);
  await sql.run('CREATE UNIQUE INDEX staged_sessions_external ON staged_sessions (external_id)');
  await sql.run(`CREATE TEMP TABLE numbered_sessions (n ${int} PRIMARY KEY, ${columns})`);
  await createVisitTables(sql);
}

/** How many of the lines were new in the file. */
async function stage(sql: Sql, rows: { line: number; value: ImportedSession }[]): Promise<number> {
  const params: Value[] = rows.flatMap(({ line, value }) => [
    line,
    1,
    ...copied.map((column) => value[column]),
  ]);
  return await sql.run(rows.length === stageRows ? fullStage : stageText(rows.length), params);
}

function stageText(rows: number): string {
  return `INSERT INTO staged_sessions (line, is_new, ${copied.join(', ')})
    VALUES ${placeholders(rows, copied.length + 2)} ON CONFLICT (external_id) DO NOTHING`;
}

const fullStage = stageText(stageRows);

async function countStaged(sql: Sql): Promise<number> {
  const row = await sql.one<{ n: number }>('SELECT COUNT(*) AS n FROM staged_sessions');
  return row?.n ?? 0;
}

/** Lines that an earlier run has brought are dropped: a second run adds nothing. */
async function dropKnown(sql: Sql, channel_id: number): Promise<number> {
  return await sql.run(
    `DELETE FROM staged_sessions WHERE EXISTS (SELECT 1 FROM sessions s
       WHERE s.channel_id = $1 AND s.external_id = staged_sessions.external_id)`,
    [channel_id],
  );
}

async function hasOlder(sql: Sql, channel_id: number): Promise<boolean> {
  const row = await sql.one<{ older: number }>(
    `SELECT CASE WHEN (SELECT MIN(entered_at) FROM staged_sessions) <
       (SELECT last_entry_at FROM channel_audience WHERE channel_id = $1) THEN 1 ELSE 0 END AS older`,
    [channel_id],
  );
  return row?.older === 1;
}

/** Numbers what is staged from 1 in order of entering; of one instant, what was there before comes first. */
async function numberStaged(sql: Sql): Promise<number> {
  const columns = `line, is_new, record_id, credited_until, ${copied.join(', ')}`;
  const count = await sql.run(
    `INSERT INTO numbered_sessions (n, ${columns})
     SELECT ROW_NUMBER() OVER (ORDER BY entered_at, is_new, line), ${columns} FROM staged_sessions
     ORDER BY entered_at, is_new, line`,
  );
  if (sql.dialect === 'postgres') await sql.run('ANALYZE numbered_sessions');
  return count;
}

async function insertSessions(
  sql: Sql,
  {
    channel_id,
    from,
    until,
    first,
  }: { channel_id: number; from: number; until: number; first: number },
): Promise<void> {
  const firstRecord = await takeRecordIds(sql, until - from);
  await sql.run(
    `INSERT INTO sessions (channel_id, seq, record_id, credited_until, ${copied.join(', ')})
     SELECT $1, n + $2, COALESCE(record_id, n + $3), COALESCE(credited_until, last_seen_at), ${copied.join(', ')}
     FROM numbered_sessions WHERE n >= $4 AND n < $5 ORDER BY n`,
    [channel_id, first - from, firstRecord - from, from, until],
  );
}

async function lastEntry(sql: Sql, channel_id: number): Promise<number | undefined> {
  const row = await sql.one<{ entered_at: number }>(
    'SELECT entered_at FROM sessions WHERE channel_id = $1 ORDER BY entered_at DESC, seq DESC LIMIT 1',
    [channel_id],
  );
  return row?.entered_at;
}

/** They need the tables that an import stages in, so only the importing command knows them. */
export const importOperations: readonly AnyOperation[] = [appendSessions, mergeHistory];
