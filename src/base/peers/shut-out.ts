// Keeps networks from connecting for a while: the system drops what would open a connection, at no cost to us.
import type { Rate } from './allowance.ts';
import type { Door } from './door.ts';
import type { KeptOut } from './door-program.ts';
import type { RefusalBook } from './refusals.ts';

export interface ShutOutOptions {
  door: Pick<Door, 'keepOut' | 'dropped'>;
  limits: {
    /** So long; it is let in again with those who were shut out before it. */
    readonly shutOutMs: number;
    /** Then nobody is for so long. */
    readonly letInMs: number;
    /** So many networks at once. */
    readonly shutOutMax: number;
    /** How often one may connect. */
    readonly networkArrivals: Rate;
  };
  /** Of a network that connects too often one in so many comes in at first; two at least. */
  oneIn?: number;
  refusals: RefusalBook<'dropped'>;
  /** Time that only passes. */
  monotonicMs: () => number;
}

/** So that of a flood of thousands a second some dozens come in. Where that is too much, fewer by so many times. */
const oneInAtFirst = 64;
const fewerTimes = 4;
const oneInMax = 4_096;
/** So often it is looked whether a network still connects too often. */
const judgeMs = 2_000;
/** The first of these looks say nothing: there are those who waited when it began. */
const looksBeforeJudged = 2;
/** Below this share of what it may open more of it come in: who comes and goes between two looks is not seen. */
const quietShare = 0.5;

/** A program of many networks takes the system some 700 µs: it is made anew for twice as many, or after so long. */
const renewMs = 10;
/** Systems send a first packet again after so long, a little late. */
const tryAgainMs = 1_000;
const lateMs = 70;

/**
 * Bun's listener cannot do this: it takes all that wait in one go, and while it does others come, so a flood is a turn
 * without an end. The system cannot tell a rude peer from others behind its address. Whose first packet it drops sends
 * it again after a second, and then a few times more. So nobody is kept out for long, nor at once again: of two tries
 * one mostly comes in between. Where the connecting itself is too much, one in so many comes in until it is not: evenly,
 * as to take in at once all that waited is what stops the show.
 */
export class ShutOut {
  private readonly options: ShutOutOptions;
  private readonly oneIn: number;

  /** For a moment, all of them together. */
  private readonly networks = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private beganAt = Number.NEGATIVE_INFINITY;
  private openUntil = Number.NEGATIVE_INFINITY;
  /** Those that connect too often. */
  private readonly thinned = new Map<string, Thinned>();
  private judging: ReturnType<typeof setInterval> | undefined;
  private isStopped = false;
  /** How many of both the program knows, and since when. */
  private programSize = 0;
  private renewedAt = Number.NEGATIVE_INFINITY;
  /** Whom the program keeps out, and what had been dropped before it; undefined where it lets everybody in. */
  private inPlace: { names: readonly string[]; dropped: number } | undefined;
  /** While a turn has been ended. */
  private nextTurn: ReturnType<typeof setImmediate> | undefined;

  constructor(options: ShutOutOptions) {
    this.options = options;
    this.oneIn = options.oneIn ?? oneInAtFirst;
  }

  /**
   * From now on until those are let in again who were the first; one that is not in the program yet is told of again
   * when it comes again. No timer does that: while others come there is no other turn.
   */
  add(network: string): void {
    const { limits, monotonicMs } = this.options;
    if (!this.networks.has(network)) {
      if (this.size >= limits.shutOutMax || !this.mayBegin(monotonicMs())) return;
      this.timer ??= setTimeout(() => this.clear(), limits.shutOutMs);
      this.networks.add(network);
    }
    this.renewSoon();
  }

  /**
   * Few of its connections come in, whoever else is behind its address, until it connects far less often than it may:
   * as others, or once in so long where it is told.
   */
  thin(network: string, everyMs = this.options.limits.networkArrivals.everyMs): void {
    if (this.isStopped) return;
    const known = this.thinned.get(network);
    if (known) {
      known.isTooMany = true;
      known.everyMs = Math.max(known.everyMs, everyMs);
    } else {
      if (this.size >= this.options.limits.shutOutMax) return;
      const { oneIn } = this;
      const untilJudged = looksBeforeJudged;
      this.thinned.set(network, { oneIn, everyMs, came: 0, isTooMany: false, untilJudged });
      this.judging ??= setInterval(() => this.judge(), judgeMs).unref();
    }
    this.renewSoon();
  }

  /** One of its connections has come in. */
  came(network: string): void {
    const known = this.thinned.get(network);
    if (known) known.came += 1;
  }

  /** Nobody connects any more in this turn; in the next everybody may who is not shut out. */
  endTurn(): void {
    this.place('everybody', ['everybody']);
    this.nextTurn ??= setImmediate(() => {
      this.nextTurn = undefined;
      this.renew();
    });
  }

  /** Before the socket is closed. */
  stop(): void {
    this.isStopped = true;
    this.thinned.clear();
    this.stopJudging();
    clearImmediate(this.nextTurn);
    this.nextTurn = undefined;
    this.clear();
  }

  private get size(): number {
    return this.networks.size + this.thinned.size;
  }

  /** Not while those try again whom it kept out a second ago: a rude peer that waits for its own system comes with them. */
  private mayBegin(at: number): boolean {
    if (this.networks.size > 0) return true;
    const sinceMs = at - this.beganAt;
    const { shutOutMs } = this.options.limits;
    const isSecondTry =
      sinceMs > tryAgainMs - shutOutMs && sinceMs < tryAgainMs + shutOutMs + lateMs;
    if (isSecondTry || at < this.openUntil) return false;
    this.beganAt = at;
    return true;
  }

  private renewSoon(): void {
    const { size, programSize, renewedAt } = this;
    if (size === programSize) return;
    if (size >= 2 * programSize || this.options.monotonicMs() - renewedAt >= renewMs) this.renew();
  }

  /** A turn that has been ended stays so: those who wait to be taken in it go on to be told of. */
  private renew(): void {
    if (this.nextTurn) return;
    const { networks } = this;
    const few = [...this.thinned]
      .filter(([network]) => !networks.has(network))
      .map(([network, { oneIn }]) => [network, oneIn] as const);
    const names = [...networks, ...few.map(([network]) => network)];
    this.place(names.length > 0 ? { networks: [...networks], few } : undefined, names);
    this.programSize = this.size;
    this.renewedAt = this.options.monotonicMs();
  }

  /** From those who came in it is known how many tried. A flood that paused comes back to a door that is not all open. */
  private judge(): void {
    for (const [network, one] of this.thinned) {
      const mayCome = judgeMs / one.everyMs;
      const tried = one.came * one.oneIn;
      if (one.untilJudged > 0) one.untilJudged -= 1;
      else if (one.isTooMany)
        one.oneIn = Math.min(Math.max(one.oneIn * fewerTimes, this.oneIn), oneInMax);
      else if (tried > mayCome) one.oneIn = Math.max(one.oneIn, this.oneIn);
      else if (tried <= quietShare * mayCome) one.oneIn = Math.floor(one.oneIn / fewerTimes);
      if (one.oneIn <= 1) this.thinned.delete(network);
      one.came = 0;
      one.isTooMany = false;
    }
    if (this.thinned.size === 0) this.stopJudging();
    this.renew();
  }

  private stopJudging(): void {
    clearInterval(this.judging);
    this.judging = undefined;
  }

  /** The moment is over. */
  private clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.networks.size > 0)
      this.openUntil = this.options.monotonicMs() + this.options.limits.letInMs;
    this.networks.clear();
    this.renew();
  }

  /** Notes what was dropped until now under the networks that the last program kept out. */
  private place(keptOut: KeptOut | undefined, names: readonly string[]): void {
    const before = this.inPlace;
    if (!before && !keptOut) return;
    const { door } = this.options;
    door.keepOut(keptOut);
    const { dropped } = door;
    this.inPlace = keptOut && { names, dropped };
    // It counts in 32 bits.
    if (before) this.note(before.names, (dropped - before.dropped) >>> 0);
  }

  /** The system does not say how many were whose: each has the same part. */
  private note(names: readonly string[], dropped: number): void {
    for (const [at, name] of names.entries()) {
      const part = Math.floor(dropped / names.length) + (at < dropped % names.length ? 1 : 0);
      if (part > 0) this.options.refusals.note('dropped', name, part);
    }
  }
}

/** A network of whose connections few come in. */
interface Thinned {
  /** One in so many comes in. */
  oneIn: number;
  /** How often it may connect. */
  everyMs: number;
  /** Since it was judged last: how many came in, and whether that was more than it may. */
  came: number;
  isTooMany: boolean;
  /** So many looks are still to come before it is judged. */
  untilJudged: number;
}
