// The side of the river where media rests: recordings on the disk or in the bucket, the jobs behind them, clips and uploads.
import type { Store } from './base/db/sql.ts';
import type { Log } from './base/lib/log.ts';
import type { Links } from './base/links/links.ts';
import type { Nodes } from './base/nodes/membership.ts';
import type { Peers } from './base/peers/peers.ts';
import type { RefusalBook } from './base/peers/refusals.ts';
import type { Config } from './config.ts';
import { startJobRunner } from './library/jobs/job-runner.ts';
import { bucketOptions } from './settings/bucket-settings.ts';
import { startClips } from './stream/clips/clips.ts';
import type { PushHolders } from './stream/live/push-holders.ts';
import type { PushReason } from './stream/live/push-refusals.ts';
import { openBucketSide } from './stream/recording/bucket-side.ts';
import { jobRefusals } from './stream/recording/job-refusals.ts';
import type { MadeVideo } from './stream/recording/make-video.ts';
import { namedBefore } from './stream/recording/named-source.ts';
import { NodeRecordings } from './stream/recording/node-recordings.ts';
import { removeFolder } from './stream/recording/recording-folder.ts';
import { recordingJobs, scratchFolder } from './stream/recording/recording-jobs.ts';
import { recordingStorage } from './stream/recording/recording-storage.ts';
import { hasBucketRecordings } from './stream/recording/recording-store.ts';
import { startRecordings } from './stream/recording/recordings.ts';
import { SharedRecordings } from './stream/recording/shared-recordings.ts';
import { WrittenSizes } from './stream/recording/written-sizes.ts';
import { NodeUploads } from './stream/uploads/node-uploads.ts';
import { startUploads } from './stream/uploads/uploads.ts';

const hourMs = 3_600_000;
/** A stop does not wait longer for the bucket: the next start goes on. */
const namedWithinMs = 4_000;

export interface RiverPart {
  stop(): Promise<void> | void;
}

export interface RecordingSideOptions {
  config: Config;
  nodes: Nodes;
  links: Links;
  store: Store;
  holders: PushHolders;
  peers: Pick<Peers, 'refusals'>;
  /** Why pushes are refused, one that cannot be recorded among them. */
  refusals: RefusalBook<PushReason>;
  /** The recording of a show that is over, or of a part of it. */
  videoMade(channel_id: number, video_id: number): void;
  /** Each part is in it as soon as it has started. */
  started: RiverPart[];
  now: () => number;
  log: Log;
}

export async function startRecordingSide(options: RecordingSideOptions) {
  const { config, nodes, links, store, holders, peers, refusals, started, now, log } = options;
  const { node } = nodes;
  const { dataDir, zone } = config;
  const freeBytesMin = config.freeDiskBytesMin;
  const bucketSettings = bucketOptions(config);
  const written = new WrittenSizes();
  const bucketSide =
    bucketSettings &&
    (await openBucketSide({
      options: bucketSettings,
      redirects: config.s3Redirect,
      dataDir,
      node,
      store,
      freeBytesMin,
      hasDiskRoom: () => recordings.hasDiskRoom(),
      written,
      onCarried: () => shared?.look(),
      now,
      log,
    }));
  const spool = bucketSide?.spool;
  // Where other nodes could go on with a push, its recording is all nodes' own.
  const isShared = bucketSide !== undefined && config.nodeUrl !== '';
  const bucket = bucketSide?.bucket;
  const storage = recordingStorage({
    dataDir,
    bucket: bucketSide?.recordings,
    others: links.isAlone
      ? undefined
      : { node, recordings: new NodeRecordings({ links, dataDir }) },
  });
  await removeFolder(scratchFolder(dataDir));
  if (!bucketSide && (await hasBucketRecordings(store)))
    log.warn('recordings lie in S3, and S3_URL is not set: they cannot be watched');
  const work = recordingJobs({
    store,
    dataDir,
    freeBytesMin,
    memoryBytesMax: config.jobMemoryBytes,
    refusals: peers.refusals.book('job', jobRefusals),
    storage,
    written,
    bucket,
  });
  const jobs = startJobRunner({
    ...{ store, nodeId: node, readsBucket: bucket !== undefined, now, log },
    ...work,
  });
  started.push(jobs);
  const onVideo = ({ channel_id, video_id, isOfPush }: MadeVideo) => {
    jobs.wake();
    spool?.wake();
    // Of what somebody asked for beside the show no page is told: it is not the show's recording.
    if (isOfPush) options.videoMade(channel_id, video_id);
  };
  const shared =
    bucketSide && isShared
      ? new SharedRecordings({
          ...{ dataDir, store, bucket: bucketSide.bucket, nodes, links, zone, now, log, onVideo },
          monotonicMs: () => performance.now(),
        })
      : undefined;
  if (shared) started.push(shared);
  const recordings = await startRecordings({
    dataDir,
    node,
    store,
    zone,
    now,
    log,
    maxHours: config.recordingMaxHours,
    freeBytesMin,
    accountBytesMax: config.accountDiskBytes,
    refusals,
    retentionDays: config.videoRetentionDays,
    bucket,
    ...(spool && {
      isSpool: true,
      onSegment: (of) => spool.grown(of),
      onDropped: (recording) => spool.dropped(recording),
      ...(isShared && { onStint: (left) => spool.leave(left) }),
    }),
    onVideo,
  });
  started.push(recordings);
  if (bucketSide) {
    await bucketSide.start();
    started.push(bucketSide, {
      // What other nodes go on with is all named before this one goes, if that can be done soon.
      stop: async () => {
        await recordings.handedOver();
        await bucketSide.spool.settled(namedWithinMs);
      },
    });
  }
  const beforeStint = bucketSide && namedBefore({ store, bucket: bucketSide.recordings });
  const clips = await startClips({
    ...{ dataDir, node, store, zone, freeBytesMin, storage, recordings, holders, now },
    beforeStint,
  });
  const uploadsHere = await startUploads({
    dataDir,
    node,
    store,
    freeBytesMin,
    sizeMax: config.uploadBytesMax,
    keptMs: config.uploadHours * hourMs,
    memoryBytesMax: config.jobMemoryBytes,
    recordings,
    ...(!links.isAlone && { silentMs: (other) => nodes.silentMs(other) }),
    now,
    log,
  });
  started.push(uploadsHere);
  const uploads = new NodeUploads({ here: uploadsHere, links, node, now });
  return { storage, jobs, written, spool, shared, recordings, beforeStint, clips, uploads };
}
