// The tables that an import stages its lines in: those of one connection alone, gone when it ends.
import { dialectWords } from '../../base/db/dialect.ts';
import { placeholders, type Sql, type Value } from '../../base/db/sql.ts';
import { nextRecordId } from './record-id-store.ts';
import type { ImportedSession } from './session-line.ts';
import type { Visits } from './visit-import-store.ts';

/** Rows staged by one statement. */
export const stageRows = 200;

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

/** What a line does not say: only rows that were there before have it. */
const kept = ['record_id', 'credited_until', 'spans', 'held_by'] as const;

export async function createStage(sql: Sql): Promise<void> {
  const { int } = dialectWords(sql.dialect);
  const columns = `line ${int} NOT NULL, is_new ${int} NOT NULL, record_id ${int}, credited_until ${int}, spans TEXT, held_by ${int},
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
}

/** How many of the lines were new in the file. */
export async function stage(
  sql: Sql,
  rows: { line: number; value: ImportedSession }[],
): Promise<number> {
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

export async function countStaged(sql: Sql): Promise<number> {
  const row = await sql.one<{ n: number }>('SELECT COUNT(*) AS n FROM staged_sessions');
  return row?.n ?? 0;
}

/** Lines that the channel has are dropped: a second run, also one at the same time, adds nothing. */
export async function dropKnown(sql: Sql, channel_id: number): Promise<void> {
  await sql.run(`DELETE FROM staged_sessions WHERE ${isKnown('staged_sessions')}`, [channel_id]);
}

/** The same of a run of numbered lines. */
export async function dropKnownOf(sql: Sql, { channel_id, from, until }: Visits): Promise<void> {
  await sql.run(
    `DELETE FROM numbered_sessions WHERE n >= $2 AND n < $3 AND ${isKnown('numbered_sessions')}`,
    [channel_id, from, until],
  );
}

/** SQL that is true of a line that the channel `$1` has. */
function isKnown(table: 'staged_sessions' | 'numbered_sessions'): string {
  return `EXISTS (SELECT 1 FROM sessions s WHERE s.channel_id = $1 AND s.external_id = ${table}.external_id)`;
}

/** Whether a line entered before the channel's last entry. */
export async function hasOlder(sql: Sql, channel_id: number): Promise<boolean> {
  const row = await sql.one<{ older: number }>(
    `SELECT CASE WHEN (SELECT MIN(entered_at) FROM staged_sessions) <
       (SELECT last_entry_at FROM channel_audience WHERE channel_id = $1) THEN 1 ELSE 0 END AS older`,
    [channel_id],
  );
  return row?.older === 1;
}

/**
 * Numbers what is staged from 1 in order of entering; of one instant, what was there before comes first.
 * `new_n` counts the new lines alone: while there is nothing else, it equals `n`.
 */
export async function numberStaged(sql: Sql): Promise<number> {
  const columns = `line, is_new, ${kept.join(', ')}, ${copied.join(', ')}`;
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

/** How many lines of a run are left, and when the first and the last of them entered. */
export async function spanOf(
  sql: Sql,
  { from, until }: Visits,
): Promise<{ added: number; first_at: number; last_at: number } | undefined> {
  return await sql.one(
    `SELECT COUNT(*) AS added, MIN(entered_at) AS first_at, MAX(entered_at) AS last_at
     FROM numbered_sessions WHERE n >= $1 AND n < $2`,
    [from, until],
  );
}

/** The first session of the channel that entered after the oldest line; undefined where none has. */
export async function firstAfterOldest(sql: Sql, channel_id: number): Promise<number | undefined> {
  const oldest = await sql.one<{ at: number }>('SELECT MIN(entered_at) AS at FROM staged_sessions');
  const row = await sql.one<{ seq: number }>(
    'SELECT seq FROM sessions WHERE channel_id = $1 AND entered_at > $2 ORDER BY entered_at, seq LIMIT 1',
    [channel_id, oldest?.at ?? 0],
  );
  return row?.seq;
}

/** Stages the channel's sessions from a number on; their lines are negative, as `next` is the next free number. */
export async function stageFrom(
  sql: Sql,
  { channel_id, first, next }: { channel_id: number; first: number; next: number },
): Promise<void> {
  await sql.run(
    `INSERT INTO staged_sessions (line, is_new, ${kept.join(', ')}, ${copied.join(', ')})
     SELECT seq - $3, 0, ${kept.join(', ')}, ${copied.join(', ')}
     FROM sessions WHERE channel_id = $1 AND seq >= $2`,
    [channel_id, first, next],
  );
}

/** Adds a run under the numbers from `first` on; rows that were there before keep their record ids. */
export async function insertSessions(sql: Sql, run: Visits & { first: number }): Promise<void> {
  const { channel_id, from, until, first } = run;
  await sql.run(
    `INSERT INTO sessions (channel_id, seq, ${kept.join(', ')}, ${copied.join(', ')})
     SELECT $1, n + $2, COALESCE(record_id, ${nextRecordId(sql.dialect, 'new_n - $3 + 1')}),
       COALESCE(credited_until, last_seen_at), spans, held_by, ${copied.join(', ')}
     FROM numbered_sessions WHERE n >= $3 AND n < $4 ORDER BY n`,
    [channel_id, first - from, from, until],
  );
}
