// What the jobs of a recording do: order a file from a worker process, then write it into the video.
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import { pathIn } from '../../base/lib/plain-name.ts';
import type { Bucket } from '../../base/objects/bucket.ts';
import { BucketError } from '../../base/objects/bucket-problem.ts';
import {
  HopelessError,
  type JobKind,
  type JobRow,
  jobKinds,
  Postponed,
} from '../../library/jobs/job.ts';
import type { JobHandler } from '../../library/jobs/job-try.ts';
import { videoCopies } from '../../library/videos/video.ts';
import { fetchFiles, putFile } from './bucket-files.ts';
import { hasRoomFor } from './disk-room.ts';
import { type JobBook, type JobReason, jobRefusals } from './job-refusals.ts';
import { addObjects, type RecordedObject } from './recorded-object-store.ts';
import {
  mp4File,
  recordingFolder,
  removeFolder,
  sourceFile,
  sourceIndex,
} from './recording-folder.ts';
import type { RecordingStorage } from './recording-storage.ts';
import { addMade, findKeptRecording, type RecordedVideo } from './recording-store.ts';
import { type Answer, filesOf } from './worker/order.ts';
import { runOrder } from './worker/run-order.ts';
import type { WrittenSizes } from './written-sizes.ts';

/** Other services on the database may have added jobs. */
const pollMs = 10_000;

export interface RecordingJobsOptions {
  store: Store;
  dataDir: string;
  freeBytesMin: number;
  /** What the process of a job may hold. */
  memoryBytesMax: number;
  refusals: JobBook;
  storage: RecordingStorage;
  written: WrittenSizes;
  /** Where recordings may lie beside the disk. */
  bucket?: Bucket | undefined;
}

export function recordingJobs(options: RecordingJobsOptions) {
  const { store, dataDir, freeBytesMin, memoryBytesMax, refusals, written } = options;
  const handle: JobHandler = async ({ kind, video_id, account_id }, signal) => {
    const video = await findKeptRecording(store, video_id);
    if (!video) throw new HopelessError('The video is gone');
    // An MP4 is a copy of the source, and a variant is hardly larger; a cover is nothing beside them.
    const isHere = video.storage === 'disk' || video.storage === 'spool';
    const copies = (kind === 'cover' ? 0 : 1) + (isHere ? 0 : videoCopies);
    if (copies > 0 && !(await hasRoomFor(dataDir, copies * video.video_size + freeBytesMin)))
      throw new Postponed('the disk has too little room for it');
    const make = async (folder: string) =>
      await runOrder({ kind, folder, memoryBytesMax }, { signal });
    await written.over(video.recording);
    const answer = isHere
      ? await make(recordingFolder(dataDir, video.recording))
      : await madeOfFetched({ ...options, video, kind, signal }, make);
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

/** Of a recording in the bucket: what the job needs is fetched into a folder, and what it makes is put beside the rest. */
async function madeOfFetched(
  given: RecordingJobsOptions & { video: RecordedVideo; kind: JobKind; signal: AbortSignal },
  make: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  const { dataDir, store, storage, bucket, video, kind, signal } = given;
  const { recording } = video;
  if (!bucket) throw new Postponed('the recording lies in S3, and S3_URL is not set');
  const folder = pathIn(scratchFolder(dataDir), recording);
  await removeFolder(folder);
  try {
    const wanted = [sourceFile, sourceIndex, ...(kind === 'mp4' ? [] : [mp4File])];
    await fetchFiles(storage.of(video), { folder, files: wanted, signal });
    const answer = await make(folder);
    if (!answer.ok) return answer;
    const putting = { bucket, inTurn: <T>(work: () => Promise<T>) => work(), signal };
    const objects: RecordedObject[] = [];
    for (const file of filesOf(kind))
      objects.push(...(await putFile(putting, { recording, folder, file })));
    if (!(await store.perform(addObjects, { id: video.id, objects })))
      throw new Postponed('the recording is moved meanwhile');
    return answer;
  } catch (error) {
    if (error instanceof BucketError && error.reason !== 'missing')
      throw new Postponed(error.message);
    throw error;
  } finally {
    await removeFolder(folder);
  }
}

/** What is fetched for a job; whatever a kill has left there is removed by the next job of the same recording, or start. */
export function scratchFolder(dataDir: string): string {
  return join(dataDir, 'scratch');
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
