// The stints of recordings: what each holder of a push has put into its recording, and whose turn it is to name.
import { dialectWords } from '../../base/db/dialect.ts';
import { type Sql, write } from '../../base/db/sql.ts';

/** A holder's share in a recording, known by the recording and the epoch. */
export interface Stint {
  recording: string;
  epoch: number;
  push: string;
  channel_id: number;
  account_id: number;
  /** On whose disk lies what is not named yet. */
  node: string;
  /** Media of the push before it. */
  pushed_ms: number;
  show_at: number | null;
}

const columns = [
  ...(['recording', 'epoch', 'push', 'channel_id', 'account_id'] as const),
  ...(['node', 'pushed_ms', 'show_at'] as const),
] as const;

/** The push of a channel; it stays so until the transaction ends, with `forUpdate` for nobody else at all. */
async function lockedPush(sql: Sql, channel_id: number, lock: 'forShare' | 'forUpdate') {
  return await sql.one<{ push: string; epoch: number; state: string }>(
    `SELECT push, epoch, state FROM pushes WHERE channel_id = $1 ${dialectWords(sql.dialect)[lock]}`,
    [channel_id],
  );
}

async function isVideo(sql: Sql, recording: string): Promise<boolean> {
  return (await sql.one('SELECT 1 FROM videos WHERE recording = $1', [recording])) !== undefined;
}

async function hasStint(sql: Sql, recording: string, epoch?: number): Promise<boolean> {
  const found = await sql.one(
    `SELECT 1 FROM recording_stints WHERE recording = $1 AND epoch = COALESCE($2, epoch) LIMIT 1`,
    [recording, epoch ?? null],
  );
  return found !== undefined;
}

async function addStint(sql: Sql, stint: Stint): Promise<void> {
  await sql.run(
    `INSERT INTO recording_stints (${columns.join(', ')}, carried, is_last)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0) ON CONFLICT (recording, epoch) DO NOTHING`,
    columns.map((column) => stint[column]),
  );
}

/** Before the first segment is put; the same however often it is asked. False where the recording is a video already, or nobody knows of its push. */
export const beginStint = write('stints.begin', async (sql, stint: Stint): Promise<boolean> => {
  const { recording, epoch, push, channel_id } = stint;
  const known = await lockedPush(sql, channel_id, 'forShare');
  if (await hasStint(sql, recording, epoch)) return true;
  if (await isVideo(sql, recording)) return false;
  if (known?.push !== push && !(await hasStint(sql, recording))) return false;
  await addStint(sql, stint);
  return true;
});

/** All of it is named or refused; `isLast` where nothing follows it in its recording. */
export const endStint = write(
  'stints.end',
  async (sql, given: { recording: string; epoch: number; isLast: boolean }): Promise<void> => {
    const { recording, epoch, isLast } = given;
    const { largest } = dialectWords(sql.dialect);
    await sql.run(
      `UPDATE recording_stints SET carried = 1, is_last = ${largest('is_last', 'CAST($3 AS BIGINT)')}
       WHERE recording = $1 AND epoch = $2`,
      [recording, epoch, isLast ? 1 : 0],
    );
  },
);

/** How much of its push was before a recording that nodes share. */
export async function recordingBegin(sql: Sql, recording: string): Promise<number> {
  const first = await sql.one<{ pushed_ms: number | null }>(
    'SELECT MIN(pushed_ms) AS pushed_ms FROM recording_stints WHERE recording = $1',
    [recording],
  );
  return first?.pushed_ms ?? 0;
}

/** By which a segment is named: whose push it is of. */
export interface Fence {
  channel_id: number;
  push: string;
}

/**
 * Part of the write that names a segment. Its holder names what it likes. Whoever had the push before names its tail:
 * below the first number of a later epoch, and while there is no video. Until the transaction ends nobody takes the
 * push, and beside a tail nobody names.
 */
export async function mayName(
  sql: Sql,
  segment: Fence & { recording: string; epoch: number; sequence: number },
): Promise<boolean> {
  const { channel_id, push, recording, epoch, sequence } = segment;
  const isHeld = (row: { push: string; epoch: number } | undefined) =>
    row?.push === push && row.epoch === epoch;
  const isHolder =
    isHeld(await sql.one('SELECT push, epoch FROM pushes WHERE channel_id = $1', [channel_id])) &&
    isHeld(await lockedPush(sql, channel_id, 'forShare'));
  if (!isHolder) await lockedPush(sql, channel_id, 'forUpdate');
  if (!(await hasStint(sql, recording, epoch))) return false;
  if (isHolder) return true;
  const next = await sql.one<{ first: number | null }>(
    `SELECT MIN(s.sequence) AS first FROM recording_stints r
     JOIN segments s ON s.push = r.recording AND s.epoch = r.epoch
     WHERE r.push = $1 AND r.epoch > $2`,
    [push, epoch],
  );
  const first = next?.first ?? null;
  return first === null || sequence < first;
}

/**
 * Part of the write that makes a recording a video on its holder's disk. `taken`: another node goes on with the push.
 * `shared`: others have a stint in it. Until the transaction ends nobody takes the push.
 */
export async function standingOf(
  sql: Sql,
  stint: Pick<Stint, 'recording' | 'epoch' | 'push' | 'channel_id'>,
): Promise<'sole' | 'shared' | 'taken'> {
  const { recording, epoch, push, channel_id } = stint;
  const known = await lockedPush(sql, channel_id, 'forUpdate');
  if (known?.push === push && known.epoch > epoch) return 'taken';
  const other = await sql.one(
    'SELECT 1 FROM recording_stints WHERE recording = $1 AND epoch <> $2 LIMIT 1',
    [recording, epoch],
  );
  return other ? 'shared' : 'sole';
}

/** Part of the write that makes it a video in the bucket: whether its push is over, and nobody names meanwhile. */
export async function isOver(
  sql: Sql,
  { recording, push, channel_id }: Pick<Stint, 'recording' | 'push' | 'channel_id'>,
): Promise<boolean> {
  const known = await lockedPush(sql, channel_id, 'forUpdate');
  if (known?.push !== push || known.state === 'ended') return true;
  const last = await sql.one(
    'SELECT 1 FROM recording_stints WHERE recording = $1 AND is_last = 1 LIMIT 1',
    [recording],
  );
  return last !== undefined;
}

/** Part of a write: from here on nothing of it is named. */
export async function removeStints(sql: Sql, recording: string): Promise<void> {
  await sql.run('DELETE FROM recording_stints WHERE recording = $1', [recording]);
}
