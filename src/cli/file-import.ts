// A media file becomes a video by the service's own way: handed over, and read by the service or, where none runs, from here.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { takeServiceLock } from '../base/db/service-lock.ts';
import type { Store } from '../base/db/sql.ts';
import { type Log, startLog } from '../base/lib/log.ts';
import { Refusals } from '../base/peers/refusals.ts';
import type { Config } from '../config.ts';
import { readNodeName } from '../stream/live/node-name.ts';
import { pushRefusals } from '../stream/live/push-refusals.ts';
import { startRecordings } from '../stream/recording/recordings.ts';
import { type HandedOrder, handOver } from '../stream/uploads/handed-file.ts';
import type { UploadRow } from '../stream/uploads/upload.ts';
import { findUpload } from '../stream/uploads/upload-store.ts';
import { startUploads } from '../stream/uploads/uploads.ts';
import { CommandError, refused } from './exit-codes.ts';
import type { Output } from './output.ts';

export interface FileImport {
  config: Config;
  store: Store;
  out: Output;
  /** The service or its next start does the rest; nobody waits here. */
  isLeft: boolean;
  signal: AbortSignal;
}

const hourMs = 3_600_000;
/** How often it is looked what has become of it. */
const lookEveryMs = 250;
/** How often it is looked whether the service still runs. */
const lockEveryMs = 5_000;
/** A service looks every two seconds, and once a minute in any case. */
const takenWithinMs = 150_000;

/** The upload as it ended, or was left. */
export async function importMediaFile(
  order: HandedOrder,
  { config, store, out, isLeft, signal }: FileImport,
): Promise<UploadRow> {
  const log = startLog('error');
  const now = Date.now;
  const node = await readNodeName(config.dataDir);
  const { size: total } = await stat(order.source);
  const progress = out.progress({ what: `copying ${order.source}`, unit: 'bytes', total });
  const row = await handOver(order, {
    ...{ node, store, now, log, signal },
    dataDir: config.dataDir,
    freeBytesMin: config.freeDiskBytesMin,
    accountBytesMax: config.accountDiskBytes,
    sizeMax: config.uploadBytesMax,
    onCame: (came) => progress.update(came),
  }).finally(() => progress.end());
  if (isLeft) return row;
  await out.remark('The file is being made a video; broken off here, the service goes on with it.');
  const ended = await outcomeOf(row, { config, store, node, log, signal });
  if (ended.state === 'refused') throw refused(ended.problem);
  return ended;
}

interface Waiting {
  config: Config;
  store: Store;
  node: string;
  log: Log;
  signal: AbortSignal;
}

/** Waits for the service; where there is none, or it ends, the file is read from here. */
async function outcomeOf(row: UploadRow, waiting: Waiting): Promise<UploadRow> {
  const { config } = waiting;
  const startedAt = Date.now();
  for (;;) {
    const lock = takeServiceLock(join(config.dataDir, 'service.lock'));
    if (lock) {
      try {
        return await readHere(row, waiting);
      } finally {
        lock.release();
      }
    }
    const ended = await lookUntil(row, waiting, Date.now() + lockEveryMs);
    if (ended.state === 'done' || ended.state === 'refused') return ended;
    if (ended.state === 'coming' && Date.now() - startedAt > takenWithinMs)
      throw new CommandError(
        'failed',
        `the service on ${config.dataDir} does not take the file: is it of this version, and may it read the folder "handed" there?`,
      );
  }
}

/** As the next start of the service would. */
async function readHere(row: UploadRow, waiting: Waiting): Promise<UploadRow> {
  const { config, store, node, log } = waiting;
  const { dataDir, zone } = config;
  const now = Date.now;
  const recordings = await startRecordings({
    ...{ dataDir, node, store, zone, now, log },
    maxHours: config.recordingMaxHours,
    freeBytesMin: config.freeDiskBytesMin,
    accountBytesMax: config.accountDiskBytes,
    refusals: new Refusals({ now, log }).book('push', pushRefusals),
    retentionDays: config.videoRetentionDays,
    onVideo: () => {},
  });
  try {
    const uploads = await startUploads({
      ...{ dataDir, node, store, recordings, now, log },
      freeBytesMin: config.freeDiskBytesMin,
      sizeMax: config.uploadBytesMax,
      keptMs: config.uploadHours * hourMs,
      memoryBytesMax: config.jobMemoryBytes,
    });
    try {
      return await lookUntil(row, waiting, Number.POSITIVE_INFINITY);
    } finally {
      await uploads.stop();
    }
  } finally {
    await recordings.stop();
  }
}

/** Until it has ended, or it is so late. */
async function lookUntil(
  { id, account_id }: UploadRow,
  { store, signal }: Waiting,
  until: number,
): Promise<UploadRow> {
  for (;;) {
    const row = await findUpload(store, id, { account_id, manager_id: 0 });
    if (row.state === 'done' || row.state === 'refused' || Date.now() >= until) return row;
    if (signal.aborted)
      throw new CommandError('failed', 'broken off: the service goes on with the file');
    await Bun.sleep(lookEveryMs);
  }
}
