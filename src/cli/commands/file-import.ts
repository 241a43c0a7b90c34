// A media file becomes a video by the service's own way: handed over, and read by the service or, where none runs, from here.
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { takeServiceLock } from '../../base/db/service-lock.ts';
import type { Store } from '../../base/db/sql.ts';
import { type Log, startLog } from '../../base/lib/log.ts';
import { readNodeName } from '../../base/nodes/node-name.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import type { Config } from '../../config.ts';
import { pushRefusals } from '../../stream/live/push-refusals.ts';
import { startRecordings } from '../../stream/recording/recordings.ts';
import { type HandedOrder, handOver } from '../../stream/uploads/handed-file.ts';
import type { UploadRow } from '../../stream/uploads/upload.ts';
import { findUpload } from '../../stream/uploads/upload-store.ts';
import { startUploads } from '../../stream/uploads/uploads.ts';
import { CommandError, refused } from '../parts/exit-codes.ts';
import type { Output } from '../parts/output.ts';

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
/** A service looks every two seconds, and once a minute in any case. */
const takenWithinMs = 150_000;

/** The upload as it ended, or was left. */
export async function importMediaFile(
  order: HandedOrder,
  { config, store, out, isLeft, signal }: FileImport,
): Promise<UploadRow> {
  await checkUser(config.dataDir);
  const log = startLog('error');
  const now = Date.now;
  const node = await readNodeName(config.dataDir);
  const { size: total } = await stat(order.source);
  const progress = out.progress({
    what: `copying ${basename(order.source)}`,
    unit: 'bytes',
    total,
  });
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

/** Files that an administrator makes here the service could not read. */
async function checkUser(dataDir: string): Promise<void> {
  const own = process.getuid?.();
  const { uid } = await stat(dataDir).catch(() => ({ uid: own }));
  if (uid !== own)
    throw refused(
      `${dataDir} is of the user ${uid}, who runs the service: run this as that user (sudo -u '#${uid}')`,
    );
}

interface Waiting {
  config: Config;
  store: Store;
  node: string;
  log: Log;
  signal: AbortSignal;
}

/**
 * Where no service runs the file is read from here, and none can start meanwhile. Where one runs it is waited for, also
 * when it ends: who took its place here would keep it from starting again.
 */
async function outcomeOf(row: UploadRow, waiting: Waiting): Promise<UploadRow> {
  const { dataDir } = waiting.config;
  const lock = takeServiceLock(join(dataDir, 'service.lock'));
  if (!lock) {
    const taken = await lookUntil(
      row,
      waiting,
      ({ state }, forMs) => state !== 'coming' || forMs > takenWithinMs,
    );
    if (taken.state === 'coming')
      throw new CommandError(
        'failed',
        `the service on ${dataDir} does not take the file: does it still run, and may it read the folder "handed" there? It will when it starts.`,
      );
    return await lookUntil(taken, waiting, isEnded);
  }
  try {
    return await readHere(row, waiting);
  } finally {
    lock.release();
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
      return await lookUntil(row, waiting, isEnded);
    } finally {
      await uploads.stop();
    }
  } finally {
    await recordings.stop();
  }
}

function isEnded({ state }: UploadRow): boolean {
  return state === 'done' || state === 'refused';
}

async function lookUntil(
  { id, account_id }: UploadRow,
  { store, signal }: Waiting,
  isOver: (row: UploadRow, forMs: number) => boolean,
): Promise<UploadRow> {
  const startedAt = performance.now();
  for (;;) {
    const row = await findUpload(store, id, { account_id, manager_id: 0 });
    if (isOver(row, performance.now() - startedAt)) return row;
    if (signal.aborted)
      throw new CommandError('failed', 'broken off: the service goes on with the file');
    await Bun.sleep(lookEveryMs);
  }
}
