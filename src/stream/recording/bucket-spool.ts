// The spool: recordings on this disk that are on their way into the bucket, those that leave it, and what waits while it is away.
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Bucket } from '../../base/objects/bucket.ts';
import { BucketError } from '../../base/objects/bucket-problem.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { isDoneWithin } from '../../base/turns/within.ts';
import { videoCopies } from '../../library/videos/video.ts';
import { MediaError } from '../formats/packet.ts';
import { fetchFiles, type InTurn, newKeyStart, putFile, removeObjects } from './bucket-files.ts';
import type { BucketRecordings } from './bucket-recordings.ts';
import { bucketSpoolLimits } from './bucket-spool-limits.ts';
import { hasRoomFor } from './disk-room.ts';
import { mendRecording } from './mend.ts';
import {
  filesInBucket,
  landRecording,
  type MovingRecording,
  movingRecordings,
  type RecordedObject,
  sealRecording,
} from './recorded-object-store.ts';
import {
  comingFolder,
  makeRecordingsFolder,
  orNothing,
  readNote,
  recordingFileNames,
  recordingFolder,
  removeFolder,
  sourceFile,
  sourceIndex,
} from './recording-folder.ts';
import { indexWithKeys, SegmentCarrier } from './segment-carrier.ts';
import { forgetAll } from './segment-store.ts';
import { endStint } from './stint-store.ts';
import { tagOf } from './stored-recording.ts';
import { takeLadderSizes } from './worker/ladder-sizes.ts';
import type { WrittenSizes } from './written-sizes.ts';

export interface BucketSpoolOptions {
  dataDir: string;
  node: string;
  store: Store;
  bucket: Bucket;
  recordings: BucketRecordings;
  freeBytesMin: number;
  /** Whether the disk has room: without it a recording goes whole, though something is still to be made of it. */
  hasDiskRoom(): boolean;
  written: WrittenSizes;
  now: () => number;
  log: Log;
  /** A stint is over and all of it named: its recording may be whole. */
  onCarried?: (() => void) | undefined;
}

/** A folder of which this node adds nothing more to its recording. */
export interface LeftStint {
  folder: string;
  account_id: number;
  /** Nothing follows it in its recording. */
  isLast: boolean;
}

/** A recording that is worked on. */
interface Work {
  whose: string;
  carrier: SegmentCarrier;
  /** It is of a push that is on, or has just ended; else it is a video's. */
  isLive: boolean;
  isAsked: boolean;
  /** What is being done for it. */
  running: Promise<void> | undefined;
}

export class BucketSpool {
  private readonly options: BucketSpoolOptions;

  private readonly places = new FairPlaces({ placesMax: bucketSpoolLimits.atOnce });
  private readonly works = new Map<string, Work>();
  private readonly underWay = new Set<Promise<void>>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly stopped = Promise.withResolvers<void>();
  private rounds: Rounds | undefined;
  /** All rest together while the bucket is away. */
  private restMs: number = bucketSpoolLimits.restMs;
  private restUntil = 0;
  private isAway = false;

  constructor(options: BucketSpoolOptions) {
    this.options = options;
    this.stopping.signal.addEventListener('abort', () => this.stopped.resolve());
  }

  async start(): Promise<void> {
    // What was being fetched when a service was killed is fetched anew.
    await removeFolder(comingFolder(this.options.dataDir));
    this.rounds = startRounds(bucketSpoolLimits.lookEveryMs, () => this.round());
  }

  /** A recording that is being written has a segment more on the disk. */
  grown({ recording, account_id }: { recording: string; account_id: number }): void {
    const work = this.workOf(recording, account_id);
    work.isLive = true;
    work.isAsked = true;
    const folder = recordingFolder(this.options.dataDir, recording);
    if (!work.running) this.begin(work, () => this.carryOn(work, folder));
  }

  /** It becomes no video: nothing of it is carried any more, and what was named of it is not any more. */
  dropped(recording: string): void {
    const work = this.works.get(recording);
    this.works.delete(recording);
    if (work) work.isAsked = false;
    this.track(
      (async () => {
        await work?.running;
        await this.tried(() => forgetAll(this.options.store, recording));
      })(),
    );
  }

  /** The rest of a stint is carried; then its folder goes. Resolves when that is done, or the next start must do it. */
  leave(left: LeftStint): Promise<void> {
    const work = this.workOf(left.folder, left.account_id);
    const before = work.running;
    work.isAsked = false;
    const leaving = (async () => {
      await before;
      // The end of its index may be mended.
      work.carrier = this.newCarrier(left.folder, work);
      while (!this.stopping.signal.aborted)
        if (await this.tried(() => this.carryRest(left, work.carrier))) break;
      this.works.delete(left.folder);
    })();
    work.running = leaving;
    this.leaving.add(leaving);
    leaving.finally(() => this.leaving.delete(leaving));
    this.track(leaving);
    return leaving;
  }

  /** Resolves when no stint is being left, or the time is over: what is carried now waits for nobody's return. */
  async settled(withinMs: number): Promise<void> {
    await isDoneWithin(Promise.all(this.leaving), withinMs);
  }

  private async carryRest({ folder: name, isLast }: LeftStint, carrier: SegmentCarrier) {
    const { store, dataDir, log, onCarried } = this.options;
    const folder = recordingFolder(dataDir, name);
    const stint = (await readNote(folder))?.stint;
    if (!stint) return;
    try {
      await mendRecording(folder);
      await carrier.carry();
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      log.error('a recording is damaged, so what is left of it is dropped', { folder, error });
    }
    if (carrier.isRefused)
      log.warn('the end of a stint came too late for its recording, so it is dropped', {
        recording: stint.recording,
        epoch: stint.epoch,
      });
    const { recording, epoch } = stint;
    await store.perform(endStint, { recording, epoch, isLast });
    await removeFolder(folder);
    onCarried?.();
  }

  /** There may be a recording that is whole. */
  wake(): void {
    if (!this.stopping.signal.aborted) this.track(this.round());
  }

  /** Segments that wait on the disk, and whether the bucket did not take the last that it was given. */
  state(): { waitingSegments: number; isAway: boolean } {
    let waitingSegments = 0;
    for (const { carrier } of this.works.values()) waitingSegments += carrier.waitingCount;
    return { waitingSegments, isAway: this.isAway };
  }

  /** What is under way is ended: the next start goes on with it. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.rounds?.stop();
    await Promise.all(this.underWay);
  }

  private workOf(recording: string, account_id: number, { isVideo = false } = {}): Work {
    const known = this.works.get(recording);
    if (known) return known;
    const whose = `account ${account_id}`;
    const carrier = this.newCarrier(recording, { whose, isVideo });
    const work = { whose, carrier, isLive: false, isAsked: false, running: undefined };
    this.works.set(recording, work);
    return work;
  }

  private newCarrier(
    recording: string,
    { whose, isVideo = false }: { whose: string; isVideo?: boolean },
  ): SegmentCarrier {
    const { store, bucket, dataDir, node } = this.options;
    const folder = recordingFolder(dataDir, recording);
    const inTurn = this.turnOf(whose);
    const { signal } = this.stopping;
    return new SegmentCarrier({ recording, folder, node, store, bucket, inTurn, signal, isVideo });
  }

  /** Of a push that is on. Fails with whatever is away, and is tried until it is there again. */
  private async carryOn(work: Work, folder: string): Promise<void> {
    while (work.isAsked && !this.stopping.signal.aborted) {
      work.isAsked = false;
      const isDone = await this.tried(() => work.carrier.carry());
      // Unless it was removed meanwhile, as one that was too short.
      if (!isDone) work.isAsked = (await orNothing(stat(folder))) !== undefined;
    }
  }

  private begin(work: Work, does: () => Promise<void>): void {
    work.running = does().finally(() => {
      work.running = undefined;
    });
    this.track(work.running);
  }

  private track(work: Promise<void>): void {
    this.underWay.add(work);
    work.finally(() => this.underWay.delete(work));
  }

  /** Looks at all that is on its way, and begins what nobody works on. */
  private async round(): Promise<void> {
    const { store, node, log } = this.options;
    const limit = bucketSpoolLimits.lookedAtOnce;
    const seen = new Set<string>();
    try {
      for (let after = 0; !this.stopping.signal.aborted; ) {
        const found = await store.perform(movingRecordings, { node, after, limit });
        for (const video of found) {
          seen.add(video.recording);
          this.move(video);
        }
        after = found.at(-1)?.id ?? after;
        if (found.length < limit) break;
        if (this.underWay.size >= limit) return;
      }
    } catch (error) {
      log.warn('it is unknown which recordings are on their way; trying again', { error });
      return;
    }
    for (const [recording, { isLive, running }] of this.works)
      if (!isLive && !running && !seen.has(recording)) this.works.delete(recording);
  }

  private move(video: MovingRecording): void {
    const { recording } = video;
    const work = this.workOf(recording, video.account_id, { isVideo: true });
    if (work.running || this.stopping.signal.aborted) return;
    // The end of its index was maybe mended.
    if (work.isLive)
      work.carrier = this.newCarrier(recording, { whose: work.whose, isVideo: true });
    work.isLive = false;
    this.begin(work, async () => {
      let isOver = false;
      await this.tried(async () => {
        isOver = await (video.storage === 'spool' ? this.finish(video, work) : this.fetch(video));
      });
      if (isOver) this.works.delete(recording);
    });
  }

  /** Of a recording that has ended: its segments, then what was made of it; then it lies in the bucket, which is answered. */
  private async finish(video: MovingRecording, { carrier, whose }: Work): Promise<boolean> {
    const { dataDir, store, bucket, written, now, log } = this.options;
    const { id, recording } = video;
    const folder = recordingFolder(dataDir, recording);
    await carrier.carry();
    // What is made of it is made here, where its source lies.
    if (video.running > 0 || (video.undone > 0 && this.options.hasDiskRoom())) return false;
    // No job makes them later, so they go along; a disk that is full may have no room for their indexes.
    await written.over(recording);
    await takeLadderSizes(folder).catch((error) =>
      log.warn('a recording goes into the bucket without its smaller sizes', { recording, error }),
    );
    const putting = { bucket, inTurn: this.turnOf(whose), signal: this.stopping.signal };
    const objects: RecordedObject[] = await this.putIndex(recording, folder);
    for (const file of recordingFileNames)
      if (file !== sourceFile && file !== sourceIndex)
        objects.push(...(await putFile(putting, { recording, folder, file })));
    const sealed = await store.perform(sealRecording, { id, objects, now: now() });
    if (sealed === 'job runs') return false;
    if (sealed === 'sealed') {
      await removeFolder(folder);
      log.info('a recording lies in the bucket', { video_id: id });
    }
    await forgetAll(store, recording);
    return true;
  }

  /** The source is the segments that its index names. */
  private async putIndex(recording: string, folder: string): Promise<RecordedObject[]> {
    const { size, mtimeMs } = await stat(join(folder, sourceFile));
    const lines = await readFile(join(folder, sourceIndex), 'latin1');
    const index = new Uint8Array(
      Buffer.from(indexWithKeys({ recording, note: await readNote(folder) }, lines), 'latin1'),
    );
    const key = `${newKeyStart(recording)}0-${sourceIndex}`;
    await this.options.bucket.put(key, index, this.stopping.signal);
    const tag = tagOf({ size, mtimeMs });
    return [
      { file: sourceIndex, at: 0, key, size: index.length, tag },
      { file: sourceFile, at: 0, key, size, tag },
    ];
  }

  /** Of a recording that leaves the bucket: all of it lies on the disk before the database says so. */
  private async fetch({ id, recording, video_size }: MovingRecording): Promise<boolean> {
    const { dataDir, node, store, bucket, recordings, freeBytesMin, log } = this.options;
    // It stays where it is while there is no room for it, and for what is made of it.
    if (!(await hasRoomFor(dataDir, videoCopies * video_size + freeBytesMin))) return false;
    await makeRecordingsFolder(dataDir);
    const folder = recordingFolder(dataDir, recording);
    const coming = comingFolder(dataDir, recording);
    await removeFolder(coming);
    const files = await filesInBucket(store, recording);
    await fetchFiles(recordings.of(recording), {
      folder: coming,
      files: files.filter((file) => recordingFileNames.includes(file)),
      signal: this.stopping.signal,
    });
    // Of one that was fetched and then not landed, as after a kill.
    await removeFolder(folder);
    await rename(coming, folder);
    if (await store.perform(landRecording, { id, node })) {
      log.info('a recording lies on the disk again', { video_id: id });
      await removeObjects(bucket, recording);
    } else await removeFolder(folder);
    return true;
  }

  private turnOf(whose: string): InTurn {
    return async <T>(work: () => Promise<T>): Promise<T> => {
      const done = await this.places.run({ whose }, async () => ({ value: await work() }));
      if (!done) throw new Error('it was given up');
      this.restMs = bucketSpoolLimits.restMs;
      this.isAway = false;
      return done.value;
    };
  }

  /** Whether it went well; after a failure it rests first, longer each time that nothing goes well. */
  private async tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (this.stopping.signal.aborted) return false;
      const isOfBucket = error instanceof BucketError;
      // Once a fault, not once a try.
      if (!isOfBucket || !this.isAway)
        this.options.log.warn('a recording waits on the disk for the bucket', { error });
      const waitMs = isOfBucket ? this.restNow() : bucketSpoolLimits.restMs;
      await isDoneWithin(this.stopped.promise, waitMs);
      return false;
    }
  }

  /** How long from now: those that fail meanwhile rest with the first. */
  private restNow(): number {
    const at = performance.now();
    this.isAway = true;
    if (at >= this.restUntil) {
      this.restUntil = at + this.restMs;
      this.restMs = Math.min(2 * this.restMs, bucketSpoolLimits.restMsMax);
    }
    return this.restUntil - at;
  }
}
