// What the jobs of a recording do: order a file from a worker process, then write it into the video.
import { join } from 'node:path';
import type { Store } from '../db/sql.ts';
import { HopelessError, type JobKind, type JobRow, jobKinds } from '../jobs/job.ts';
import type { JobRunnerOptions } from '../jobs/job-runner.ts';
import { recordingsFolder } from './recording-folder.ts';
import { addMade, findRecording } from './recording-store.ts';
import { runOrder } from './worker/run-order.ts';

const minuteMs = 60_000;

/** The longest that a job may take, of a recording of the longest length on a slow machine. */
const deadlinesMs: Record<JobKind, number> = {
  mp4: 60 * minuteMs,
  cover: 5 * minuteMs,
  '480': 24 * 60 * minuteMs,
  '720': 24 * 60 * minuteMs,
  '1080': 24 * 60 * minuteMs,
};
/** Other services on the database may have added jobs. */
const pollMs = 10_000;

export function recordingJobs({ store, dataDir }: { store: Store; dataDir: string }) {
  const handle = async ({ kind, video_id }: JobRow, signal: AbortSignal) => {
    const video = await findRecording(store, video_id);
    if (!video) throw new HopelessError('The video is gone');
    const folder = join(recordingsFolder(dataDir), video.recording);
    const answer = await runOrder({ kind, folder }, { signal, deadlineMs: deadlinesMs[kind] });
    if (answer.ok) await store.perform(addMade, { video_id, kind, size: answer.size });
    else if (answer.missing) throw new HopelessError(answer.problem);
    else throw new Error(answer.problem);
  };
  return {
    handlers: Object.fromEntries(
      jobKinds.map((kind) => [kind, handle]),
    ) as JobRunnerOptions['handlers'],
    deadlineMs: ({ kind }: JobRow) => deadlinesMs[kind],
    pollMs,
  };
}
