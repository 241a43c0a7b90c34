// The ladder of one push: follows the source's parts, has a process make the same of each rung, and waits for none of it.
import { keep } from '../../base/bytes/memory.ts';
import type { Log } from '../../base/lib/log.ts';
import { initSegment } from '../formats/fmp4-init.ts';
import { videoTrackOf } from '../formats/h264.ts';
import type { AudioTrack, VideoTrack } from '../formats/packet.ts';
import { partReader } from '../formats/part-samples.ts';
import type { HeldBytes } from '../live/push-memory.ts';
import type { PushEnding } from '../live/stream-reader.ts';
import type { FragmentReader, Init, LentPart, Segment } from '../packaging/fragment.ts';
import type { LadderBudget, LadderCores } from './ladder-budget.ts';
import { ladderLimits } from './ladder-limits.ts';
import { type FromProcess, type PartPlace, writtenTrack } from './ladder-messages.ts';
import { LadderProcess, type LadderProcessOptions } from './ladder-process.ts';
import {
  codecOf,
  coresOf,
  everyNthOf,
  type PictureRung,
  type PictureRungName,
  pictureRungs,
  type RungName,
  rungOf,
  soundRungName,
  stillRungName,
} from './ladder-rungs.ts';
import { MirroredRung } from './mirrored-rung.ts';
import { SoundRung } from './sound-rung.ts';
import { stillPicture } from './still-picture.ts';

/** Of all ladders together, since the start. */
export interface LadderCounts {
  /** Processes that were started after one had ended. */
  restarts: number;
  /** Times that a ladder fell behind and was left out until a key frame. */
  behind: number;
  /** Parts of rungs that were not made. */
  missing: number;
  /** Pushes for whose ladder there was no share of the processors, when they began. */
  refused: number;
  cpuMs: number;
}

/** What players are told of a ladder before they choose. */
export interface LadderListing {
  /** The rungs that were begun, also while one of them is left out; the largest first. */
  rungs: readonly (PictureRung & { codec: string; picturesPerSecond: number })[];
  /** The source's; undefined where it has none. */
  picture: { codec: string; width: number; height: number; picturesPerSecond: number } | undefined;
  sound: { codec: string } | undefined;
}

export interface LadderOptions extends Pick<LadderProcessOptions, 'memoryBytesMax' | 'workerUrl'> {
  channel: { id: number; account_id: number };
  budget: LadderBudget;
  counts: LadderCounts;
  /** What waits for the process is the push's. */
  held: HeldBytes;
  /** Else there is the sound alone beside the source. */
  hasTranscoder: boolean;
  onOver(): void;
  /** Whoever follows a rung, from its first part on. */
  open(rung: RungName): readonly FragmentReader[];
  monotonicMs(): number;
  log: Log;
}

/** A part that the process has and is not done with. */
interface Sent extends PartPlace {
  readonly bytes: number;
  readonly durationMs: number;
}

interface OpenRung {
  /** As large as the source now wants it. */
  rung: PictureRung;
  readonly mirror: MirroredRung;
}

export class Ladder implements FragmentReader {
  private readonly options: LadderOptions;

  private cores: LadderCores | undefined;
  private process: LadderProcess | undefined;
  /** The largest first. */
  private readonly rungs = new Map<PictureRungName, OpenRung>();
  /** As it is, and beside a picture that stands. */
  private sounds: readonly SoundRung[] = [];
  private isRefused = false;
  /** No process can make it. */
  private isGivenUp = false;

  private source: { init: Init; video: VideoTrack | undefined; audio: AudioTrack | undefined } = {
    init: { sequence: 0, bytes: new Uint8Array(), tracks: [] },
    video: undefined,
    audio: undefined,
  };
  private picturesPerSecond = 0;
  /** The init that the process has. */
  private fedInit: Init | undefined;
  /** Parts go to the process, for these rungs. */
  private fed: readonly PictureRungName[] = [];
  private isFeeding = false;
  private isReady = false;
  /** It was told to leave what waits, and has not said that it has. */
  private isResting = false;
  /** The push has just begun: what comes before the process does waits for it. */
  private isBeginning = true;
  private sent: Sent[] = [];
  /** Of the process that runs. */
  private cpuMs = 0;
  /** The dearest rungs are left out until then, so many of them. */
  private lessUntilMs = Number.NEGATIVE_INFINITY;
  private lessMs: number = ladderLimits.lessMsMin;
  private leftOut = 0;
  private ending: PushEnding | undefined;
  private endTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LadderOptions) {
    this.options = options;
  }

  get listing(): LadderListing {
    const { picturesPerSecond, source } = this;
    const { video, audio } = source;
    const made = picturesPerSecond / everyNthOf(picturesPerSecond);
    const rungs = this.isGivenUp ? [] : [...this.rungs.values()];
    return {
      rungs: rungs.map(({ rung }) => ({
        ...rung,
        codec: codecOf(rung.name),
        picturesPerSecond: made,
      })),
      picture: video && {
        codec: video.codec,
        width: video.width,
        height: video.height,
        picturesPerSecond,
      },
      sound: audio && { codec: audio.codec },
    };
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  partAdded(segment: Segment, part: LentPart): void {
    if (segment.init !== this.source.init) this.turnTo(segment.init);
    for (const sound of this.sounds) sound.partAdded(segment, part);
    const isStart = segment.parts.length === 1 && part.isIndependent;
    if (isStart) this.startSegment(part);
    for (const { mirror } of this.rungs.values()) mirror.expect(segment, part);
    if (this.rungs.size === 0) return;
    if (!this.source.video) this.passOn(segment, part);
    else if (this.isFeeding) this.feed(segment, part);
    else for (const { mirror } of this.rungs.values()) mirror.miss();
  }

  segmentEnded(segment: Segment): void {
    for (const sound of this.sounds) sound.segmentEnded(segment);
    for (const { mirror } of this.rungs.values()) mirror.expectEnd(segment);
  }

  ended(how: PushEnding): void {
    this.ending = how;
    for (const sound of this.sounds) sound.ended(how);
    if (!this.isFeeding) {
      this.stop();
      return;
    }
    this.process?.send({ kind: 'end' });
    this.endTimer = setTimeout(() => this.stop(), ladderLimits.endMsMax);
  }

  /** What is not made will not be. */
  stop(): void {
    clearTimeout(this.endTimer);
    this.process?.stop();
    this.process = undefined;
    this.isFeeding = false;
    this.cores?.release();
    this.cores = undefined;
    this.drop(this.sent.length);
    const { ending = 'over' } = this;
    for (const { mirror } of this.rungs.values()) mirror.end(ending);
    this.rungs.clear();
    this.options.onOver();
  }

  private turnTo(init: Init): void {
    const { tracks } = init;
    const video = tracks.find((track): track is VideoTrack => track.kind === 'video');
    const audio = tracks.find((track): track is AudioTrack => track.kind === 'audio');
    this.source = { init, video, audio };
    // Of a stream that has no picture yet the source itself is the sound alone.
    if (video && audio && this.sounds.length === 0) this.beginSounds();
    // A phone that is turned, say.
    if (video) for (const [name, open] of this.rungs) open.rung = rungOf(name, video);
    if (video || !this.isFeeding) return;
    // Sound alone comes as it is, and what is still to be made must not come behind it.
    this.leave();
    for (const { mirror } of this.rungs.values())
      mirror.decode({ bytes: init.bytes, tracks: init.tracks });
  }

  private beginSounds(): void {
    const { open } = this.options;
    const still = stillPicture();
    this.sounds = [new SoundRung(open(soundRungName)), new SoundRung(open(stillRungName), still)];
  }

  /** Here, and nowhere else, rungs begin and come back. */
  private startSegment(part: LentPart): void {
    const { video, init } = this.source;
    if (!video || this.ending) return;
    this.picturesPerSecond ||= rateOf(part, init);
    if (this.rungs.size === 0) this.begin(video);
    if (!this.process || this.isResting || !(this.isReady || this.isBeginning)) return;
    const all = [...this.rungs.keys()];
    if (this.leftOut > 0 && this.options.monotonicMs() >= this.lessUntilMs) this.leftOut = 0;
    this.fed = all.slice(Math.min(this.leftOut, all.length - 1));
    this.isFeeding = true;
  }

  private begin(video: VideoTrack): void {
    const { options } = this;
    const { channel, budget, counts, log } = options;
    if (this.isGivenUp || !options.hasTranscoder) return;
    const all = pictureRungs(video);
    if (all.length === 0) return;
    const { picturesPerSecond } = this;
    let why: 'full' | 'share' = 'full';
    // Where there is not enough for all of them the largest are left out.
    for (let from = 0; from < all.length; from += 1) {
      const rungs = all.slice(from);
      const cores = coresOf(video, { rungs, picturesPerSecond });
      const taken = budget.take(channel.account_id, cores);
      if (typeof taken !== 'string') {
        this.cores = taken;
        this.open(rungs);
        const names = rungs.map(({ name }) => name).join(', ');
        const reckoned = Number(cores.toFixed(2));
        log.info('a live ladder begins', { channel_id: channel.id, rungs: names, cores: reckoned });
        return;
      }
      why = taken;
    }
    if (this.isRefused) return;
    this.isRefused = true;
    counts.refused += 1;
    log.warn('a push has no live ladder: LADDER_CORES are taken', {
      channel_id: channel.id,
      account_id: channel.account_id,
      why: why === 'full' ? 'all are' : 'the share of its account is',
    });
  }

  private open(rungs: readonly PictureRung[]): void {
    const { open, counts, memoryBytesMax, workerUrl } = this.options;
    const onMissing = () => {
      counts.missing += 1;
    };
    for (const rung of rungs)
      this.rungs.set(rung.name, { rung, mirror: new MirroredRung(open(rung.name), onMissing) });
    this.process = new LadderProcess({
      memoryBytesMax,
      ...(workerUrl && { workerUrl }),
      onReady: () => {
        this.isReady = true;
        this.awaitAnswer();
      },
      onTold: (words, bytes) => this.told(words, bytes),
      onEnded: (how) => this.processEnded(how),
    });
  }

  private feed(segment: Segment, part: LentPart): void {
    const { process, source, picturesPerSecond, rungs, fed } = this;
    if (!process) return;
    if (this.fedInit !== source.init) {
      this.fedInit = source.init;
      process.send({
        kind: 'source',
        tracks: source.init.tracks.map(writtenTrack),
        rungs: [...rungs.values()].map(({ rung }) => rung),
        picturesPerSecond,
      });
    }
    const { sequence, parts } = segment;
    const place = { sequence, at: parts.length - 1 };
    process.send({ kind: 'part', ...place, rungs: fed }, keep(part.bytes));
    this.sent.push({ ...place, bytes: part.bytes.length, durationMs: part.durationMs });
    this.drop(0);
    for (const [name, { mirror }] of rungs) if (!fed.includes(name)) mirror.miss();
    if (this.isReady) process.await();
    if (this.isBehind) this.fallBehind();
  }

  /** Sound alone: it is every rung's. */
  private passOn(segment: Segment, part: LentPart): void {
    const { sequence, parts } = segment;
    const place = { sequence, at: parts.length - 1 };
    for (const { mirror } of this.rungs.values())
      mirror.made({ ...place, bytes: keep(part.bytes), isIndependent: part.isIndependent });
  }

  private get isBehind(): boolean {
    const { behindMsMax, beginMsMax, waitingBytesMax } = ladderLimits;
    const waitingBytes = this.sent.reduce((sum, { bytes }) => sum + bytes, 0);
    const waitingMsMax = this.isBeginning ? beginMsMax : behindMsMax;
    return waitingBytes > waitingBytesMax || this.waitingMs > waitingMsMax;
  }

  private get waitingMs(): number {
    return this.sent.reduce((sum, { durationMs }) => sum + durationMs, 0);
  }

  /** The dearest rung is what the others can do without. */
  private fallBehind(): void {
    const { counts, channel, monotonicMs, log } = this.options;
    const nowMs = monotonicMs();
    const { lessMsMin, lessMsMax } = ladderLimits;
    const wasCalm = nowMs - this.lessUntilMs > this.lessMs;
    this.lessMs = wasCalm ? lessMsMin : Math.min(lessMsMax, 2 * this.lessMs);
    this.lessUntilMs = nowMs + this.lessMs;
    this.leftOut = Math.min(this.leftOut + 1, this.rungs.size - 1);
    counts.behind += 1;
    log.warn('a live ladder fell behind: the processors are busy', {
      channel_id: channel.id,
      again_with: [...this.rungs.keys()].slice(this.leftOut).join(', '),
    });
    this.leave();
  }

  /** What waits is not made; it goes on with a segment. */
  private leave(): void {
    this.process?.send({ kind: 'rest' });
    this.isResting = true;
    this.isFeeding = false;
    this.isBeginning = false;
    this.drop(this.sent.length);
    for (const { mirror } of this.rungs.values()) mirror.miss();
  }

  private told(words: FromProcess, bytes: Uint8Array<ArrayBuffer>): void {
    const { counts } = this.options;
    if (words.kind === 'record') this.decodedBy(words.rung, bytes);
    // What was left meanwhile is taken by nobody.
    else if (words.kind === 'part' && !this.isResting)
      this.rungs.get(words.rung)?.mirror.made({ ...words, bytes });
    else if (words.kind === 'taken') {
      counts.cpuMs += words.cpuMs - this.cpuMs;
      this.cpuMs = words.cpuMs;
      this.drop(1 + this.sent.findIndex((one) => isSamePlace(one, words)));
      if (this.waitingMs <= ladderLimits.behindMsMax) this.isBeginning = false;
    } else if (words.kind === 'rested') this.isResting = false;
    else if (words.kind === 'ended') this.stop();
    this.awaitAnswer();
  }

  private decodedBy(name: PictureRungName, record: Uint8Array): void {
    const { audio } = this.source;
    const tracks = [videoTrackOf(record), ...(audio ? [audio] : [])];
    this.rungs.get(name)?.mirror.decode({ bytes: initSegment(tracks), tracks });
  }

  private awaitAnswer(): void {
    if (this.isReady && (this.sent.length > 0 || this.isResting)) this.process?.await();
  }

  private processEnded({ problem, isFinal }: { problem: string; isFinal: boolean }): void {
    const { channel, counts, log } = this.options;
    const fields = { channel_id: channel.id, problem };
    if (isFinal) log.warn('a push has no live ladder', fields);
    else log.warn('the process of a live ladder ended, another is started', fields);
    counts.restarts += isFinal ? 0 : 1;
    this.isReady = false;
    this.isResting = false;
    this.isFeeding = false;
    this.isBeginning = false;
    this.fedInit = undefined;
    this.cpuMs = 0;
    this.drop(this.sent.length);
    for (const { mirror } of this.rungs.values()) mirror.miss();
    if (this.ending) this.stop();
    else if (isFinal) this.giveUp();
  }

  private giveUp(): void {
    this.isGivenUp = true;
    this.process?.stop();
    this.process = undefined;
    this.cores?.release();
    this.cores = undefined;
  }

  /** The oldest so many are done. */
  private drop(count: number): void {
    this.sent.splice(0, count);
    this.options.held.set(this.sent.reduce((sum, { bytes }) => sum + bytes, 0));
  }
}

function isSamePlace(a: PartPlace, b: PartPlace): boolean {
  return a.sequence === b.sequence && a.at === b.at;
}

/** Pictures a second of what a part holds. */
function rateOf({ bytes, durationMs }: LentPart, { tracks }: Init): number {
  const samples = partReader(tracks)(bytes as Uint8Array).pictures?.samples ?? [];
  const shownMs = samples.reduce((sum, { duration }) => sum + duration, 0);
  return samples.length > 0 ? (samples.length * 1_000) / Math.max(shownMs, 1) : 1_000 / durationMs;
}
