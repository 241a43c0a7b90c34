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
  refusals: RefusalBook<'dropped'>;
  /** Time that only passes. */
  monotonicMs: () => number;
}

/** A program of many networks takes the system some 700 µs: it is made anew for twice as many, or after so long. */
const renewMs = 10;
/** Systems send a first packet again after so long, a little late. */
const tryAgainMs = 1_000;
const lateMs = 70;

/**
 * What Bun's listener cannot do: it takes all that wait in one go, and while it does others come, so a flood is a turn
 * without an end. The system cannot tell a rude peer from others behind its address. Whose first packet it drops sends
 * it again after a second, and then a few times more. So nobody is kept out for long, nor at once again: of two tries
 * one mostly comes in between.
 */
export class ShutOut {
  private readonly options: ShutOutOptions;

  private readonly networks = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** How many of them the program knows, and since when. */
  private programSize = 0;
  private renewedAt = Number.NEGATIVE_INFINITY;
  private beganAt = Number.NEGATIVE_INFINITY;
  private openUntil = Number.NEGATIVE_INFINITY;
  /** What each socket had dropped when it began. */
  private droppedBefore = new Map<number, number>();

  constructor(options: ShutOutOptions) {
    this.options = options;
  }

  /**
   * From now on until those are let in again who were the first; one that is not in the program yet is told of again
   * when it comes again. No timer does that: while others come there is no other turn.
   */
  add(network: string): void {
    const { limits, monotonicMs } = this.options;
    if (!this.networks.has(network)) {
      if (this.networks.size >= limits.shutOutMax || !this.mayBegin(monotonicMs())) return;
      this.begin();
      this.networks.add(network);
    }
    const { size } = this.networks;
    if (size === this.programSize) return;
    if (size >= 2 * this.programSize || monotonicMs() - this.renewedAt >= renewMs) this.renew();
  }

  /** Nobody connects any more in this turn; in the next everybody may who is not shut out. */
  endTurn(): void {
    this.begin();
    this.filter(everyOpening);
    setImmediate(() => {
      if (this.timer) this.renew();
    });
  }

  /** Before the socket is closed. */
  stop(): void {
    if (this.timer) this.clear();
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

  private begin(): void {
    if (this.timer) return;
    const { libc, descriptors } = this.options;
    this.droppedBefore = new Map(descriptors().map((fd) => [fd, libc.droppedOf(fd)]));
    this.timer = setTimeout(() => this.clear(), this.options.limits.shutOutMs);
  }

  private renew(): void {
    this.filter(openingFilter([...this.networks]));
    this.programSize = this.networks.size;
    this.renewedAt = this.options.monotonicMs();
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.filter(undefined);
    const dropped = this.dropped();
    const { size } = this.networks;
    if (size > 0) this.openUntil = this.options.monotonicMs() + this.options.limits.letInMs;
    const [who = 'everybody'] = size > 1 ? [`${size} networks`] : this.networks;
    if (dropped > 0) this.options.refusals.note('dropped', who, dropped);
    this.networks.clear();
    this.programSize = 0;
  }

  private filter(program: readonly Instruction[] | undefined): void {
    const { libc, descriptors } = this.options;
    for (const fd of descriptors()) libc.filter(fd, program);
  }

  /** Since it began. A socket may have been closed since, and another may have its number. */
  private dropped(): number {
    const { libc, descriptors } = this.options;
    return descriptors().reduce((sum, fd) => {
      const more = (libc.droppedOf(fd) - (this.droppedBefore.get(fd) ?? 0)) | 0;
      return sum + Math.max(0, more);
    }, 0);
  }
}

// Classic BPF, as linux/filter.h numbers it. A packet of TCP is read from its header on, the IP header is before it.
const loadByte = 0x30;
const loadWord = 0x20;
const loadKept = 0x60;
const keep = 0x02;
const and = 0x54;
const jump = 0x05;
const ifEqual = 0x15;
const giveBack = 0x06;
const ipHeader = 0xfff00000;
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

/** Drops the first packet of a connection where it comes from one of these networks, as `networkOf` names them. */
export function openingFilter(networks: readonly string[]): Instruction[] {
  const ofIpv6 = [
    ...[
      [loadWord, 0, 0, ipv6Source],
      [keep, 0, 0, 0],
      [loadWord, 0, 0, ipv6Source + 4],
      [keep, 0, 0, 1],
    ],
    ...networks.filter((network) => network.includes(':')).flatMap(ifIpv6),
    pass,
  ] as Instruction[];
  const ofIpv4 = networks.filter((network) => network.includes('.')).flatMap(ifIpv4);
  return [
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
}

function ifIpv4(network: string): Instruction[] {
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  return [[ifEqual, 0, 1, ((a << 24) | (b << 16) | (c << 8) | d) >>> 0], drop];
}

/** Its first 64 bits. */
function ifIpv6(network: string): Instruction[] {
  const [a = 0, b = 0, c = 0, d = 0] = network
    .split(':')
    .map((group) => Number.parseInt(group, 16) || 0);
  return [
    [loadKept, 0, 0, 0],
    [ifEqual, 0, 3, ((a << 16) | b) >>> 0],
    [loadKept, 0, 0, 1],
    [ifEqual, 0, 1, ((c << 16) | d) >>> 0],
    drop,
  ];
}
