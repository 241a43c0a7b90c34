// Runs inside a traced service: every function tells here what it is handed, and those that get what is looked for are written down.
import { appendFileSync } from 'node:fs';

/** What is looked for, and where it is written: one line a call, as `TracedCall`. */
export interface TraceOrder {
  file: string;
  /** Rare bytes inside the packet, in hexadecimal digits, by the name of its way. */
  packets: Record<string, string>;
  /** What the request asks for, and a name in the row that answers it. */
  request: { channelId: number; viewerName: string };
}

export interface TracedCall {
  /** Epoch milliseconds with their fractions: the one clock that all threads share. */
  at: number;
  /** A packet's name, or `request`. */
  way: string;
  /** File and line of the function; `end` where the packet is part of a part, or the JSON text is made. */
  place: string;
}

export const traceVariable = 'CALL_TRACE';

/** Properties of properties that are looked into: a packet in an object of lists, a row in a list of an answer. */
const depthMax = 4;
const writtenEveryMs = 20;

class CallTrace {
  private readonly order: TraceOrder;
  private readonly packets: readonly (readonly [way: string, mark: Uint8Array])[];

  private readonly ended = new Set<string>();
  private lines = '';
  /** To look at an argument may call a getter of the service, which tells of itself. */
  private isLooking = false;

  constructor(order: TraceOrder) {
    this.order = order;
    this.packets = Object.entries(order.packets).map(([way, hex]) => [
      way,
      Uint8Array.fromHex(hex),
    ]);
    if (Bun.isMainThread) this.watchJson();
  }

  handed(place: string, values: ArrayLike<unknown>): void {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      for (let at = 0; at < values.length; at++) this.look(place, values[at]);
    } finally {
      this.isLooking = false;
    }
  }

  private look(place: string, value: unknown): void {
    for (const [way, mark] of this.packets) {
      if (this.ended.has(way)) continue;
      const found = packetIn(value, mark, depthMax);
      if (found === 'packet') this.note(way, place);
      if (found === 'part') this.end(way);
    }
    if (this.isOfRequest(value, depthMax)) this.note('request', place);
  }

  private isOfRequest(value: unknown, depth: number): boolean {
    const { channelId, viewerName } = this.order.request;
    if (typeof value === 'string') return value === String(channelId) || value === viewerName;
    if (value === channelId) return true;
    return depth > 0 && valuesOf(value).some((one) => this.isOfRequest(one, depth - 1));
  }

  /** The way of a request ends with the text of its answer. */
  private watchJson(): void {
    const stringify = JSON.stringify;
    JSON.stringify = (...words: [unknown]) => {
      const text = stringify(...words);
      if (text?.includes(this.order.request.viewerName)) this.note('request', 'end');
      return text;
    };
  }

  private end(way: string): void {
    this.ended.add(way);
    this.note(way, 'end');
  }

  private note(way: string, place: string): void {
    // Written later: what waits for the disk in the middle of its turn would go another way.
    if (this.lines === '') setTimeout(() => this.write(), writtenEveryMs);
    this.lines += `${performance.timeOrigin + performance.now()} ${way} ${place}\n`;
  }

  private write(): void {
    appendFileSync(this.order.file, this.lines);
    this.lines = '';
  }
}

/** Of a part or a segment only whether the packet is in it. */
function packetIn(value: unknown, mark: Uint8Array, depth: number): 'packet' | 'part' | undefined {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
    return bytes.includes(mark) ? 'packet' : undefined;
  }
  if (depth === 0) return undefined;
  for (const one of valuesOf(value)) {
    const found = packetIn(one, mark, depth - 1);
    if (found) return isPart(value) ? 'part' : found;
  }
  return undefined;
}

function isPart(value: unknown): boolean {
  const keys = Object.keys(value as object);
  return keys.includes('isIndependent') || (keys.includes('parts') && keys.includes('sequence'));
}

/** Of plain objects and lists. A connection, a store or a stream may hold a packet, but is none. */
function valuesOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const kind: unknown = Object.getPrototypeOf(value);
  const isPlain = kind === Object.prototype || kind === Array.prototype || kind === null;
  return isPlain ? Object.values(value) : [];
}

const order = process.env[traceVariable];
const trace = order === undefined ? undefined : new CallTrace(JSON.parse(order));

/** What `traced-checkout.ts` puts at the beginning of every function. */
export function handed(place: string, values: ArrayLike<unknown>): void {
  trace?.handed(place, values);
}
