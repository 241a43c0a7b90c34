// Which size of a live stream is loaded: how loads go comes in, a choice goes out.
import { LineSpeed } from './line-speed.ts';

/** The smallest first. */
export interface Ladder {
  /** Bits a second of each. */
  bits: readonly number[];
  /** The first is the sound alone: any of its parts can be played without the one before. */
  hasSound: boolean;
  /** What the line is taken to carry before anything was loaded. */
  lineBits: number;
}

/** A part or a whole segment that has come. */
export interface Loaded {
  nowMs: number;
  rung: number;
  /** Of the media. */
  durationMs: number;
  bytes: number;
  /** From the request to the first byte: media that is listed is there, so this is the line's way there and back. */
  waitedMs: number;
  /** From the first byte to the last. */
  tookMs: number;
}

/** One that is on its way, as far as it has come. */
export interface Loading extends Loaded {
  /** Undefined where it is not known yet. */
  totalBytes: number | undefined;
  /** How far into its segment it begins. */
  placeMs: number;
  /** What the player still has. */
  aheadMs: number;
}

/** Where one size ends, and another can begin. */
export interface Moment {
  nowMs: number;
  /** What the player still has. */
  aheadMs: number;
  /** There is more to be loaded already. */
  isListed: boolean;
}

/** Of what a line carries, pictures and sound may take: the rest is for lists, chat and hiccups. */
const shareMax = 0.85;
/** Of what it carries at this moment: a size that takes more leaves nothing for the next one. */
const shareNowMax = 0.95;
/** Less than that of a larger size, before it is tried. */
const shareToRise = 0.7;
/** Of the time that media lasts, to load it, the way there and back too. */
const costToRise = 0.85;
/** Over a longer way there and back what is small is here before the line is up to its speed, so it seems slower than it is. */
const farMs = 150;
const shareToRiseFar = 1;
/** So long on one size, before a larger one is tried. */
const holdMs = 4_000;
/** A size that the line did not carry is not tried again for so long; each failure that soon follows doubles it. */
const barMsMin = 8_000;
const barMsMax = 120_000;
/** Who has been on it for so long has not failed with it: what was is forgotten. */
const provenMs = 30_000;
/** What is missing of a size may be missing for a while, as its encoder was late; on a busy machine it often is. */
const gapMsMin = 5_000;
const gapMsMax = 20_000;

/** A load tells of the line after so long; over a long way it takes some ways there and back until it is up to its speed. */
const judgedAfterMs = 100;
const roundTripsJudged = 2.5;
/** And with so much of it there: less may be a hiccup, unless that lasts. */
const tellingBytes = 16_000;
const silentMs = 500;
const momentMs = 10;
/** To go down is to ask on a new connection, for the list of another size, and for its first piece. */
const roundTripsToChange = 3;
/** To stand still for so short is better than to see less; and less sooner than that is not worth it. */
const standMs = 300;
/** Pieces that begin a segment have its key frame. */
const keyFrameTimes = 2.5;

interface Bar {
  untilMs: number;
  forMs: number;
  /** Nothing is wrong with the line. */
  isGap: boolean;
}

export class RungChooser {
  private readonly ladder: Omit<Ladder, 'bits'>;
  /** Of each size: as it was listed, then as it comes. */
  private readonly bits: number[];
  private readonly line = new LineSpeed();

  private chosen: number;
  private changedAt = Number.NEGATIVE_INFINITY;
  /** Something of it has come. */
  private hasCome = false;
  /** The sound alone is played until the next segment; this is loaded from there. */
  private bridgedTo: number | undefined;
  /** It has a gap; nothing of a smaller one has come yet. */
  private fledFrom: number | undefined;
  private isPassedOver = false;
  /** How long what comes at once lasts: a part, or a segment. */
  private pieceMs = 0;
  private readonly bars = new Map<number, Bar>();

  constructor({ bits, ...ladder }: Ladder) {
    this.ladder = ladder;
    this.bits = [...bits];
    this.chosen = this.largestBelow(bits.length, ladder.lineBits);
  }

  /** What is to be loaded. */
  get rung(): number {
    return this.chosen;
  }

  /** A viewer has chosen it, and has now left the choice to the line. */
  goOnFrom(rung: number): void {
    this.chosen = rung;
    this.bridgedTo = undefined;
  }

  loaded({ rung, durationMs, ...carried }: Loaded): void {
    if (rung === this.chosen) this.come();
    this.line.add(carried);
    const { [rung]: listed = 0 } = this.bits;
    const came = (carried.bytes * 8_000) / Math.max(1, durationMs);
    this.bits[rung] = listed + (came - listed) * Math.min(1, durationMs / knownMs);
    this.pieceMs = Math.max(durationMs, this.pieceMs * forgetting);
  }

  /** A segment has come to its end, where another size can begin. */
  next(moment: Moment): void {
    const { bridgedTo, chosen } = this;
    if (bridgedTo !== undefined && !this.hasCome) return;
    this.bridgedTo = undefined;
    const bitsMax = Math.min(this.lineBits * shareMax, this.lineBitsNow * shareNowMax);
    const carried = this.largestBelow((bridgedTo ?? chosen) + 1, bitsMax);
    const larger = this.larger(moment.nowMs);
    if (carried !== chosen) this.change(carried, moment.nowMs);
    else if (this.mayRise(larger, moment)) this.change(larger, moment.nowMs);
  }

  /** So much later than now its media would come, were a larger size loaded: the player should have that in front. */
  get reserveMs(): number {
    const { chosen, pieceMs } = this;
    const [now = 0, larger] = this.bits.slice(chosen);
    const lineBits = this.lineBits;
    if (larger === undefined || larger > lineBits * shareToRise || pieceMs < wholeMs) return 0;
    return ((larger - now) * pieceMs) / lineBits;
  }

  /** True where it is to be given up: `rung` is a smaller one then. Called many times a second. */
  loading(load: Loading): boolean {
    const { nowMs, rung, aheadMs } = load;
    // One that is larger than chosen was begun before, and its segment is gone on with.
    if (rung === 0 || rung < this.chosen) return false;
    const isTold = this.isTold(load);
    // Of a size that has just been chosen it is to be seen what the line makes of it.
    if (!isTold && rung === this.chosen && !this.hasCome) return false;
    const bits = isTold ? this.bitsOf(load) : this.lineBitsNow;
    const leftMs = this.leftMs(load, bits, isTold);
    if (leftMs <= aheadMs + (isTold ? 0 : standMs)) return false;
    const { rung: lower, by, withinMs } = this.below(load, bits);
    // One that is too large for the line is no better with its next piece.
    const isTooLarge = (this.bits[rung] ?? 0) > bits;
    if (leftMs < withinMs + (isTooLarge ? 0 : standMs)) return false;
    this.line.add(load);
    this.bar(rung, nowMs, { isGap: false });
    this.change(by, nowMs);
    this.bridgedTo = by === lower ? undefined : lower;
    return true;
  }

  /**
   * It has a gap here, or cannot be had: the next smaller one is taken. Where not even the smallest is there it is missing
   * in all of them, as where a stream has moved to another node, and is passed over.
   */
  misses(rung: number, nowMs: number): void {
    if (rung !== this.chosen || this.isPassedOver) return;
    if (rung > 0) {
      this.bar(rung, nowMs, { isGap: true });
      this.fledFrom ??= rung;
      this.change(rung - 1, nowMs);
    } else if (this.fledFrom !== undefined) {
      this.isPassedOver = true;
      this.bars.clear();
      this.change(this.fledFrom, nowMs);
    }
  }

  private come(): void {
    this.hasCome = true;
    this.fledFrom = undefined;
    this.isPassedOver = false;
  }

  private get lineBits(): number {
    return this.line.bits ?? this.ladder.lineBits;
  }

  private get lineBitsNow(): number {
    return this.line.bitsNow ?? this.ladder.lineBits;
  }

  private change(rung: number, nowMs: number): void {
    this.chosen = rung;
    this.changedAt = nowMs;
    this.hasCome = false;
  }

  /** The next one; of one that is missing, as where a machine cannot make it in time, the one beyond, as far as the source. */
  private larger(nowMs: number): number {
    let rung = this.chosen + 1;
    for (; rung + 1 < this.bits.length; rung += 1) {
      const bar = this.bars.get(rung);
      if (!bar?.isGap || nowMs >= bar.untilMs) break;
    }
    return rung;
  }

  private mayRise(to: number, { nowMs, aheadMs, isListed }: Moment): boolean {
    const bits = this.bits[to];
    if (bits === undefined || !isListed || nowMs - this.changedAt < holdMs) return false;
    if (nowMs < (this.bars.get(to)?.untilMs ?? 0)) return false;
    const { lineBitsNow: lineBits, line, pieceMs } = this;
    const cost = bits / lineBits + line.waitMs / Math.max(pieceMs, 1);
    const isFar = line.waitMs > farMs;
    if (bits > lineBits * (isFar ? shareToRiseFar : shareToRise)) return false;
    if (!isFar && cost > costToRise) return false;
    const withinMs = this.changeMs(to, { placeMs: 0, durationMs: pieceMs }, lineBits);
    return withinMs <= aheadMs + standMs;
  }

  /** The largest of the first `count` that takes no more; else the smallest. */
  private largestBelow(count: number, bitsMax: number): number {
    const { bits } = this;
    for (let rung = Math.min(count, bits.length) - 1; rung > 0; rung -= 1)
      if ((bits[rung] ?? 0) <= bitsMax) return rung;
    return 0;
  }

  /** Enough of it has come, or little for so long, that it tells how fast the line is now. */
  private isTold({ bytes, waitedMs, tookMs }: Loading): boolean {
    const roundTripMs = Math.max(this.line.waitMs, waitedMs);
    const isUpToIt = tookMs >= Math.max(judgedAfterMs, roundTripsJudged * roundTripMs);
    return isUpToIt && (bytes >= tellingBytes || tookMs >= silentMs);
  }

  /** What the line brings of it; what it brought before counts for a moment, as browsers tell of bytes only now and then. */
  private bitsOf({ bytes, tookMs }: Loading): number {
    return (bytes * 8_000 + this.lineBitsNow * momentMs) / (tookMs + momentMs);
  }

  /** Where it does not tell, a silence is taken to last as long again. */
  private leftMs(load: Loading, bits: number, isTold: boolean): number {
    const { rung, durationMs, placeMs, bytes, totalBytes, waitedMs, tookMs } = load;
    const reckoned = Math.max(bytes, this.bytesOf(rung, durationMs, placeMs));
    const leftMs = ((totalBytes ?? reckoned) - bytes) * (8_000 / bits);
    return isTold ? leftMs : leftMs + Math.abs(waitedMs + tookMs - this.line.waitMs);
  }

  private bytesOf(rung: number, durationMs: number, placeMs: number): number {
    const times = placeMs === 0 && durationMs < wholeMs ? keyFrameTimes : 1;
    return (times * (this.bits[rung] ?? 0) * durationMs) / 8_000;
  }

  /**
   * The largest smaller size that the line carries from now on, `by` which it is reached, and when there is something to
   * play. In the middle of a segment another size is loaded from the segment's beginning, which takes its time: then the
   * sound alone goes on, and the picture comes back with the next segment.
   */
  private below(load: Loading, bits: number): { rung: number; by: number; withinMs: number } {
    const { rung, placeMs, aheadMs } = load;
    const { hasSound } = this.ladder;
    const standsMax = Math.max(0, aheadMs) + standMs;
    const carried = this.largestBelow(rung, bits * shareMax);
    for (let lower = carried; lower > 0; lower -= 1) {
      const withinMs = this.changeMs(lower, load, bits);
      if (withinMs <= standsMax) return { rung: lower, by: lower, withinMs };
      if (placeMs > 0 && hasSound) break;
    }
    const withinMs = this.changeMs(0, hasSound ? { ...load, placeMs: 0 } : load, bits);
    return { rung: hasSound ? carried : 0, by: 0, withinMs };
  }

  private changeMs(
    to: number,
    { placeMs, durationMs }: Pick<Loading, 'placeMs' | 'durationMs'>,
    bits: number,
  ): number {
    const { waitMs } = this.line;
    const partsBefore = Math.ceil(placeMs / Math.max(durationMs, 1));
    const bytes = this.bytesOf(to, durationMs, 0) + this.bytesOf(to, placeMs, 1);
    return (roundTripsToChange + partsBefore) * waitMs + bytes * (8_000 / bits);
  }

  private bar(rung: number, nowMs: number, { isGap }: Pick<Bar, 'isGap'>): void {
    const isProven = nowMs - this.changedAt >= provenMs;
    const before = isProven ? 0 : (this.bars.get(rung)?.forMs ?? 0);
    const [leastMs, mostMs] = isGap ? [gapMsMin, gapMsMax] : [barMsMin, barMsMax];
    const forMs = Math.min(mostMs, Math.max(leastMs, 2 * before));
    this.bars.set(rung, { untilMs: nowMs + forMs, forMs, isGap });
  }
}

/** What came of a size in so long is what it takes. */
const knownMs = 8_000;
/** The last part of a segment may be short, and whether parts come or segments may change. */
const forgetting = 0.9;
/** No part is as long as that. */
const wholeMs = 1_000;
