// Makes the video of a recording that has ended, in good order or not.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { LeftStint } from './bucket-spool.ts';
import { mendRecording } from './mend.ts';
import {
  readNote,
  recordingFolder,
  removeEmptyFolder,
  removeFolder,
  sourceFile,
} from './recording-folder.ts';
import { largestPicture, type RecordedSegment } from './recording-index.ts';
import { addRecording, type FinishedRecording } from './recording-store.ts';
import { sourceVariants, variantsOf } from './variants.ts';

export interface MadeVideo {
  video_id: number;
  channel_id: number;
  /** Otherwise somebody asked for it. */
  isOfPush: boolean;
}

export interface VideoMaking {
  dataDir: string;
  /** The name of this service; recordings lie on its disk. */
  node: string;
  store: Store;
  /** Whether recordings go on into the bucket. */
  isSpool?: boolean;
  /** Nodes share the recordings of pushes: it is no video of its own. */
  onStint?: (of: LeftStint) => Promise<void>;
  /** Its folder was removed: it becomes no video. */
  onDropped?: (recording: string) => void;
  zone: Zone;
  now: () => number;
  log: Log;
}

/** A key that is tried out, or an encoder that fails at once, leaves less than this; nobody would watch it. */
export const pushMsMin = 1_000;

/** The video, if there is one now; the same however often it is asked. Throws where the database or the disk is away. */
export async function makeVideo(
  given: VideoMaking,
  recording: string,
): Promise<MadeVideo | undefined> {
  const { dataDir, node, store, zone, now, log } = given;
  const drop = async () => {
    await removeFolder(folder);
    given.onDropped?.(recording);
  };
  const folder = recordingFolder(dataDir, recording);
  const note = await readNote(folder);
  if (!note) {
    if (!(await removeEmptyFolder(folder)))
      log.warn('a recording does not say whose it is, so it stays as it is', { folder });
    return undefined;
  }
  const segments = await mendRecording(folder);
  // What becomes of a stint that is no video by itself is decided with all that others have of its recording.
  const leave = (isLast: boolean) =>
    given.onStint?.({ folder: recording, account_id: note.account_id, isLast });
  const isStint = note.stint !== undefined && given.onStint !== undefined;
  const isWhole = !isStint || note.stint?.recording === recording;
  if (!isWhole || (isStint && lengthOf(segments) < pushMsMin)) {
    leave(true);
    return undefined;
  }
  if (segments.length === 0) {
    log.warn('a recording holds nothing to keep', { recording });
    await drop();
    return undefined;
  }
  const {
    channel_id,
    account_id,
    pushed_ms = 0,
    show_at = null,
    name,
    asked = 'upload',
    guarded,
    captions,
  } = note;
  const isOfPush = name === undefined;
  const durationMs = lengthOf(segments);
  // The last seconds of a push beyond the hours, or after a full disk, belong to a push that was long enough.
  if (isOfPush && pushed_ms + durationMs < pushMsMin) {
    log.info('a push was too short to become a video', { channel_id, ms: Math.round(durationMs) });
    await drop();
    return undefined;
  }
  const order = orderOf(segments, { durationMs, zone });
  const { size } = await stat(join(folder, sourceFile));
  const made = await store.perform(addRecording, {
    ...order,
    channel_id,
    account_id,
    show_at,
    show_ms: show_at === null ? null : Math.round(pushed_ms),
    ...(!isOfPush && { name, asked, guarded, captions }),
    recording,
    video_size: size,
    node,
    storage: given.isSpool ? 'spool' : 'disk',
    now: now(),
    ...(isStint && { stint: note.stint }),
  });
  if (isStint && typeof made !== 'number') {
    leave(made !== 'taken');
    return undefined;
  }
  if (made === 'not kept' || made === 'channel gone') await drop();
  // Perhaps the database is another one than it was: what it knows nothing of is not ours to remove.
  else if (made === 'unknown channel')
    log.warn('a recording is of no channel here, so it stays as it is', { folder });
  if (typeof made !== 'number') return undefined;
  const video = { video_id: made, channel_id };
  log.info(`a ${isOfPush ? 'push' : 'clip or an upload'} has become a video`, video);
  return { ...video, isOfPush };
}

function lengthOf(segments: readonly RecordedSegment[]): number {
  return segments.reduce((sum, segment) => sum + segment.durationMs, 0);
}

/** What the segments of a recording say of its video. */
export function orderOf(
  segments: readonly RecordedSegment[],
  { durationMs, zone }: { durationMs: number; zone: Zone },
): Omit<
  FinishedRecording,
  | 'channel_id'
  | 'account_id'
  | 'show_at'
  | 'show_ms'
  | 'recording'
  | 'video_size'
  | 'node'
  | 'storage'
  | 'now'
> {
  const startsAt = segments[0]?.startsAt ?? 0;
  const last = segments.at(-1);
  const { width, height } = largestPicture(segments);
  return {
    startText: zone.dateMinute(startsAt),
    duration: Math.max(1, Math.round(durationMs / 1000)),
    width,
    height,
    start_time: startsAt,
    end_time: last ? last.startsAt + last.durationMs : startsAt,
    sameAsSource: sourceVariants(width, height),
    jobs: ['mp4', ...(height > 0 ? (['cover', ...variantsOf(width, height)] as const) : [])],
  };
}
