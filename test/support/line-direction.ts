// One direction of a line that all connections of a viewer share: what goes in, and when it comes out. No socket, no clock.

export interface Shape {
  /** Bits a second, of all connections together; 0: nothing passes. */
  bitsPerSecond: number;
  /** Each byte is on its way for so long. */
  delayMs: number;
  /** What follows a silence of its connection is late by up to this much more, by chance. */
  jitterMs: number;
  /** And this share of it by `stallMs` more, as after a loss that TCP mends. */
  stalledShare: number;
  stallMs: number;
}

/** As fast as it goes. */
export const plainShape: Shape = {
  bitsPerSecond: Number.POSITIVE_INFINITY,
  delayMs: 0,
  jitterMs: 0,
  stalledShare: 0,
  stallMs: 0,
};

/** So much of a connection goes at once before another has its turn: a packet. */
const packetBytes = 1_448;
/** RFC 6928: what a connection may have on its way before anything was acknowledged, and again after a silence. */
const firstWindowBytes = 10 * packetBytes;
const windowBytesMax = 1_000_000;
/** RFC 6298 2.4 says a second, Linux takes 200 ms; a connection that was silent for longer begins anew (RFC 5681 4.1). */
const silenceMsMin = 200;

interface Piece {
  bytes: Uint8Array;
  at: number;
}

interface Flow {
  waiting: Piece[];
  waitingBytes: number;
  /** How late what is on its way now is, beyond the delay. */
  lateMs: number;
  /** Nothing of it arrives before this: bytes of a connection keep their order. */
  arrivesAt: number;
  windowBytes: number;
  onItsWayBytes: number;
  /** Since then more of it may be on its way. */
  opensAt: number;
}

interface Packet<Key> {
  key: Key;
  bytes: Uint8Array;
  at: number;
}

export interface DirectionOptions {
  shape: Shape;
  /** How long the answer to a packet takes to come back. */
  returnMs(): number;
  /** 0 to 1. */
  chance(): number;
}

/** Connections have turns of a packet each, and begin slowly, as TCP has it. Nothing is lost: losses are stalls here. */
export class LineDirection<Key> {
  private readonly options: DirectionOptions;
  private shapeNow: Shape;

  /** In the order of their turns. */
  private readonly flows = new Map<Key, Flow>();
  /** On their way, by when they arrive. */
  private readonly travelling: Packet<Key>[] = [];
  /** Arrived, and not yet known to who sent them. */
  private readonly unknown: { flow: Flow; bytes: number; at: number }[] = [];
  /** Until then it carries a packet. */
  private freeAt = Number.NEGATIVE_INFINITY;

  constructor(options: DirectionOptions) {
    this.options = options;
    this.shapeNow = options.shape;
  }

  get shape(): Shape {
    return this.shapeNow;
  }

  /** Holds for what has not set out yet. */
  set shape(shape: Shape) {
    this.shapeNow = shape;
  }

  /** Bytes of a connection that wait for their turn. */
  waitingBytes(key: Key): number {
    return this.flows.get(key)?.waitingBytes ?? 0;
  }

  /** Nothing of it waits or is on its way. */
  isEmpty(key: Key): boolean {
    return this.waitingBytes(key) === 0 && !this.travelling.some((packet) => packet.key === key);
  }

  push(key: Key, bytes: Uint8Array, at: number): void {
    const flow = this.flows.get(key) ?? this.newFlow(key);
    if (flow.waitingBytes === 0 && flow.arrivesAt <= at) this.beginBurst(flow, at);
    flow.waiting.push({ bytes, at });
    flow.waitingBytes += bytes.length;
  }

  /** What has come out by now, in order. */
  take(nowMs: number): { key: Key; bytes: Uint8Array }[] {
    this.carry(nowMs);
    const arrived = this.travelling.findIndex(({ at }) => at > nowMs);
    return this.travelling.splice(0, arrived < 0 ? this.travelling.length : arrived);
  }

  /** When `take` may give something next; undefined: not before something is pushed or the shape is another. */
  nextAt(): number | undefined {
    const waiting = [...this.flows.values()].filter(isReady);
    const sets = Math.min(...waiting.map(({ waiting: [first] }) => first?.at ?? 0));
    const moments = [this.travelling[0]?.at, this.unknown[0]?.at];
    if (waiting.length > 0 && this.shape.bitsPerSecond > 0)
      moments.push(Math.max(this.freeAt, sets));
    const known = moments.filter((at) => at !== undefined);
    return known.length > 0 ? Math.min(...known) : undefined;
  }

  /** The connection is over: what is left of it goes nowhere. */
  drop(key: Key): void {
    this.flows.delete(key);
    for (let i = this.travelling.length - 1; i >= 0; i--)
      if (this.travelling[i]?.key === key) this.travelling.splice(i, 1);
  }

  private newFlow(key: Key): Flow {
    const flow: Flow = {
      waiting: [],
      waitingBytes: 0,
      lateMs: 0,
      arrivesAt: Number.NEGATIVE_INFINITY,
      windowBytes: firstWindowBytes,
      onItsWayBytes: 0,
      opensAt: Number.NEGATIVE_INFINITY,
    };
    this.flows.set(key, flow);
    return flow;
  }

  private beginBurst(flow: Flow, at: number): void {
    const { jitterMs, stalledShare, stallMs, delayMs } = this.shape;
    const { chance, returnMs } = this.options;
    flow.lateMs = chance() * jitterMs + (chance() < stalledShare ? stallMs : 0);
    const silentMs = at - flow.arrivesAt;
    if (silentMs > silenceMsMin + delayMs + returnMs()) flow.windowBytes = firstWindowBytes;
  }

  private carry(nowMs: number): void {
    if (this.shape.bitsPerSecond === 0) {
      // What has waited sets out when it is allowed again, not before.
      this.freeAt = Math.max(this.freeAt, nowMs);
      return;
    }
    for (;;) {
      this.learn(nowMs);
      const key = this.freeAt <= nowMs ? this.whoseTurn(nowMs) : undefined;
      if (key === undefined) return;
      this.send(key);
    }
  }

  /** Who has sent a packet learns that it came: twice as much may be on its way a round trip later. */
  private learn(nowMs: number): void {
    while ((this.unknown[0]?.at ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const { flow, bytes, at } = this.unknown.shift() as (typeof this.unknown)[number];
      if (flow.onItsWayBytes >= flow.windowBytes) flow.opensAt = at;
      flow.onItsWayBytes -= bytes;
      flow.windowBytes = Math.min(windowBytesMax, flow.windowBytes + bytes);
    }
  }

  private whoseTurn(nowMs: number): Key | undefined {
    for (const [key, flow] of this.flows)
      if (isReady(flow) && (flow.waiting[0]?.at ?? 0) <= nowMs) return key;
    return undefined;
  }

  private send(key: Key): void {
    const flow = this.flows.get(key) as Flow;
    const { bitsPerSecond, delayMs } = this.shape;
    const piece = flow.waiting[0] as Piece;
    const bytes = piece.bytes.subarray(0, packetBytes);
    const setsOutAt = Math.max(this.freeAt, piece.at, flow.opensAt);
    this.freeAt = setsOutAt + (bytes.length * 8_000) / bitsPerSecond;
    flow.arrivesAt = Math.max(flow.arrivesAt, this.freeAt + delayMs + flow.lateMs);
    flow.waitingBytes -= bytes.length;
    flow.onItsWayBytes += bytes.length;
    if (bytes.length < piece.bytes.length) piece.bytes = piece.bytes.subarray(bytes.length);
    else flow.waiting.shift();
    insertByTime(this.travelling, { key, bytes, at: flow.arrivesAt });
    const knownAt = flow.arrivesAt + this.options.returnMs();
    insertByTime(this.unknown, { flow, bytes: bytes.length, at: knownAt });
    // Behind the others.
    this.flows.delete(key);
    this.flows.set(key, flow);
  }
}

function isReady({ waiting, onItsWayBytes, windowBytes }: Flow): boolean {
  return waiting.length > 0 && onItsWayBytes < windowBytes;
}

/** Nearly always at the end. */
function insertByTime<T extends { at: number }>(list: T[], one: T): void {
  let i = list.length;
  while (i > 0 && (list[i - 1]?.at ?? 0) > one.at) i -= 1;
  list.splice(i, 0, one);
}
