// Packets with their times become parts of about 200 ms, and parts become segments.
import { GrowingBytes, type Lent } from '../../base/bytes/memory.ts';
import { type FragmentTrack, fragment, type Sample } from '../formats/fmp4.ts';
import { initSegment, timescaleOf, trackIdOf } from '../formats/fmp4-init.ts';
import { isSameTrack, type Track } from '../formats/packet.ts';
import { pushLimits } from '../live/push-limits.ts';
import { type HeldBytes, uncounted } from '../live/push-memory.ts';
import type { FragmentReader, Init } from './fragment.ts';
import { GrowingSegment } from './growing-segment.ts';
import { PartLength } from './part-length.ts';

/** A packet with its times; its bytes go beside it. */
export interface TimedSample extends Sample {
  readonly track: Track;
  /** On the timeline of the push. */
  readonly atMs: number;
  /** The same in the track's timescale. */
  readonly time: number;
  /** In the track's timescale; 0 for a picture until the next one has come, where it does not say. */
  duration: number;
}

/** EXT-X-TARGETDURATION: no segment is longer. */
export const targetDurationMs = 4_000;

/** A segment ends at the first key frame from here on: a key frame every second makes segments of two. */
export const segmentWantedMs = 1_800;

/** How long the last picture is shown at most: the one before it may have stood through a hole. */
const lastPictureMaxMs = 1_000;

/**
 * Parts lie border to border on one timeline of whole milliseconds. A border is where a picture (of
 * sound alone, a frame) begins, if that gives a part of legal length, and otherwise where the target
 * is reached. A picture goes into the first part that ends after it began and after its duration was
 * known; sound into the first that ends after it came. Where nothing came at all there is no part:
 * such a hole lies between two segments.
 */
export class SegmentWriter {
  private readonly readers: readonly FragmentReader[];
  private readonly wallTime: (atMs: number) => number;
  private readonly onSegment: ((startMs: number) => void) | undefined;
  private readonly epoch: number;
  private readonly goesOn: boolean;

  private init: Init | undefined;
  private segment: GrowingSegment | undefined;
  private nextSequence: number;
  private nextFragment = 1;
  private isDiscontinuity = false;
  /** The segment that is open, or will be, begins with a key frame. */
  private opensWithKey = false;

  private readonly pending: PendingSamples;
  private partStartMs = 0;
  /** Sound before this belongs to what was cut off. */
  private soundFromMs = 0;
  /** From one picture to the next. */
  private stepMs = 40;
  /** How far the pictures are shown that said how long they are. */
  private shownToMs = 0;
  private readonly partLength: PartLength;

  constructor(options: {
    readers: readonly FragmentReader[];
    firstSequence: number;
    wallTime: (atMs: number) => number;
    partWantedMs: number;
    /** Told of every segment that begins. */
    onSegment?: ((startMs: number) => void) | undefined;
    held?: HeldBytes | undefined;
    epoch?: number | undefined;
    /** Players have seen media of this push before. */
    goesOn?: boolean | undefined;
  }) {
    this.readers = options.readers;
    this.epoch = options.epoch ?? 0;
    this.goesOn = options.goesOn ?? false;
    this.wallTime = options.wallTime;
    this.partLength = new PartLength(options.partWantedMs);
    this.onSegment = options.onSegment;
    this.pending = new PendingSamples(options.held);
    this.nextSequence = options.firstSequence;
  }

  /** PART-TARGET; holds for the whole push from its first part on. */
  get partTargetMs(): number {
    return this.partLength.targetMs;
  }

  track(kind: Track['kind']): Track | undefined {
    return this.init?.tracks.find((track) => track.kind === kind);
  }

  hasExactly(tracks: readonly Track[]): boolean {
    return (
      tracks.length === this.init?.tracks.length &&
      tracks.every((track) => isSameTrack(track, this.track(track.kind)))
    );
  }

  /** Players decode anew from here on. */
  begin(tracks: readonly Track[], atMs: number): void {
    this.isDiscontinuity = this.goesOn || this.nextFragment > 1;
    this.init = { sequence: this.nextSequence, bytes: initSegment(tracks), tracks };
    this.partStartMs = Math.max(this.partStartMs, Math.floor(atMs));
    this.soundFromMs = atMs;
    this.opensWithKey = true;
  }

  /** The last picture is shown until here. */
  settle(atMs: number): void {
    const { lastPicture } = this.pending;
    if (!lastPicture || lastPicture.duration > 0) return;
    this.stepMs = atMs - lastPicture.atMs;
    lastPicture.duration = this.stepMs;
  }

  /** A picture (of sound alone, a frame) begins here: the part may end. */
  advance(toMs: number): void {
    const border = Math.floor(toMs);
    const isMuxed = this.init?.tracks.length === 2;
    if (!this.partLength.isFixedBy(border - this.partStartMs, isMuxed)) return;
    this.fill(border);
    if (this.partLength.isEnough(border - this.partStartMs)) this.closePart(border);
  }

  /** Sound came this far and no picture did: its parts do not wait longer. */
  advanceWithoutPicture(toMs: number): void {
    this.fill(Math.floor(toMs));
  }

  add(sample: TimedSample, bytes: Lent): void {
    if (sample.track.kind === 'audio' && sample.atMs < this.soundFromMs) return;
    if (this.pending.bytes + sample.size > pushLimits.partBytes) this.relieve();
    this.pending.add(sample, bytes);
    if (isPicture(sample) && sample.duration > 0) this.shownToMs = sample.atMs + sample.duration;
  }

  /** Whether a segment may begin with the key frame at this time. */
  isSegmentDue(atMs: number): boolean {
    const startMs = this.segment?.startMs ?? this.partStartMs;
    return !this.opensWithKey || atMs - startMs >= segmentWantedMs;
  }

  /** Ends the segment here; what comes next begins with a key frame. */
  cut(atMs: number): void {
    const border = Math.floor(atMs);
    this.fill(border);
    // Pictures that come behind the sound still need a part, if only of a millisecond.
    if (this.pending.startMs < border) this.closePart(Math.max(border, this.partStartMs + 1));
    else this.stretch(border);
    this.partStartMs = Math.max(this.partStartMs, border);
    this.endSegment();
    this.opensWithKey = true;
  }

  /** Nothing follows for now: the last picture is taken to last as long as the one before. */
  finish(): void {
    const { lastPicture } = this.pending;
    if (lastPicture) this.settle(lastPicture.atMs + Math.min(this.stepMs, lastPictureMaxMs));
    this.cut(Math.ceil(this.pending.endMs));
  }

  /** Nothing follows, ever. */
  close(): void {
    this.finish();
    this.pending.clear();
  }

  /** Makes parts of full length until less than one is left before `border`. */
  private fill(border: number): void {
    while (border - this.partStartMs > this.roomMs) {
      const end = this.partStartMs + this.roomMs;
      if (this.pending.startMs < end) this.closePart(end);
      else this.skip(Math.min(border, this.pending.startMs));
    }
  }

  /** How long the open part may become. */
  private get roomMs(): number {
    return Math.min(this.partTargetMs, targetDurationMs - (this.segment?.durationMs ?? 0));
  }

  private skip(toMs: number): void {
    this.stretch(toMs);
    this.endSegment();
    this.partStartMs = toMs;
  }

  /** A picture of the open segment is still shown, so that there is no hole: the segment lasts as long as it does. */
  private stretch(toMs: number): void {
    const stretchMs = Math.min(toMs, this.shownToMs) - this.partStartMs;
    if (stretchMs > 0) this.segment?.stretch(stretchMs);
  }

  /** More than a part may hold: it ends early, and its segment with it, so that it may be short. */
  private relieve(): void {
    this.cut(Math.max(this.partStartMs, Math.floor(this.pending.lastMs)) + 1);
    this.opensWithKey = false;
  }

  private closePart(border: number): void {
    const { pictures, sounds } = this.pending.takeBefore(border);
    // Sound of other parameters waits in vain for a key frame to begin with.
    const heard = onlyOf(sounds, ({ track }) => isSameTrack(track, this.track('audio')));
    closeGaps(heard.samples);
    const runs = [pictures, heard].filter(({ samples }) => samples.length > 0);
    if (runs.length === 0) {
      this.skip(border);
      return;
    }
    const { bytes, dataAt } = fragment({
      sequence: this.nextFragment++,
      tracks: runs.flatMap(({ samples }) => fragmentTrack(samples)),
    });
    let at = dataAt;
    for (const run of runs) {
      bytes.set(run.bytes, at);
      at += run.bytes.length;
    }
    const isTooMuch = this.segment && this.segment.size + bytes.length > pushLimits.segmentBytes;
    if (isTooMuch) this.endSegment();
    const segment = this.segment ?? this.openSegment();
    const part = {
      bytes,
      durationMs: border - this.partStartMs,
      isIndependent: pictures.samples[0]?.isKey ?? !this.track('video'),
    };
    this.partStartMs = border;
    segment.add(part);
    for (const reader of this.readers) reader.partAdded(segment, part);
    if (segment.durationMs > this.segmentMaxMs(this.partLength.fix())) this.endSegment();
  }

  /** Beyond this no further part is begun. Sound alone needs no key frame to begin anew. */
  private segmentMaxMs(usualPartMs: number): number {
    return this.track('video') ? targetDurationMs - usualPartMs : segmentWantedMs;
  }

  private openSegment(): GrowingSegment {
    if (!this.init) throw new Error('a part before its init');
    this.segment = new GrowingSegment({
      sequence: this.nextSequence++,
      epoch: this.epoch,
      init: this.init,
      isDiscontinuity: this.isDiscontinuity,
      startsAt: this.wallTime(this.partStartMs),
      startMs: this.partStartMs,
    });
    this.isDiscontinuity = false;
    this.onSegment?.(this.partStartMs);
    return this.segment;
  }

  private endSegment(): void {
    const { segment } = this;
    if (!segment) return;
    this.segment = undefined;
    this.opensWithKey = false;
    segment.complete();
    for (const reader of this.readers) reader.segmentEnded(segment);
  }
}

/** Within a part a gap is a longer frame; between parts the next one's own time tells of it. */
function closeGaps(sounds: readonly TimedSample[]): void {
  let before: TimedSample | undefined;
  for (const sound of sounds) {
    if (before) before.duration = sound.time - before.time;
    before = sound;
  }
}

function fragmentTrack(samples: readonly TimedSample[]): FragmentTrack[] {
  const [first] = samples;
  return first ? [{ trackId: trackIdOf(first.track), baseTime: first.time, samples }] : [];
}

/** Samples of one kind that follow each other, and their bytes one behind the other. */
interface Run {
  readonly samples: TimedSample[];
  readonly bytes: Lent;
}

/** Packets that wait for the end of the part they go into, in memory that is used again for every part. */
export class PendingSamples {
  private readonly held: HeldBytes;

  private readonly pictures = new PendingRun();
  private readonly sounds = new PendingRun({ firstBytes: soundBytes });

  constructor(held = uncounted) {
    this.held = held;
  }

  get bytes(): number {
    return this.pictures.bytes + this.sounds.bytes;
  }

  get lastPicture(): TimedSample | undefined {
    return this.pictures.samples.at(-1);
  }

  add(sample: TimedSample, bytes: Lent): void {
    (isPicture(sample) ? this.pictures : this.sounds).add(sample, bytes);
    this.count();
  }

  /** Nothing of it is needed any more. */
  clear(): void {
    this.pictures.clear();
    this.sounds.clear();
    this.held.set(0);
  }

  /**
   * Removes what begins before `border`; a picture stays until its duration is known. The bytes of what was removed
   * are good until the next `add`.
   */
  takeBefore(border: number): { pictures: Run; sounds: Run } {
    const pictures = this.pictures.takeBefore(border);
    const sounds = this.sounds.takeBefore(border);
    this.count();
    return { pictures, sounds };
  }

  /** Where the first that can be taken begins; infinite where there is none. */
  get startMs(): number {
    const [picture] = this.pictures.samples;
    const [sound] = this.sounds.samples;
    const pictureMs = picture && picture.duration > 0 ? picture.atMs : Infinity;
    return Math.min(pictureMs, Math.floor(sound?.atMs ?? Infinity));
  }

  /** Where the last one begins, and where it ends. */
  get lastMs(): number {
    return Math.max(0, ...this.lasts.map(({ atMs }) => atMs));
  }

  get endMs(): number {
    return Math.max(0, ...this.lasts.map((sample) => sample.atMs + durationMsOf(sample)));
  }

  private count(): void {
    const { pictures, sounds } = this;
    const packets = pictures.samples.length + sounds.samples.length;
    this.held.set(pictures.capacity + sounds.capacity + pushLimits.packetBytes * packets);
  }

  private get lasts(): TimedSample[] {
    const { pictures, sounds } = this;
    return [pictures.samples.at(-1), sounds.samples.at(-1)].filter((one) => one !== undefined);
  }
}

/** A part as long as it may be, and a sample behind it that did not fit. */
const runBytesMax = 2 * pushLimits.partBytes;
/** A part's sound is 3 to 8 KB. */
const soundBytes = 8_192;

/** Those of one kind. */
class PendingRun {
  readonly samples: TimedSample[] = [];
  private readonly memory: GrowingBytes;
  /** At the front of the memory, of those that were taken last. */
  private takenBytes = 0;

  constructor(options: { firstBytes?: number } = {}) {
    this.memory = new GrowingBytes(runBytesMax, options);
  }

  get bytes(): number {
    return this.memory.length - this.takenBytes;
  }

  get capacity(): number {
    return this.memory.capacity;
  }

  add(sample: TimedSample, bytes: Lent): void {
    if (this.takenBytes > 0) this.memory.drop(this.takenBytes);
    this.takenBytes = 0;
    if (!this.memory.append(bytes)) throw new Error('more than a part may hold');
    this.samples.push(sample);
  }

  takeBefore(border: number): Run {
    // Also where nothing was taken: memory that one burst needed goes back little by little.
    this.memory.drop(this.takenBytes);
    const { samples } = this;
    const end = samples.findIndex(({ atMs, duration }) => atMs >= border || duration === 0);
    const taken = samples.splice(0, end === -1 ? samples.length : end);
    this.takenBytes = taken.reduce((sum, { size }) => sum + size, 0);
    return { samples: taken, bytes: this.memory.bytes.subarray(0, this.takenBytes) };
  }

  clear(): void {
    this.samples.length = 0;
    this.takenBytes = 0;
    this.memory.free();
  }
}

export function isPicture({ track }: TimedSample): boolean {
  return track.kind === 'video';
}

function durationMsOf({ duration, track }: TimedSample): number {
  return (duration * 1000) / timescaleOf(track);
}

/** The run without the samples that are not wanted. */
function onlyOf(run: Run, isWanted: (sample: TimedSample) => boolean): Run {
  if (run.samples.every(isWanted)) return run;
  const samples = run.samples.filter(isWanted);
  const bytes = new Uint8Array(samples.reduce((sum, { size }) => sum + size, 0));
  let from = 0;
  let to = 0;
  for (const sample of run.samples) {
    const end = from + sample.size;
    if (isWanted(sample)) {
      bytes.set(run.bytes.subarray(from, end), to);
      to += sample.size;
    }
    from = end;
  }
  return { samples, bytes };
}
