// Removes recorded videos that are older than the operator wants to keep them, or whose channel is gone: at the start and every minute.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { isPlainName } from '../../base/lib/plain-name.ts';
import type { Bucket } from '../../base/objects/bucket.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { removeGuestsOf } from '../../library/deletion/video-guests.ts';
import { anyNode } from '../../library/jobs/job.ts';
import { removeObjects } from './bucket-files.ts';
import { recordingFolder, removeFolder } from './recording-folder.ts';
import {
  goneRecordings,
  goneVideos,
  isKnown,
  oldRecordings,
  type RemovedRecording,
  removeRecording,
  withdrawJobs,
} from './recording-store.ts';
import { forgetAll } from './segment-store.ts';

export interface VideoRetentionOptions {
  dataDir: string;
  /** The name of this service; recordings lie on its disk. */
  node: string;
  store: Store;
  now: () => number;
  log: Log;
  /** Videos older than this are removed; 0 keeps them for ever. */
  retentionDays: number;
  /** Where recordings may lie beside the disk. */
  bucket?: Bucket | undefined;
}

const sweepEveryMs = 60_000;
const removedAtOnce = 100;
const dayMs = 86_400_000;

export function startVideoRetention(options: VideoRetentionOptions): Rounds {
  return startRounds(sweepEveryMs, (signal) =>
    removeVideos(options, signal).catch((error) =>
      options.log.warn('old videos could not be removed', { error }),
    ),
  );
}

/** One round; what it has not come to when it is stopped the next start removes. */
export async function removeVideos(
  options: VideoRetentionOptions,
  signal?: AbortSignal,
): Promise<void> {
  // What lies in the bucket is everybody's: each node begins elsewhere, and what another has removed is passed by.
  const nodes = options.bucket ? [options.node, anyNode] : [options.node];
  for (const node of nodes) {
    await removeOld(options, node, signal);
    await removeGone(options, node, signal);
  }
}

async function removeOld(
  options: VideoRetentionOptions,
  node: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { store, now, log, retentionDays } = options;
  if (retentionDays === 0) return;
  const before = now() - retentionDays * dayMs;
  const old = await store.perform(oldRecordings, { node, before, limit: removedAtOnce });
  for (const video of inOwnOrder(options, old)) {
    if (signal?.aborted) return;
    if (await removeVideo(options, video, signal))
      log.info('a video was removed because of its age', { video_id: video.id });
  }
}

/** What a job is making is left to the next round. */
async function removeGone(
  options: VideoRetentionOptions,
  node: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { store, now, log } = options;
  const asked = { node, limit: removedAtOnce };
  const withChannels = await store.perform(goneRecordings, asked);
  const gone = [...withChannels, ...(await store.perform(goneVideos, asked))];
  for (const video of inOwnOrder(options, gone)) {
    if (signal?.aborted) return;
    if (!(await store.perform(withdrawJobs, { video_id: video.id, now: now() }))) continue;
    if (await removeVideo(options, video, signal))
      log.info('a deleted video is gone for good', { video_id: video.id });
  }
}

/** By chance, but the same for a node: nodes that work at once are seldom at the same video. */
function inOwnOrder(
  { node }: VideoRetentionOptions,
  videos: readonly RemovedRecording[],
): RemovedRecording[] {
  const places = new Map(videos.map(({ id }) => [id, Bun.hash.crc32(`${node} ${id}`)]));
  return videos.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}

/** Whether it was there until now. The files go first: a row without them is removed at the next try, files without a row would become a video again. */
async function removeVideo(
  { store, dataDir, bucket, log }: VideoRetentionOptions,
  { id, recording, storage }: RemovedRecording,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!(await isKnown(store, recording))) return false;
  // A name that is none of ours has no files of ours; it must not keep the rows behind it from being removed.
  if (isPlainName(recording)) {
    await removeFolder(recordingFolder(dataDir, recording));
    if (bucket && storage !== 'disk') await removeObjects(bucket, recording);
    await forgetAll(store, recording);
  } else log.warn('a video names no recording of ours, so no files go with it', { video_id: id });
  if (!(await removeGuestsOf(store, { id }, signal))) return false;
  return await store.perform(removeRecording, { id });
}
