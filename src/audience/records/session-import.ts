// Imports the sessions of another platform: staged, sorted, then merged with exact visitors and block counts.
import { ApiError } from '../../base/api/errors.ts';
import { type ImportOptions, type ImportReport, readLines } from '../../base/api/line-import.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { letOthersWrite } from '../../base/db/give-way.ts';
import {
  type AnyOperation,
  placeholders,
  type Sql,
  type Store,
  type Value,
  write,
} from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { countAdded, recountBlocks } from './block-counts.ts';
import { lockAudience, saveAudience } from './channel-audience.ts';
import { markTaken, nextRecordId } from './record-ids.ts';
import { type ImportedSession, sessionLineReader } from './session-line.ts';
import {
  addVisits,
  createVisitTables,
  measureBefore,
  renumberVisitors,
  type Visits,
} from './visit-import.ts';

/** Rows staged by one statement. */
const stageRows = 200;
/** Rows added in one transaction: the service's own writes wait no longer than this takes. */
const mergeRowsUsual = 5_000;

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
  given: ImportOptions & { channel_id: number; zone: Zone; now: number; mergeRows?: number },
): Promise<ImportReport> {
  const { channel_id, zone, now, mergeRows = mergeRowsUsual, ...options } = given;
  const report: ImportReport = { lines: 0, added: 0, known: 0, bad: 0 };
  await createStage(store);
  await readLines(options, report, {
    check: sessionLineReader(zone, now),
    keep: async (good) => {
      for (let at = 0; at < good.length; at += stageRows) {
        const rows = good.slice(at, at + stageRows);
        report.known += rows.length - (await stage(store, rows));
      }
    },
  });
  const staged = await countStaged(store);
  // Asked here to spare work; each transaction asks again, for others write to the channel meanwhile.
  await dropKnown(store, channel_id);
  let isOlder = await hasOlder(store, channel_id);
  const count = isOlder ? 0 : await numberStaged(store);
  for (let from = 1; from <= count && !isOlder; from += mergeRows) {
    const until = Math.min(from + mergeRows, count + 1);
    const added = await store.perform(appendSessions, { channel_id, from, until });
    isOlder = added === 'older';
    if (added === 'older' || added === 0) continue;
    report.added += added;
    options.onProgress(report, `added of ${staged}`);
    if (until <= count) await letOthersWrite(store);
  }
  if (isOlder) {
    options.onProgress(report, 'numbering the channel anew');
    report.added += await store.perform(mergeHistory, { channel_id });
  }
  report.known += staged - report.added;
  return report;
}

/**
 * Adds a run of numbered lines and says how many were new. All of them must have entered after everything
 * that is there: viewers enter and other imports run between two runs, so each run is held against the
 * channel as it is under the lock. Where one is `older`, nothing is added.
 */
export const appendSessions = write(
  'audience.appendSessions',
  async (
    sql,
    input: { channel_id: number; from: number; until: number },
  ): Promise<number | 'older'> => {
    const { channel_id, from, until } = input;
    const audience = await lockAudience(sql, channel_id);
    await sql.run(
      `DELETE FROM numbered_sessions WHERE n >= $2 AND n < $3 AND ${isKnown('numbered_sessions')}`,
      [channel_id, from, until],
    );
    const run = await sql.one<{ added: number; first_at: number; last_at: number }>(
      `SELECT COUNT(*) AS added, MIN(entered_at) AS first_at, MAX(entered_at) AS last_at
       FROM numbered_sessions WHERE n >= $1 AND n < $2`,
      [from, until],
    );
    if (!run || run.added === 0) return 0;
    if (run.first_at < audience.last_entry_at) return 'older';
    const first = audience.next_session_seq;
    const visits = { channel_id, from, until };
    await measureBefore(sql, visits);
    await insertSessions(sql, { ...visits, first });
    await markTaken(sql, until - from);
    await countAdded(sql, { channel_id, kind: 'session', fromSeq: first });
    const { knownCount, nextSeq } = await addVisits(sql, visits, audience.next_visitor_seq);
    audience.next_visitor_seq = nextSeq;
    // Of those who are on the page the service has sums in memory, which lack what was added here.
    if (knownCount > 0) audience.numbering += 1;
    // The numbers of lines that turned out to be known stay unused.
    audience.next_session_seq += until - from;
    audience.last_entry_at = run.last_at;
    await saveAudience(sql, channel_id, audience);
    return run.added;
  },
);

/**
 * Adds the lines that are not there yet, some of them older than what is, and says how many. Everything
 * that entered later is taken out, sorted together with them and put back under new numbers, in this one
 * transaction and off air.
 */
export const mergeHistory = write(
  'audience.mergeHistory',
  async (sql, { channel_id }: { channel_id: number }): Promise<number> => {
    const audience = await lockAudience(sql, channel_id);
    await dropKnown(sql, channel_id);
    const added = await countStaged(sql);
    if (added === 0) return 0;
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
    await markTaken(sql, added);
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
  await sql.run(
    `CREATE TEMP TABLE numbered_sessions (n ${int} PRIMARY KEY, new_n ${int} NOT NULL, ${columns})`,
  );
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

/** Lines that the channel has are dropped: a second run, also one at the same time, adds nothing. */
async function dropKnown(sql: Sql, channel_id: number): Promise<void> {
  await sql.run(`DELETE FROM staged_sessions WHERE ${isKnown('staged_sessions')}`, [channel_id]);
}

async function hasOlder(sql: Sql, channel_id: number): Promise<boolean> {
  const row = await sql.one<{ older: number }>(
    `SELECT CASE WHEN (SELECT MIN(entered_at) FROM staged_sessions) <
       (SELECT last_entry_at FROM channel_audience WHERE channel_id = $1) THEN 1 ELSE 0 END AS older`,
    [channel_id],
  );
  return row?.older === 1;
}

/** SQL that is true of a line that the channel `$1` has. */
function isKnown(table: 'staged_sessions' | 'numbered_sessions'): string {
  return `EXISTS (SELECT 1 FROM sessions s WHERE s.channel_id = $1 AND s.external_id = ${table}.external_id)`;
}

/**
 * Numbers what is staged from 1 in order of entering; of one instant, what was there before comes first.
 * `new_n` counts the new lines alone: while there is nothing else, it equals `n`.
 */
async function numberStaged(sql: Sql): Promise<number> {
  const columns = `line, is_new, record_id, credited_until, ${copied.join(', ')}`;
  await sql.run('DELETE FROM numbered_sessions');
  const count = await sql.run(
    `INSERT INTO numbered_sessions (n, new_n, ${columns})
     SELECT ROW_NUMBER() OVER entry, SUM(is_new) OVER entry, ${columns} FROM staged_sessions
     WINDOW entry AS (ORDER BY entered_at, is_new, line ROWS UNBOUNDED PRECEDING)
     ORDER BY entered_at, is_new, line`,
  );
  if (sql.dialect === 'postgres') await sql.run('ANALYZE numbered_sessions');
  return count;
}

/** Adds a run under the numbers from `first` on; rows that were there before keep their record ids. */
async function insertSessions(sql: Sql, run: Visits & { first: number }): Promise<void> {
  const { channel_id, from, until, first } = run;
  await sql.run(
    `INSERT INTO sessions (channel_id, seq, record_id, credited_until, ${copied.join(', ')})
     SELECT $1, n + $2, COALESCE(record_id, ${nextRecordId(sql.dialect, 'new_n - $3 + 1')}),
       COALESCE(credited_until, last_seen_at), ${copied.join(', ')}
     FROM numbered_sessions WHERE n >= $3 AND n < $4 ORDER BY n`,
    [channel_id, first - from, from, until],
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
