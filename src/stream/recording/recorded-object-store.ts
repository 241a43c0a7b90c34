// The files of recordings in the bucket, and the way of a recording into it and back.
import { dialectWords } from '../../base/db/dialect.ts';
import { placeholders, read, type Sql, write } from '../../base/db/sql.ts';
import { anyNode } from '../../library/jobs/job.ts';
import { moveJobs } from '../../library/jobs/job-store.ts';
import type { RecordingPlace, Storage } from './stored-recording.ts';

export interface RecordedObject {
  file: string;
  /** Where in the file it begins. */
  at: number;
  key: string;
  size: number;
  tag: string;
}

/** Those of a file in their order; none where there is no such file. */
export async function objectsOfFile(
  sql: Sql,
  { recording, file }: { recording: string; file: string },
): Promise<RecordedObject[]> {
  return await sql.all<RecordedObject>(
    'SELECT file, at, key, size, tag FROM recorded_objects WHERE recording = $1 AND file = $2 ORDER BY at',
    [recording, file],
  );
}

export async function filesInBucket(sql: Sql, recording: string): Promise<string[]> {
  const rows = await sql.all<{ file: string }>(
    'SELECT DISTINCT file FROM recorded_objects WHERE recording = $1 ORDER BY file',
    [recording],
  );
  return rows.map(({ file }) => file);
}

/** Part of a write: the file is these objects now. */
export async function nameObjects(sql: Sql, recording: string, objects: readonly RecordedObject[]) {
  for (const file of new Set(objects.map((one) => one.file)))
    await sql.run('DELETE FROM recorded_objects WHERE recording = $1 AND file = $2', [
      recording,
      file,
    ]);
  if (objects.length === 0) return;
  await sql.run(
    `INSERT INTO recorded_objects (recording, file, at, key, size, tag) VALUES ${placeholders(objects.length, 6)}`,
    objects.flatMap(({ file, at, key, size, tag }) => [recording, file, at, key, size, tag]),
  );
}

/** What was made of a recording that lies in the bucket; false where it does not, or is gone. */
export const addObjects = write(
  'recordings.addObjects',
  async (sql, { id, objects }: { id: number; objects: readonly RecordedObject[] }) => {
    const video = await lockedPlace(sql, id);
    if (video?.storage !== 'bucket' && video?.storage !== 'leaving') return false;
    await nameObjects(sql, video.recording, objects);
    return true;
  },
);

export type Sealed = 'sealed' | 'job runs' | 'gone';

/** All of it is in the bucket: from now on it lies there, and its folder may go. */
export const sealRecording = write(
  'recordings.seal',
  async (
    sql,
    { id, objects, now }: { id: number; objects: readonly RecordedObject[]; now: number },
  ): Promise<Sealed> => {
    const video = await lockedPlace(sql, id);
    if (video?.storage !== 'spool') return 'gone';
    const running = await sql.one(
      "SELECT 1 FROM jobs WHERE video_id = $1 AND state = 'running' AND lease_until > $2",
      [id, now],
    );
    if (running) return 'job runs';
    await nameObjects(sql, video.recording, objects);
    await sql.run("UPDATE videos SET storage = 'bucket', recording_node = $2 WHERE id = $1", [
      id,
      anyNode,
    ]);
    await moveJobs(sql, { video_id: id, node: anyNode });
    return 'sealed';
  },
);

/** All of it lies on the node's disk again. False where it has gone, or was fetched by another. */
export const landRecording = write(
  'recordings.land',
  async (sql, { id, node }: { id: number; node: string }): Promise<boolean> => {
    const video = await lockedPlace(sql, id);
    if (video?.storage !== 'leaving') return false;
    await sql.run("UPDATE videos SET storage = 'disk', recording_node = $2 WHERE id = $1", [
      id,
      node,
    ]);
    await moveJobs(sql, { video_id: id, node });
    await sql.run('DELETE FROM recorded_objects WHERE recording = $1', [video.recording]);
    return true;
  },
);

async function lockedPlace(sql: Sql, id: number): Promise<RecordingPlace | undefined> {
  return await sql.one<RecordingPlace>(
    `SELECT recording, storage FROM videos WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
    [id],
  );
}

export interface MovingRecording extends RecordingPlace {
  id: number;
  account_id: number;
  video_size: number;
  /** Jobs of it that are still to be done, and of those the ones that run. */
  undone: number;
  running: number;
}

/** Recordings that are on their way, those of the node's disk and those that leave the bucket, the oldest first. */
export const movingRecordings = read(
  'recordings.moving',
  async (
    sql,
    { node, after, limit }: { node: string; after: number; limit: number },
  ): Promise<MovingRecording[]> =>
    await sql.all<MovingRecording>(
      `SELECT v.id, v.account_id, v.recording, v.storage, v.video_size,
         (SELECT COUNT(*) FROM jobs j WHERE j.video_id = v.id AND j.state IN ('waiting', 'running')) AS undone,
         (SELECT COUNT(*) FROM jobs j WHERE j.video_id = v.id AND j.state = 'running') AS running
       FROM videos v WHERE v.storage IN ('spool', 'leaving') AND v.recording_node IN ($1, '${anyNode}') AND v.id > $2
       ORDER BY v.id LIMIT CAST($3 AS BIGINT)`,
      [node, after, limit],
    ),
);

/** Sends the recordings of all nodes on their way, or back where they were; how many were not there yet. */
export const moveRecordings = write(
  'recordings.move',
  async (sql, { to, limit }: { to: 'bucket' | 'disk'; limit: number }): Promise<number> => {
    const [stays, goes, turns, back] =
      to === 'bucket'
        ? (['disk', 'spool', 'leaving', 'bucket'] as const)
        : (['bucket', 'leaving', 'spool', 'disk'] as const);
    if (turns === 'spool')
      for (const [table, name] of [
        ['segments', 'push'],
        ['recording_stints', 'recording'],
      ])
        await sql.run(
          `DELETE FROM ${table} WHERE ${name} IN (SELECT recording FROM videos WHERE storage = 'spool')`,
        );
    const turned = await sql.run('UPDATE videos SET storage = $2 WHERE storage = $1', [
      turns,
      back,
    ]);
    const begun = await sql.run(
      `UPDATE videos SET storage = $2 WHERE id IN (
         SELECT id FROM videos WHERE recording_node IS NOT NULL AND storage = $1 ORDER BY id LIMIT CAST($3 AS BIGINT))`,
      [stays, goes, limit],
    );
    return turned + begun;
  },
);

/** How many recordings are where. */
export const storageCounts = read('recordings.storageCounts', async (sql) => {
  const rows = await sql.all<{ storage: Storage; n: number; bytes: number }>(
    `SELECT storage, COUNT(*) AS n, CAST(COALESCE(SUM(video_size), 0) AS BIGINT) AS bytes
     FROM videos WHERE recording_node IS NOT NULL GROUP BY storage`,
  );
  return rows;
});

/** Of these names, those that a video or a push under way has. */
export const knownRecordings = read(
  'recordings.known',
  async (sql, { recordings }: { recordings: readonly string[] }): Promise<string[]> => {
    if (recordings.length === 0) return [];
    const names = placeholders(1, recordings.length);
    const rows = await sql.all<{ name: string }>(
      `SELECT recording AS name FROM videos WHERE recording IN ${names}
       UNION SELECT push AS name FROM segments WHERE push IN ${names}`,
      recordings,
    );
    return rows.map(({ name }) => name);
  },
);

/** Keys that rows name: of its files, and of segments while it is on its way. */
export const namedKeys = read(
  'recordings.namedKeys',
  async (sql, { recording }: { recording: string }): Promise<string[]> => {
    const rows = await sql.all<{ key: string }>(
      `SELECT key FROM recorded_objects WHERE recording = $1
       UNION SELECT key FROM segments WHERE push = $1`,
      [recording],
    );
    return rows.map(({ key }) => key);
  },
);
