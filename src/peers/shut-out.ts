// Keeps networks from connecting for a while: the system drops what would open a connection, at no cost to us.
import type { Instruction, Libc } from '../lib/libc.ts';
import type { RefusalBook } from './refusals.ts';

export interface ShutOutOptions {
  libc: Libc;
  /** The sockets that listen now. */
  descriptors(): readonly number[];
  limits: {
    /** So long; it is let in again with those who were shut out before it. */
    readonly shutOutMs: number;
    /** Then nobody is for so long. */
    readonly letInMs: number;
    /** So many networks at once. */
    readonly shutOutMax: number;
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
/** Below this share of what it may open it is let in again: who comes and goes between two looks is not seen. */
const quietShare = 0.5;

/** A program of many networks takes the system some 700 µs: it is made anew for twice as many, or after so long. */
const renewMs = 10;
/** Systems send a first packet again after so long, a little late. */
const tryAgainMs = 1_000;
const lateMs = 70;

/**
 * What Bun's listener cannot do: it takes all that wait in one go, and while it does others come, so a flood is a turn
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
  /** Whom the program keeps out, and what each socket had dropped before it; undefined where there is none. */
  private inPlace: { names: readonly string[]; dropped: Map<number, number> } | undefined;
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

  /** Few of its connections come in, whoever else is behind its address, until it opens fewer than so many a second. */
  thin(network: string, perSecondMax: number): void {
    if (this.isStopped) return;
    const known = this.thinned.get(network);
    if (known) known.isTooMany = true;
    else {
      if (this.size >= this.options.limits.shutOutMax) return;
      const { oneIn } = this;
      const untilJudged = looksBeforeJudged;
      this.thinned.set(network, { perSecondMax, oneIn, came: 0, isTooMany: false, untilJudged });
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
    this.place(everyOpening, ['everybody']);
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
    this.place(names.length > 0 ? openingFilter([...networks], few) : undefined, names);
    this.programSize = this.size;
    this.renewedAt = this.options.monotonicMs();
  }

  /** From those who came in it is known how many tried. */
  private judge(): void {
    for (const [network, one] of this.thinned) {
      const perSecond = (one.came * one.oneIn * 1_000) / judgeMs;
      const isQuiet = perSecond <= quietShare * one.perSecondMax;
      if (one.untilJudged > 0) one.untilJudged -= 1;
      else if (one.isTooMany) one.oneIn = Math.min(one.oneIn * fewerTimes, oneInMax);
      else if (isQuiet && one.oneIn > this.oneIn) one.oneIn /= fewerTimes;
      else if (isQuiet) this.thinned.delete(network);
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

  /** What was dropped until now is noted under those whom the program before it kept out. */
  private place(program: readonly Instruction[] | undefined, names: readonly string[]): void {
    const before = this.inPlace;
    if (!before && !program) return;
    const { libc, descriptors } = this.options;
    for (const fd of descriptors())
      if (!libc.filter(fd, program)) {
        // Older systems count the one that is there and the new one together.
        libc.filter(fd, undefined);
        libc.filter(fd, program);
      }
    const dropped = this.droppedNow();
    this.inPlace = program && { names, dropped };
    if (before) this.note(before.names, droppedBetween(before.dropped, dropped));
  }

  /** The system does not say how many were whose: each has the same part. */
  private note(names: readonly string[], dropped: number): void {
    for (const [at, name] of names.entries()) {
      const part = Math.floor(dropped / names.length) + (at < dropped % names.length ? 1 : 0);
      if (part > 0) this.options.refusals.note('dropped', name, part);
    }
  }

  private droppedNow(): Map<number, number> {
    const { libc, descriptors } = this.options;
    return new Map(descriptors().map((fd) => [fd, libc.droppedOf(fd)]));
  }
}

/** A network of whose connections few come in. */
interface Thinned {
  /** What it may open. */
  perSecondMax: number;
  /** One in so many comes in. */
  oneIn: number;
  /** Since it was judged last: how many came in, and whether that was more than it may. */
  came: number;
  isTooMany: boolean;
  /** So many looks are still to come before it is judged. */
  untilJudged: number;
}

/** A socket may have been closed since, and another may have its number. */
function droppedBetween(
  before: ReadonlyMap<number, number>,
  now: ReadonlyMap<number, number>,
): number {
  let sum = 0;
  for (const [fd, count] of now) sum += Math.max(0, (count - (before.get(fd) ?? 0)) | 0);
  return sum;
}

// Classic BPF, as linux/filter.h numbers it. A packet of TCP is read from its header on, the IP header is before it.
const loadByte = 0x30;
const loadWord = 0x20;
const loadKept = 0x60;
const keep = 0x02;
const and = 0x54;
const jump = 0x05;
const ifEqual = 0x15;
const ifAtLeast = 0x35;
const giveBack = 0x06;
const ipHeader = 0xfff00000;
/** 32 bits, anew each time. */
const randomNumber = 0xfffff038;
const flagsAt = 13;
const synOfSynAck = { mask: 0x12, opens: 0x02 };
const ipv4Source = ipHeader + 12;
const ipv6Source = ipHeader + 8;
const pass: Instruction = [giveBack, 0, 0, 0xffffffff];
const drop: Instruction = [giveBack, 0, 0, 0];

/** Passes what opens no connection, and goes on with what does. */
const unlessOpening: readonly Instruction[] = [
  [loadByte, 0, 0, flagsAt],
  [and, 0, 0, synOfSynAck.mask],
  [ifEqual, 1, 0, synOfSynAck.opens],
  pass,
];

const everyOpening: readonly Instruction[] = [...unlessOpening, drop];

/** By chance, so that a peer cannot know when. */
function passOneIn(count: number): Instruction[] {
  return [
    [loadWord, 0, 0, randomNumber],
    [ifAtLeast, 0, 1, Math.floor(2 ** 32 / count)],
    drop,
    pass,
  ];
}

/**
 * Drops the first packet of a connection where it comes from one of these networks, as `networkOf` names them; of the
 * others passes one in so many. What is to be done stands at the end once for all networks, as programs have a bound.
 */
export function openingFilter(
  dropped: readonly string[],
  few: readonly (readonly [network: string, oneIn: number])[] = [],
): Instruction[] {
  const judged = [
    ...dropped.map((network) => ({ network, oneIn: Number.POSITIVE_INFINITY })),
    ...few.map(([network, oneIn]) => ({ network, oneIn })),
  ];
  const ofIpv6 = [
    [loadWord, 0, 0, ipv6Source],
    [keep, 0, 0, 0],
    [loadWord, 0, 0, ipv6Source + 4],
    [keep, 0, 0, 1],
    ...judged.filter(({ network }) => network.includes(':')).flatMap(ifIpv6),
    pass,
  ] as Step[];
  const ofIpv4 = judged.filter(({ network }) => network.includes('.')).flatMap(ifIpv4);
  const steps: Step[] = [
    ...unlessOpening,
    [loadByte, 0, 0, ipHeader],
    [and, 0, 0, 0xf0],
    [ifEqual, 0, 1, 0x40],
    [jump, 0, 0, ofIpv6.length],
    ...ofIpv6,
    [loadWord, 0, 0, ipv4Source],
    ...ofIpv4,
    pass,
  ];
  const verdicts = new Map<number, number>();
  const ends: Instruction[] = [];
  for (const { oneIn } of judged) {
    if (verdicts.has(oneIn)) continue;
    verdicts.set(oneIn, steps.length + ends.length);
    ends.push(...passOneIn(oneIn));
  }
  const resolved = steps.map(
    (step, at): Instruction =>
      'oneIn' in step ? [jump, 0, 0, (verdicts.get(step.oneIn) ?? 0) - at - 1] : step,
  );
  return [...resolved, ...ends];
}

/** An instruction, or that it goes on where one in so many is passed. */
type Step = Instruction | { oneIn: number };

interface JudgedNetwork {
  network: string;
  oneIn: number;
}

function ifIpv4({ network, oneIn }: JudgedNetwork): Step[] {
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  return [[ifEqual, 0, 1, ((a << 24) | (b << 16) | (c << 8) | d) >>> 0], { oneIn }];
}

/** Its first 64 bits. */
function ifIpv6({ network, oneIn }: JudgedNetwork): Step[] {
  const [a = 0, b = 0, c = 0, d = 0] = network
    .split(':')
    .map((group) => Number.parseInt(group, 16) || 0);
  return [
    [loadKept, 0, 0, 0],
    [ifEqual, 0, 3, ((a << 16) | b) >>> 0],
    [loadKept, 0, 0, 1],
    [ifEqual, 0, 1, ((c << 16) | d) >>> 0],
    { oneIn },
  ];
}
