// Recordings that several nodes have a stint of, when their push is over: which there are, and the video that each becomes.
import { read, write } from '../../base/db/sql.ts';
import { anyNode } from '../../library/jobs/job.ts';
import { nameObjects, type RecordedObject } from './recorded-object-store.ts';
import { addRecording, type FinishedRecording } from './recording-store.ts';
import { isOver, removeStints, type Stint } from './stint-store.ts';

export interface EndedStint extends Stint {
  /** 1 where all of it is named. */
  carried: number;
}

/** The stints of recordings to which nothing is added any more and that are no videos yet, by recording and epoch. */
export const endedStints = read(
  'stints.ended',
  async (sql, { limit }: { limit: number }): Promise<EndedStint[]> =>
    await sql.all<EndedStint>(
      `SELECT s.recording, s.epoch, s.push, s.channel_id, s.account_id, s.node, s.pushed_ms, s.show_at, s.carried
       FROM recording_stints s LEFT JOIN pushes p ON p.channel_id = s.channel_id
       WHERE (p.push IS NULL OR p.push <> s.push OR p.state = 'ended' OR EXISTS (
           SELECT 1 FROM recording_stints l WHERE l.recording = s.recording AND l.is_last = 1))
         AND NOT EXISTS (SELECT 1 FROM videos v WHERE v.recording = s.recording)
       ORDER BY s.recording, s.epoch LIMIT CAST($1 AS BIGINT)`,
      [limit],
    ),
);

export interface SharedRecording {
  stint: Stint;
  /** Of its segments when they were read: where there are more by now, it is read anew. */
  segments: number;
  /** Undefined where there is too little for a video. */
  video: Omit<FinishedRecording, 'node' | 'storage'> | undefined;
  objects: readonly RecordedObject[];
}

/** From here on the recording is a video in the bucket, or nothing of it is; `changed` where it is not as it was read. */
export const sealShared = write(
  'recordings.sealShared',
  async (sql, shared: SharedRecording): Promise<number | 'none' | 'changed'> => {
    const { stint, segments, video, objects } = shared;
    const { recording } = stint;
    if (!(await isOver(sql, stint))) return 'changed';
    const now = await sql.one<{ n: number }>('SELECT COUNT(*) AS n FROM segments WHERE push = $1', [
      recording,
    ]);
    if (now?.n !== segments) return 'changed';
    const made =
      video && (await addRecording.run(sql, { ...video, node: anyNode, storage: 'bucket' }));
    if (typeof made === 'number') await nameObjects(sql, recording, objects);
    await removeStints(sql, recording);
    await sql.run('DELETE FROM segments WHERE push = $1', [recording]);
    return typeof made === 'number' ? made : 'none';
  },
);
