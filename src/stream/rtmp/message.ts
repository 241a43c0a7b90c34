// A message: what chunks carry, and what its numbers mean (RTMP 1.0, sections 5.4, 6 and 7).
import { keep, type Lent, readUint24, readUint32 } from '../../base/bytes/memory.ts';

/** As it was received. */
export interface Message {
  readonly type: number;
  readonly streamId: number;
  /** Milliseconds in 32 bits; it wraps. */
  readonly timestamp: number;
  readonly body: Lent;
}

/** One that is the receiver's own. */
export interface KeptMessage extends Message {
  readonly body: Uint8Array;
}

export function keepMessage(message: Message): KeptMessage {
  return { ...message, body: keep(message.body) };
}

export const messageType = {
  /** Of no message on the wire: nobody reads it. */
  nothing: 0,
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowSize: 5,
  peerBandwidth: 6,
  audio: 8,
  video: 9,
  amf3Data: 15,
  amf3Command: 17,
  data: 18,
  command: 20,
  aggregate: 22,
} as const;

/** The first two bytes of a user control message. */
export const userEvent = {
  streamBegin: 0,
  streamEof: 1,
  pingRequest: 6,
  pingResponse: 7,
} as const;

/** The peer does not keep to the protocol: its connection is closed with this sentence in the log. */
export class WireError extends Error {}

export function isMedia(type: number): boolean {
  return type === messageType.audio || type === messageType.video || type === messageType.aggregate;
}

/** Values that want no answer: metadata, most of it. */
export function isData(type: number): boolean {
  return type === messageType.data || type === messageType.amf3Data;
}

/** Commands, and pings among the user control messages. */
export function mayBeAnswered(type: number): boolean {
  const { command, amf3Command, userControl } = messageType;
  return type === command || type === amf3Command || type === userControl;
}

/** AMF3's envelope is one byte before the same AMF0. */
export function amf0In({ type, body }: Message): Lent {
  const mayBeWrapped = type === messageType.amf3Command || type === messageType.amf3Data;
  return mayBeWrapped && body[0] === 0 ? body.subarray(1) : body;
}

/** A 32-bit number at the start of a control message. */
export function controlNumber(message: Message): number {
  if (message.body.length < 4) throw new WireError('A control message is too short');
  return readUint32(message.body, 0);
}

/** Type, size, timestamp and stream id of a message in an aggregate, laid out as FLV does. */
const partHeadBytes = 11;
/** The size of the part before, which nobody needs. */
const partTailBytes = 4;

/**
 * The messages in an aggregate, one at a time: there may be many. The first has the aggregate's timestamp; the others
 * keep their distance from it.
 */
export class AggregateParts {
  private readonly streamId: number;
  private readonly timestamp: number;

  /** Lent until `keep`. */
  private body: Lent;
  private isBodyOurs = false;
  private at = 0;
  private firstTimestamp: number | undefined;

  constructor(aggregate: Message) {
    this.streamId = aggregate.streamId;
    this.timestamp = aggregate.timestamp;
    this.body = aggregate.body;
  }

  next(): Message | undefined {
    const { body, at, streamId } = this;
    if (at >= body.length) return undefined;
    const from = at + partHeadBytes;
    const end = from + readUint24(body, at + 1);
    // The last may come without its tail.
    if (from > body.length || end > body.length) throw new WireError('An aggregate is cut short');
    const timestamp = readUint24(body, at + 4) + (body[at + 7] ?? 0) * 0x1000000;
    this.firstTimestamp ??= timestamp;
    this.at = end + partTailBytes;
    const type = body[at] ?? 0;
    return {
      // Only media comes so. A command would be nobody's, an aggregate would nest without end.
      type: type === messageType.audio || type === messageType.video ? type : messageType.nothing,
      streamId,
      timestamp: (this.timestamp + timestamp - this.firstTimestamp) >>> 0,
      body: body.subarray(from, end),
    };
  }

  /** Copies what is not read yet: the aggregate's own bytes go. */
  keep(): void {
    if (this.isBodyOurs) return;
    this.body = keep(this.body.subarray(this.at));
    this.isBodyOurs = true;
    this.at = 0;
  }
}

export function uint32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
