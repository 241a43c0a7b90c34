// How a push does, by what of it has come in the last minute: rates, key frames, lateness. Read when somebody asks.
import type { LentPacket } from '../formats/packet.ts';
import type { PushMeter } from './push-meter.ts';
import type { StreamReader } from './stream-reader.ts';
import type { Timeline } from './timeline.ts';

/** Null what is not known yet, or not while no connection has the push. */
export interface HealthNow {
  videoKbps: number | null;
  audioKbps: number | null;
  /** Pictures a second of the media's own time: a push that comes late has as many. */
  framesPerSecond: number | null;
  /** Between the last two key frames. */
  keyFrameMs: number | null;
  /** The longest of the last minute, that which has begun too. */
  keyFrameMsMax: number | null;
  /** How much later media comes than that of the last minute which came soonest. */
  lateMs: number | null;
  /** Times that the encoder's clock has jumped, and packets that came with an earlier time than the one before. */
  jumps: number;
  backward: number;
  /** Times that the push was cut and came back. */
  returns: number;
}

/** What is remembered, a second each. */
const secondsKept = 60;
/** Rates are of so many whole ones. */
const rateSeconds = 10;

interface PushHealthOptions {
  meter: Pick<PushMeter, 'heardAt'>;
  timeline: Pick<Timeline, 'jumps' | 'backward'>;
}

/** Follows a stream as a reader: a packet is a few additions, by the clock that its meter has looked at. */
export class PushHealth implements StreamReader {
  private readonly options: PushHealthOptions;

  /** Of the second that the last packet came in, whole since the machine began. */
  private second = 0;
  /** In which the connection's first packet came, and which is not whole. */
  private firstSecond: number | undefined;
  private readonly videoBytes = new Float64Array(secondsKept);
  private readonly audioBytes = new Float64Array(secondsKept);
  private readonly pictures = new Float64Array(secondsKept);
  /** What these pictures last. */
  private readonly pictureMs = new Float64Array(secondsKept);
  /** The longest that ended in it. */
  private readonly keyMs = new Float64Array(secondsKept);
  /** Clock less media, where that was least. */
  private readonly aheadMs = new Float64Array(secondsKept).fill(Number.POSITIVE_INFINITY);

  private latestMs = Number.NEGATIVE_INFINITY;
  private lastPictureMs: number | undefined;
  private lastKeyMs: number | undefined;
  private keyFrameMs: number | null = null;
  private seenJumps = 0;
  private returns = 0;

  constructor(options: PushHealthOptions) {
    this.options = options;
  }

  track(): void {}

  packet({ kind, dtsMs, isKey, bytes }: LentPacket): void {
    const at = this.options.meter.heardAt;
    const slot = this.slotAt(at);
    this.firstSecond ??= this.second;
    this.latestMs = Math.max(this.latestMs, dtsMs);
    // The media goes on without a gap, so what was before tells nothing of how late it is.
    if (this.seenJumps !== this.options.timeline.jumps) this.jumped();
    this.aheadMs[slot] = Math.min(this.aheadMs[slot] ?? 0, at - this.latestMs);
    if (kind === 'audio') {
      add(this.audioBytes, slot, bytes.length);
      return;
    }
    add(this.videoBytes, slot, bytes.length);
    add(this.pictures, slot, 1);
    add(this.pictureMs, slot, dtsMs - (this.lastPictureMs ?? dtsMs));
    this.lastPictureMs = dtsMs;
    if (isKey) this.keyFrame(dtsMs, slot);
  }

  resumed(): void {
    this.returns += 1;
    this.firstSecond = undefined;
    this.lastPictureMs = undefined;
    this.lastKeyMs = undefined;
    this.keyFrameMs = null;
    this.aheadMs.fill(Number.POSITIVE_INFINITY);
  }

  ended(): void {}

  /** At a time of the meter's clock. */
  now(at: number): HealthNow {
    this.slotAt(at);
    const { jumps, backward } = this.options.timeline;
    const media = this.sum(this.pictureMs);
    const count = this.sum(this.pictures);
    return {
      videoKbps: this.kbps(this.videoBytes),
      audioKbps: this.kbps(this.audioBytes),
      framesPerSecond: count && media ? (count * 1_000) / media : null,
      keyFrameMs: this.keyFrameMs,
      keyFrameMsMax: this.longestKeyMs(),
      lateMs: this.lateMs(at),
      jumps,
      backward,
      returns: this.returns,
    };
  }

  private keyFrame(dtsMs: number, slot: number): void {
    if (this.lastKeyMs !== undefined) {
      this.keyFrameMs = dtsMs - this.lastKeyMs;
      this.keyMs[slot] = Math.max(this.keyMs[slot] ?? 0, this.keyFrameMs);
    }
    this.lastKeyMs = dtsMs;
  }

  private jumped(): void {
    this.seenJumps = this.options.timeline.jumps;
    this.aheadMs.fill(Number.POSITIVE_INFINITY);
  }

  /** Forgets what lies a minute back. */
  private slotAt(at: number): number {
    const second = Math.floor(at / 1_000);
    const from = Math.max(this.second + 1, second - secondsKept + 1);
    for (let passed = from; passed <= second; passed++) this.clear(passed % secondsKept);
    this.second = Math.max(this.second, second);
    return this.second % secondsKept;
  }

  private clear(slot: number): void {
    for (const column of [this.videoBytes, this.audioBytes, this.pictures, this.pictureMs])
      column[slot] = 0;
    this.keyMs[slot] = 0;
    this.aheadMs[slot] = Number.POSITIVE_INFINITY;
  }

  /** Of the last whole seconds; null before there is one. */
  private sum(column: Float64Array): number | null {
    const from = this.rateFrom;
    if (from === undefined) return null;
    let sum = 0;
    for (let second = from; second < this.second; second++)
      sum += column[second % secondsKept] ?? 0;
    return sum;
  }

  private kbps(column: Float64Array): number | null {
    const bytes = this.sum(column);
    return bytes === null ? null : (bytes * 8) / 1_000 / (this.second - (this.rateFrom ?? 0));
  }

  private get rateFrom(): number | undefined {
    if (this.firstSecond === undefined) return undefined;
    const from = Math.max(this.firstSecond + 1, this.second - rateSeconds);
    return from < this.second ? from : undefined;
  }

  private longestKeyMs(): number | null {
    if (this.lastKeyMs === undefined && this.keyFrameMs === null) return null;
    const openMs = (this.lastPictureMs ?? 0) - (this.lastKeyMs ?? this.lastPictureMs ?? 0);
    return Math.max(openMs, ...this.keyMs);
  }

  private lateMs(at: number): number | null {
    const leastMs = Math.min(...this.aheadMs);
    if (this.firstSecond === undefined || leastMs === Number.POSITIVE_INFINITY) return null;
    return Math.max(0, at - this.latestMs - leastMs);
  }
}

function add(column: Float64Array, slot: number, more: number): void {
  column[slot] = (column[slot] ?? 0) + more;
}
