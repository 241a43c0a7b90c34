// What the jobs of a recording do: order a file from a worker process, then write it into the video.
import type { Store } from '../../base/db/sql.ts';
import {
  HopelessError,
  type JobKind,
  type JobRow,
  jobKinds,
  Postponed,
} from '../../library/jobs/job.ts';
import type { JobHandler } from '../../library/jobs/job-try.ts';
import { hasRoomFor } from './disk-room.ts';
import { type JobBook, type JobReason, jobRefusals } from './job-refusals.ts';
import { recordingFolder } from './recording-folder.ts';
import { addMade, findKeptRecording } from './recording-store.ts';
import { runOrder } from './worker/run-order.ts';

/** Other services on the database may have added jobs. */
const pollMs = 10_000;

export interface RecordingJobsOptions {
  store: Store;
  dataDir: string;
  freeBytesMin: number;
  /** What the process of a job may hold. */
  memoryBytesMax: number;
  refusals: JobBook;
}

export function recordingJobs(options: RecordingJobsOptions) {
  const { store, dataDir, freeBytesMin, memoryBytesMax, refusals } = options;
  const handle: JobHandler = async ({ kind, video_id, account_id }, signal) => {
    const video = await findKeptRecording(store, video_id);
    if (!video) throw new HopelessError('The video is gone');
    // An MP4 is a copy of the source, and a variant is hardly larger; a cover is nothing beside them.
    const isLarge = kind !== 'cover';
    if (isLarge && !(await hasRoomFor(dataDir, video.video_size + freeBytesMin)))
      throw new Postponed('the disk has too little room for it');
    const folder = recordingFolder(dataDir, video.recording);
    const answer = await runOrder({ kind, folder, memoryBytesMax }, { signal });
    if (answer.ok) {
      await store.perform(addMade, { video_id, kind, size: answer.size });
      return;
    }
    const { problem, final } = answer;
    if (final && final in jobRefusals) refusals.note(final as JobReason, `account ${account_id}`);
    throw final ? new HopelessError(problem) : new Error(problem);
  };
  return {
    handlers: Object.fromEntries(jobKinds.map((kind) => [kind, handle])) as Record<
      JobKind,
      JobHandler
    >,
    deadlineMs: async ({ kind, video_id }: JobRow) => {
      const video = await findKeptRecording(store, video_id);
      return deadlineMsOf(kind, video?.duration ?? 0);
    },
    pollMs,
  };
}

const minuteMs = 60_000;
/** Whatever hangs must not keep the other jobs waiting for longer than a day. */
const deadlineMsMax = 24 * 60 * minuteMs;

/** A slow machine copies a video in twice its length, and encodes one in twenty times; the shortest gets some minutes. */
function deadlineMsOf(kind: JobKind, durationSeconds: number): number {
  const durationMs = durationSeconds * 1_000;
  if (kind === 'cover') return 5 * minuteMs;
  const wantedMs =
    kind === 'mp4'
      ? Math.max(5 * minuteMs, 2 * durationMs)
      : Math.max(10 * minuteMs, 20 * durationMs);
  return Math.min(wantedMs, deadlineMsMax);
}
