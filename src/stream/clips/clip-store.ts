// Which recordings a clip may be cut from, in the database.
import { read, type Sql } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { isThere } from '../../library/videos/video-store.ts';
import type { KeptPlace } from '../recording/stored-recording.ts';

/** The video that a recording is. */
export interface CutVideo extends KeptPlace {
  id: number;
  /** What was said of who may watch it; empty where it goes by its channel. */
  access: string;
}

export interface CutRecording extends CutVideo {
  /** Where in its show's media it begins. */
  show_ms: number;
  /** To a second. */
  duration: number;
}

/** The recordings of a show that are videos, in their order, and when the show began and ended; undefined where there is no such show. */
export const recordingsOfShow = read(
  'clips.recordingsOfShow',
  ofAccount,
  async (sql, { channel_id, show }: { account_id: number; channel_id: number; show: number }) => {
    const found = await sql.one<{ begin_at: number; end_at: number | null }>(
      'SELECT begin_at, end_at FROM shows WHERE id = $1 AND channel_id = $2',
      [show, channel_id],
    );
    if (!found) return undefined;
    const recordings = await sql.all<CutRecording>(
      `SELECT v.id, v.access, v.recording, v.storage, v.recording_node, v.show_ms, v.duration FROM videos v
       WHERE v.channel_id = $1 AND v.show_at = $2 AND v.recording IS NOT NULL AND ${isThere}
       ORDER BY v.show_ms, v.id`,
      [channel_id, found.begin_at],
    );
    return { ...found, recordings };
  },
);

/** Undefined where the video of the channel is none of ours on a disk. */
export async function recordingOfVideo(
  sql: Sql,
  { id, channel_id }: { id: number; channel_id: number },
): Promise<CutVideo | undefined> {
  return await sql.one(
    `SELECT v.id, v.access, v.recording, v.storage, v.recording_node FROM videos v
     WHERE v.id = $1 AND v.channel_id = $2 AND v.recording IS NOT NULL AND ${isThere}`,
    [id, channel_id],
  );
}
