// Files that have come whole become videos: read by a process of its own each, of an account one that copies and one that converts at a time.
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { hasRoomFor } from '../recording/disk-room.ts';
import {
  orNothing,
  recordingFolder,
  removeFolder,
  syncPath,
} from '../recording/recording-folder.ts';
import { isKnown, videoOfRecording } from '../recording/recording-store.ts';
import type { Recordings } from '../recording/recordings.ts';
import { type ImportOrder, type InTurn, importFile } from './import-file.ts';
import { type ImportProblem, sentenceOf } from './import-problem.ts';
import type { UploadRow } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';
import { type EndedUpload, endUpload } from './upload-store.ts';

export interface UploadReadingOptions {
  dataDir: string;
  store: Store;
  freeBytesMin: number;
  /** What the process that reads may hold. */
  memoryBytesMax: number;
  recordings: Pick<Recordings, 'adopt' | 'hasDiskRoom'>;
  /** It has ended, as a video or not: its file has gone. */
  onEnded(id: string): void;
  now: () => number;
  log: Log;
}

/** A whole file, and where it lies. */
export interface WholeUpload {
  row: UploadRow;
  source: string;
}

/** One that waits for its turn or has it. */
interface Reading {
  whose: string;
  stop: AbortController;
  ended: Promise<void>;
  /** It lies among the recordings, so it is a video or becomes one. */
  isPlaced: boolean;
}

/** What has become of one: an end, or it is tried again later. */
type Outcome = Omit<EndedUpload, 'id' | 'now'> | 'later';

export class UploadReading {
  private readonly options: UploadReadingOptions;

  /** What must be converted takes hours: copies, of seconds, do not wait for it. */
  private readonly places = {
    copy: new FairPlaces({ placesMax: uploadLimits.copiedAtOnce }),
    convert: new FairPlaces({ placesMax: uploadLimits.convertedAtOnce }),
  };
  private readonly readings = new Map<string, Reading>();
  private readonly tries = new Map<string, number>();
  private isStopped = false;

  constructor(options: UploadReadingOptions) {
    this.options = options;
  }

  /** Does nothing where it is being read already. */
  add(whole: WholeUpload): void {
    const { id, account_id } = whole.row;
    if (this.isStopped || this.readings.has(id)) return;
    const reading: Reading = {
      whose: `account ${account_id}`,
      stop: new AbortController(),
      ended: Promise.resolve(),
      isPlaced: false,
    };
    this.readings.set(id, reading);
    reading.ended = this.read(whole, reading)
      .catch((error) => this.options.log.error('an upload could not be read yet', { id, error }))
      .then(() => void this.readings.delete(id));
  }

  /** Whether its recording lies among the others, or did and is in the bucket: it is a video, sooner or later. */
  async isPlaced({ recording }: UploadRow): Promise<boolean> {
    const { dataDir, store } = this.options;
    if (await isThere(recordingFolder(dataDir, recording))) return true;
    return await isKnown(store, recording);
  }

  /** Resolves when nobody reads it; false where it has become a recording meanwhile, or was one. */
  async end(id: string): Promise<boolean> {
    this.tries.delete(id);
    const reading = this.readings.get(id);
    if (!reading) return true;
    reading.stop.abort();
    for (const places of Object.values(this.places)) places.giveUp(reading);
    await reading.ended;
    return !reading.isPlaced;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.readings.keys()].map((id) => this.end(id)));
  }

  private async read(whole: WholeUpload, reading: Reading): Promise<void> {
    const { store, onEnded, now, log } = this.options;
    const { row, source } = whole;
    const { id, channel_id } = row;
    if (reading.stop.signal.aborted) return;
    const outcome = await this.made(whole, reading);
    if (outcome === 'later') return;
    this.tries.delete(id);
    await store.perform(endUpload, { id, ...outcome, now: now() });
    await rm(source, { force: true });
    onEnded(id);
    if (outcome.state === 'refused')
      log.info('an upload was refused', { channel_id, upload: id, problem: outcome.problem });
  }

  /** Every step finds what an earlier try, maybe of a service that was killed, has done of it. */
  private async made(whole: WholeUpload, reading: Reading): Promise<Outcome> {
    const { dataDir, store, recordings } = this.options;
    const { recording } = whole.row;
    const folder = recordingFolder(dataDir, recording);
    if (!(await this.isPlaced(whole.row))) {
      const failed = await this.importInto(folder, whole, reading);
      if (failed) return failed;
    }
    reading.isPlaced = true;
    const video_id =
      (await videoOfRecording(store, recording)) ?? (await recordings.adopt(recording))?.video_id;
    if (video_id === undefined) return refused({ code: 'channel_gone' });
    return { ...done, video_id };
  }

  /** Undefined where it lies there whole now. */
  private async importInto(
    folder: string,
    { row, source }: WholeUpload,
    reading: Reading,
  ): Promise<Outcome | undefined> {
    const { dataDir, freeBytesMin, memoryBytesMax, log } = this.options;
    const { id, channel_id, account_id, name, size, created_at: startsAt } = row;
    if (!(await isThere(source))) return lost;
    if (!(await hasRoomFor(dataDir, uploadLimits.readingTimes * size + freeBytesMin))) {
      log.warn('an upload waits to be read: the disk has too little room', { id, bytes: size });
      return 'later';
    }
    const making = `${source}${makingEnding}`;
    await removeFolder(making);
    const note = { channel_id, account_id, name, asked: 'upload' as const };
    const order = { source, making, note, startsAt, memoryBytesMax };
    const { answer, isFull } = await this.importWatched(order, reading);
    if (answer.ok) {
      await rename(making, folder);
      await syncPath(dirname(folder));
      return undefined;
    }
    if (reading.stop.signal.aborted) return 'later';
    const tries = (this.tries.get(id) ?? 0) + 1;
    this.tries.set(id, tries);
    const isLast = tries >= uploadLimits.triesMax;
    if (isFull) return isLast ? refused({ code: 'no_room' }) : 'later';
    return answer.isFinal || isLast ? refused(answer.problem) : 'later';
  }

  /** Ended where the disk has no room for more of it: that is the database's. */
  private async importWatched(order: ImportOrder, reading: Reading) {
    const { recordings } = this.options;
    const full = new AbortController();
    const signal = AbortSignal.any([reading.stop.signal, full.signal]);
    const inTurn: InTurn = (what, work) =>
      this.places[what].run(reading, async () => {
        const watch = setInterval(() => {
          if (!recordings.hasDiskRoom()) full.abort();
        }, uploadLimits.roomEveryMs);
        return await work().finally(() => clearInterval(watch));
      });
    const answer = await importFile(order, { signal, inTurn });
    return { answer, isFull: full.signal.aborted };
  }
}

/** Of the folder beside a file in which its recording is made. */
export const makingEnding = '.making';

/** Of one that is a video. */
export const done = { state: 'done', problem: '', reason: null, isLost: false } as const;

/** Of an upload whose file is not there. */
export const lost: Omit<EndedUpload, 'id' | 'now'> = {
  ...refused({ code: 'lost' }),
  isLost: true,
};

function refused(reason: ImportProblem) {
  const problem = sentenceOf(reason);
  return { state: 'refused', problem, reason, video_id: null, isLost: false } as const;
}

async function isThere(path: string): Promise<boolean> {
  return (await orNothing(stat(path))) !== undefined;
}
