// The last seconds of one live stream in memory: its playlist, and whoever waits for its next part.
import type { MediaCall, PlaylistText } from '../../base/api/media-answer.ts';
import { networkOf } from '../../base/lib/network.ts';
import { Share } from '../../base/turns/share.ts';
import { pushLimits } from '../live/push-limits.ts';
import { type HeldBytes, type PushMemory, type Relief, uncounted } from '../live/push-memory.ts';
import type { PushEnding } from '../live/stream-reader.ts';
import type { FragmentReader, HeldSegment, LentPart, Segment } from '../packaging/fragment.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { livePlaylist, type RungReport } from '../packaging/playlist.ts';
import { targetDurationMs } from '../packaging/segment-writer.ts';
import { playbackBounds, playbackLimits } from './playback-limits.ts';

export interface LiveWindowOptions {
  /** The longest part, known once the first one has come. */
  partTargetMs: () => number;
  onEnded(): void;
  /** Told of the first part. */
  onBegun?(): void;
  /** Where what it holds is counted; it shrinks when that is too much. */
  memory?: PushMemory;
  /** What players of this address have seen before it; they count on from there. */
  discontinuitiesBefore?: number;
  /** The highest number that they have seen: none of it, or below, is shown again. */
  shownBefore?: number | undefined;
  /** Players that may wait for its next part. */
  waitersMax?: number;
  /** Whether limits by network do not hold for this one. */
  isAllowed?: (network: string) => boolean;
  /** What the names of its pieces begin with, where it is a smaller size of another. */
  prefix?: string;
}

/** 'awaited' where it is to come, and nothing of it is here. */
export type FoundRung = LiveWindow | 'awaited' | undefined;

/** The other sizes of a window, for whoever asks at its address. */
export interface WindowLadder {
  /** The list of all sizes; `query`: what is asked of each playlist in it. `hasStill`: also of the sound beside a black picture. */
  playlist(query: string, listed?: { hasStill: boolean }): PlaylistText;
  /** One of them, when there is something of it, or the time is over; undefined where there is none of that name. */
  find(name: string, withinMs: number): FoundRung | Promise<FoundRung>;
  /** One that is here, whether or not it has begun. */
  window(name: string): LiveWindow | undefined;
  /** Another makes what follows of them, in the same windows. */
  stop(): void;
  close(): void;
}

/** RFC 8216 6.2.2: a playlist never shrinks below three target durations. */
const targetDurationsMin = 3;
/**
 * Segments that have left the playlist and can still be fetched by who read it before. RFC 8216 6.2.2 wants
 * them for as long again as the playlist lasts; at 2 Mbps that would be half as much memory a stream again.
 */
const graceSegments = 2;
/** A playlist ahead of ours by more than this is a mistake, or another stream's (RFC 8216bis 6.2.5.2). */
const sequencesAheadMax = 2;
/** A part, or without one the whole segment. */
export interface AskedPart {
  sequence: number;
  part: number | undefined;
}

/** The asker; to read the address costs something. */
type Viewer = Pick<MediaCall, 'address'>;

/** How often it is looked who waits for too long: one timer, where one for each would cost more than the answer. */
const lookEveryMs = 250;

interface Waiter {
  asked: AskedPart;
  until: number;
  /** Whose share it is of; undefined for the first. */
  network: string | undefined;
  resolve(): void;
}

export class LiveWindow implements FragmentReader {
  private readonly options: LiveWindowOptions;
  /** The other sizes of this one, where there are any. */
  ladder: WindowLadder | undefined;
  /** How far the others of its ladder are. */
  reports: () => readonly RungReport[] = () => [];
  private held: HeldBytes;
  private partTargetMs: () => number;
  /** As long as so few wait it is not asked whose they are. */
  private readonly unsharedMax: number;

  /** Oldest first; the first `graceSegments` may have left the playlist. */
  private readonly segments: HeldSegment[] = [];
  private listedFrom = 0;
  private listedMs = 0;
  private heldBytes = 0;
  private discontinuities: number;
  private made: PlaylistText | undefined;
  private readonly waiters = new Set<Waiter>();
  /** Those who wait no longer, and are not answered yet. */
  private due: Waiter[] = [];
  /** Of those who wait beyond the first. */
  private readonly share: Share;
  /** Runs while somebody waits. */
  private looks: ReturnType<typeof setInterval> | undefined;
  private isEnded = false;
  /** Of what it has let go of. */
  private closedAt: number | undefined;

  constructor(options: LiveWindowOptions) {
    this.options = options;
    this.discontinuities = options.discontinuitiesBefore ?? 0;
    const { waitersMax = playbackBounds.waitersMax, isAllowed } = options;
    this.unsharedMax = Math.ceil(waitersMax * playbackLimits.unsharedWaiters);
    const placesMax = waitersMax - this.unsharedMax;
    this.share = new Share({ placesMax, ...(isAllowed && { isAllowed }) });
    this.partTargetMs = options.partTargetMs;
    this.held = this.holderIn(options.memory);
  }

  /** What follows comes from elsewhere: from this node's own publisher, or from another node. */
  goOn({ partTargetMs, memory }: Pick<LiveWindowOptions, 'partTargetMs' | 'memory'>): void {
    const before = this.partTargetMs;
    // What was declared holds for what is still listed.
    this.partTargetMs = () => Math.max(before(), partTargetMs());
    this.held.set(0);
    this.held = this.holderIn(memory);
    this.held.set(this.heldBytes);
  }

  /** What is shown first of it comes behind so many breaks; of what was shown before nothing changes. */
  beginBehind(discontinuities: number): void {
    if (this.lastSequence === undefined) this.discontinuities = discontinuities;
  }

  /** With their bytes, oldest first: what the playlist lists, and how many discontinuities have left it. */
  get shown(): { segments: readonly HeldSegment[]; discontinuities: number } {
    return {
      segments: this.segments.slice(this.listedFrom),
      discontinuities: this.discontinuities,
    };
  }

  partAdded(segment: Segment, part: LentPart): void {
    const isKnown = this.last === segment;
    // Numbers rise, whoever makes them: what comes late of one that was passed has its place no more.
    if (!isKnown && segment.sequence <= (this.lastSequence ?? 0)) return;
    if (this.segments.length === 0) this.options.onBegun?.();
    if (!isKnown) {
      this.leaveGap(segment);
      this.segments.push(segment.hold());
    }
    this.listedMs += part.durationMs;
    this.heldBytes += part.bytes.length;
    this.held.set(this.heldBytes);
    this.changed();
  }

  segmentEnded(): void {
    this.dropOld();
    this.changed();
  }

  ended(how: PushEnding): void {
    // What goes on elsewhere has no end yet.
    this.isEnded = how === 'over';
    this.changed();
    this.options.onEnded();
  }

  /** Nobody can ask for it any more; what follows at this address still goes on from it. */
  close(): void {
    this.ladder?.close();
    this.closedAt = this.lastSequence;
    this.letGoOfAll();
    this.made = undefined;
  }

  /** Where the counting of what follows at this address begins: after all of ours, and a break between. */
  get discontinuitiesAfter(): number {
    return this.discontinuities + this.listed.filter((one) => one.isDiscontinuity).length + 1;
  }

  /** Where the counting of a window begins whose first segment is the newest of this one. */
  get discontinuitiesBeforeNewest(): number {
    const before = this.listed.slice(0, -1).filter((one) => one.isDiscontinuity);
    return this.discontinuities + before.length;
  }

  /** Of the newest segment; undefined before the first part. */
  get lastSequence(): number | undefined {
    return this.last?.sequence ?? this.closedAt;
  }

  /** What comes next has a higher number: players end in an error where one has another name than before. */
  get shownTo(): number {
    return Math.max(this.options.shownBefore ?? 0, this.lastSequence ?? 0);
  }

  /** How far it is shown: of its newest part; undefined before the first. */
  get newest(): { sequence: number; part: number } | undefined {
    const { last } = this;
    return last && { sequence: last.sequence, part: Math.max(0, last.parts.length - 1) };
  }

  /** What its playlist lists, oldest first; the last may still grow. */
  get listedSegments(): readonly Segment[] {
    return this.listed;
  }

  /** Nothing follows on any node. */
  get isOver(): boolean {
    return this.isEnded;
  }

  /** Before the first part, and when it is closed. */
  get isEmpty(): boolean {
    return this.segments.length === 0;
  }

  playlist(): PlaylistText {
    this.made ??= playlistText(
      livePlaylist({
        segments: this.listed,
        partTargetMs: this.partTargetMs(),
        targetDurationMs,
        discontinuitySequence: this.discontinuities,
        isEnded: this.isEnded,
        prefix: this.options.prefix,
        reports: this.reports(),
      }),
    );
    return this.made;
  }

  /**
   * Resolves when the playlist holds what is asked for, when it never will, or after `waitMs`; undefined
   * where it holds it already or there is no place to wait, 'refused' where nobody can know of such a part yet.
   */
  awaitPart(asked: AskedPart, waitMs: number, by: Viewer): Promise<void> | 'refused' | undefined {
    const { last } = this;
    if (!last || asked.sequence > last.sequence + sequencesAheadMax) return 'refused';
    if (this.isEnded || this.holds(asked)) return undefined;
    const firstCount = this.waiters.size + this.due.length - this.share.taken;
    const network = firstCount < this.unsharedMax ? undefined : networkOf(by.address);
    if (network !== undefined) {
      if (this.share.refusal(network)) return undefined;
      this.share.take(network);
    }
    const until = performance.now() + waitMs;
    this.looks ??= setInterval(
      () => this.wake(({ until }) => until <= performance.now()),
      lookEveryMs,
    );
    return new Promise((resolve) => this.waiters.add({ asked, until, network, resolve }));
  }

  /** A part beyond the last of a segment means the first of the next (RFC 8216bis 6.2.5.2). */
  holds({ sequence, part }: AskedPart): boolean {
    const { last } = this;
    if (!last || sequence !== last.sequence) return !!last && sequence < last.sequence;
    return part === undefined ? last.isComplete : part < last.parts.length;
  }

  /** Whoever waits is answered with what there is. */
  answerAll(): void {
    this.wake(() => true);
  }

  /** Resolves when there is a whole segment, or after `waitMs`. */
  async awaitSegment(waitMs: number, by: Viewer): Promise<void> {
    const sequence = this.segments.find(({ segment }) => segment.parts.length > 0)?.segment
      .sequence;
    if (sequence !== undefined) await this.awaitPart({ sequence, part: undefined }, waitMs, by);
  }

  /** The init of a number, of a segment that `isMeant`. */
  init(sequence: number, isMeant = (_: HeldSegment) => true): Uint8Array | undefined {
    const held = this.segments.find(
      (one) => one.segment.init.sequence === sequence && isMeant(one),
    );
    return held?.segment.init.bytes;
  }

  segment(sequence: number): HeldSegment | undefined {
    const first = this.segments[0];
    return first && this.segments[sequence - first.segment.sequence];
  }

  /** Numbers that another node has had for itself, or that nobody has used: they are listed as missing. */
  private leaveGap(segment: Segment): void {
    const { last } = this;
    const until = segment.sequence;
    if (!last) {
      const startsAt = segment.startsAt - gapMs;
      // Whoever has seen that number here knows what was before.
      if (isLeftOff(segment) && until - 1 > this.shownTo)
        this.addGap(gapSegment(until - 1, { startsAt, like: segment }));
      return;
    }
    // Players do not wait through so many: for them it is a stream that begins.
    if (until - last.sequence > gapsMax) {
      this.letGoOfAll();
      return;
    }
    for (let sequence = last.sequence + 1; sequence < until; sequence += 1) {
      const startsAt = last.startsAt + last.durationMs;
      this.addGap(gapSegment(sequence, { startsAt, like: last }));
    }
  }

  private addGap(gap: HeldSegment): void {
    this.segments.push(gap);
    this.listedMs += gap.segment.durationMs;
  }

  private holderIn(memory: PushMemory | undefined): HeldBytes {
    // Whose push it was before has no say in what follows.
    const relief: Relief = {
      shrink: (bytes) => {
        if (this.held === held) this.shrink(bytes);
      },
      letGo: () => {
        if (this.held === held) this.close();
      },
    };
    const held = memory?.holder(relief) ?? uncounted;
    return held;
  }

  private get last(): Segment | undefined {
    return this.segments.at(-1)?.segment;
  }

  /** Those of the playlist. */
  private get listed(): Segment[] {
    return this.segments.slice(this.listedFrom).map(({ segment }) => segment);
  }

  private changed(): void {
    this.made = undefined;
    this.wake(({ asked }) => this.isEnded || this.holds(asked));
  }

  private wake(isDue: (waiter: Waiter) => boolean): void {
    const isAnswering = this.due.length > 0;
    for (const waiter of this.waiters) {
      if (!isDue(waiter)) continue;
      this.waiters.delete(waiter);
      this.due.push(waiter);
    }
    if (!isAnswering) this.answer();
    if (this.waiters.size > 0) return;
    clearInterval(this.looks);
    this.looks = undefined;
  }

  private answer(): void {
    for (const { network, resolve } of this.due.splice(0, playbackLimits.answersPerTurn)) {
      if (network !== undefined) this.share.leave(network);
      resolve();
    }
    if (this.due.length > 0) setImmediate(() => this.answer());
  }

  private dropOld(): void {
    const wantedMs = targetDurationsMin * targetDurationMs;
    for (;;) {
      const oldest = this.segments[this.listedFrom]?.segment;
      const isLong = !!oldest && this.listedMs - oldest.durationMs >= wantedMs;
      const isMany = this.segments.length - this.listedFrom > pushLimits.windowSegments;
      if (!isLong && !isMany) break;
      this.unlist();
    }
    this.release(this.listedFrom - graceSegments);
  }

  /** Lets go of so many bytes, or of as many as players can do without: what has left the playlist first. */
  private shrink(bytes: number): void {
    const wanted = this.heldBytes - bytes;
    while (this.heldBytes > wanted) {
      if (this.listedFrom === 0) {
        const whole = this.segments.filter(({ segment }) => segment.isComplete).length;
        if (whole <= pushLimits.windowSegmentsMin) break;
        this.unlist();
        this.made = undefined;
      }
      this.release(1);
    }
  }

  /** The oldest leaves the playlist. */
  private unlist(): void {
    const oldest = this.segments[this.listedFrom]?.segment;
    if (!oldest) return;
    this.listedFrom += 1;
    this.listedMs -= oldest.durationMs;
    // The tag that leaves with the segment goes on counting (RFC 8216 4.3.3.3).
    if (oldest.isDiscontinuity) this.discontinuities += 1;
  }

  private letGoOfAll(): void {
    this.discontinuities += this.listed.filter((one) => one.isDiscontinuity).length;
    this.release(this.segments.length);
    this.listedMs = 0;
  }

  /** The oldest so many can be fetched no more. */
  private release(count: number): void {
    if (count <= 0) return;
    for (const held of this.segments.splice(0, count)) {
      this.heldBytes -= held.segment.size;
      held.release();
    }
    this.listedFrom = Math.max(0, this.listedFrom - count);
    this.held.set(this.heldBytes);
  }
}

/** As long as segments usually are: players pass over it best so (`npm run trial gap`). */
const gapMs = 2_000;
/** A minute of them: what is further away is listed no more by then. */
const gapsMax = 30;

/**
 * The first of a holder that knows nothing of what was before it. Whoever watched that has it as the end of their list: for
 * hls.js one without a whole segment is an error, after which it asks again a second later, and then after two more.
 */
function isLeftOff({ epoch, isDiscontinuity }: Segment): boolean {
  return epoch > 1 && isDiscontinuity;
}

function gapSegment(
  sequence: number,
  { startsAt, like }: { startsAt: number; like: Segment },
): HeldSegment {
  const { epoch, init, startMs } = like;
  const segment = new GrowingSegment({
    ...{ sequence, epoch, init, isDiscontinuity: false, startsAt, startMs },
  });
  segment.stretch(gapMs);
  segment.complete();
  return segment.hold();
}

/** Compressed once, when the first player asks. */
export function playlistText(text: string): PlaylistText {
  let gzip: Uint8Array<ArrayBuffer> | undefined;
  return {
    text,
    get gzip() {
      gzip ??= Bun.gzipSync(text);
      return gzip;
    },
  };
}
