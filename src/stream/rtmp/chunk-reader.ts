// Puts messages together from chunks, however the bytes are cut (RTMP 1.0, section 5.3).
import { GrowingBytes, keep, type Lent, readUint24, readUint32 } from '../../base/bytes/memory.ts';
import {
  AggregateParts,
  controlNumber,
  isData,
  isMedia,
  type Message,
  messageType,
  WireError,
} from './message.ts';
import type { RtmpLimits } from './rtmp-limits.ts';

type ChunkLimits = Pick<
  RtmpLimits,
  | 'chunkBytesMin'
  | 'chunkBytesMax'
  | 'strangerMessageBytesMax'
  | 'commandBytesMax'
  | 'dataBytesMax'
  | 'mediaBytesMax'
  | 'chunkStreamsMax'
  | 'halfReadBytesMax'
>;

/** What the last header of a chunk stream said, and the message that is being read on it. */
interface ChunkStream {
  /** A later header may leave out what the one before it said. */
  hasHeader: boolean;
  type: number;
  length: number;
  streamId: number;
  timestamp: number;
  /** The timestamp or the difference as it was written. */
  timestampField: number;
  isExtended: boolean;
  /** Undefined between messages, and while nothing of one has come. */
  body: GrowingBytes | undefined;
}

const extendedMark = 0xffffff;
const firstChunkBytes = 128;
/** A longer body is not kept for the next message; a key frame of 10 Mbps is about so long. */
const spareBytesMax = 262_144;
/** Of the message header, by the format of the chunk. */
const headBytesOf = [11, 7, 3, 0] as const;
const nothing: Lent = new Uint8Array();

/** Feed it bytes and take messages until there are none; then `keep` what is left before the bytes go. */
export class ChunkReader {
  private readonly limits: ChunkLimits;

  private readonly streams = new Map<number, ChunkStream>();
  private isMediaAllowed = false;
  private chunkBytes = firstChunkBytes;
  private heldBytes = 0;
  /** Memory of the message that was given out last, and of one that nobody needs any more. */
  private lent: GrowingBytes | undefined;
  private isLentMedia = false;
  private spare: GrowingBytes | undefined;
  /** Of the aggregate that was given out last. */
  private parts: AggregateParts | undefined;
  /** Lent until `keep`. */
  private input: Lent = nothing;
  private at = 0;
  private fedBytes = 0;
  private isInputOurs = true;
  /** The chunk whose payload comes next. */
  private current: { stream: ChunkStream; bytesLeft: number } | undefined;

  constructor(limits: ChunkLimits) {
    this.limits = limits;
  }

  /** Pictures may be long from now on: whoever sends them has been let in. */
  allowMedia(): void {
    this.isMediaAllowed = true;
  }

  /** What was fed and has been read. */
  get readBytes(): number {
    return this.fedBytes - this.unreadBytes;
  }

  get unreadBytes(): number {
    return this.input.length - this.at;
  }

  /** They are read until `keep`. */
  feed(bytes: Lent): void {
    if (bytes.length === 0) return;
    this.fedBytes += bytes.length;
    const isRead = this.at === this.input.length;
    this.input = isRead ? bytes : joined(this.input.subarray(this.at), bytes);
    this.isInputOurs = !isRead;
    this.at = 0;
  }

  /**
   * The next whole message; an aggregate comes itself and then part by part. What concerns the chunks has been obeyed
   * by then. Its body is good until the next call, and no longer than what was fed.
   */
  next(): Message | undefined {
    const part = this.parts?.next();
    if (part) return part;
    this.parts = undefined;
    this.takeBack();
    for (;;) {
      this.current ??= this.readHeader();
      if (!this.current) return undefined;
      const message = this.readPayload(this.current);
      if (message === 'incomplete') return undefined;
      if (!message) continue;
      this.obey(message);
      return message;
    }
  }

  /** Copies what is not read yet, often the beginning of a header: a view would hold all that was fed, which goes. */
  keep(): void {
    // A body of many chunks lies in memory of ours.
    if (this.parts && !this.lent) this.parts.keep();
    const { unreadBytes } = this;
    // Memory of ours is kept while most of it is needed.
    if (this.isInputOurs && 2 * unreadBytes > this.input.length) return;
    this.input = unreadBytes === 0 ? nothing : keep(this.input.subarray(this.at));
    this.isInputOurs = true;
    this.at = 0;
  }

  private readHeader(): { stream: ChunkStream; bytesLeft: number } | undefined {
    const basic = readBasicHeader(this.input, this.at);
    if (!basic) return undefined;
    const { format, id, end: from } = basic;
    const stream = this.streamOf(id);
    const end = this.endOfHeader(stream, format, from);
    if (end === undefined) return undefined;
    if (format !== 3) this.readMessageHeader(stream, format, from);
    if (!stream.body) this.beginMessage(stream, format);
    this.at = end;
    const receivedBytes = stream.body?.length ?? 0;
    return { stream, bytesLeft: Math.min(this.chunkBytes, stream.length - receivedBytes) };
  }

  private streamOf(id: number): ChunkStream {
    const known = this.streams.get(id);
    if (known) return known;
    if (this.streams.size >= this.limits.chunkStreamsMax) {
      throw new WireError(`More than ${this.limits.chunkStreamsMax} chunk streams`);
    }
    const stream: ChunkStream = {
      hasHeader: false,
      type: 0,
      length: 0,
      streamId: 0,
      timestamp: 0,
      timestampField: 0,
      isExtended: false,
      body: undefined,
    };
    this.streams.set(id, stream);
    return stream;
  }

  /** Where the header ends; undefined while it has not come whole. Nothing is changed here. */
  private endOfHeader(stream: ChunkStream, format: number, from: number): number | undefined {
    const end = from + (headBytesOf[format] ?? 0);
    if (end > this.input.length) return undefined;
    if (format === 3) {
      if (!stream.hasHeader) throw new WireError('A chunk stream begins without a header');
      if (!stream.isExtended) return end;
      const isRepeated = this.isTimestampRepeated(stream, end);
      return isRepeated === undefined ? undefined : end + (isRepeated ? 4 : 0);
    }
    if (stream.body) throw new WireError('A message begins inside another');
    // librtmp opens a chunk stream with format 1; the timestamp before it is then 0.
    if (format === 2 && !stream.hasHeader) {
      throw new WireError('A chunk stream begins without a length');
    }
    if (readUint24(this.input, from) !== extendedMark) return end;
    return end + 4 > this.input.length ? undefined : end + 4;
  }

  /**
   * Whether an extended timestamp stands in a chunk of format 3. The specification and most
   * encoders repeat it there, a few do not; what follows the header tells them apart, for payload
   * that happens to equal the timestamp is rare. Some repeat the difference, some the sum.
   */
  private isTimestampRepeated(stream: ChunkStream, at: number): boolean | undefined {
    const seen = this.input.subarray(at, at + 4);
    const isLike = beginsWith(seen, stream.timestampField) || beginsWith(seen, stream.timestamp);
    if (!isLike) return false;
    return seen.length < 4 ? undefined : true;
  }

  private readMessageHeader(stream: ChunkStream, format: number, from: number): void {
    const field = readUint24(this.input, from);
    stream.hasHeader = true;
    stream.isExtended = field === extendedMark;
    stream.timestampField = stream.isExtended
      ? readUint32(this.input, from + (headBytesOf[format] ?? 0))
      : field;
    if (format > 1) return;
    stream.length = readUint24(this.input, from + 3);
    stream.type = this.input[from + 6] ?? 0;
    if (format === 0) stream.streamId = readStreamId(this.input, from + 7);
  }

  /** After format 0 a chunk of format 3 takes its timestamp for the difference (section 5.3.1.2.4). */
  private beginMessage(stream: ChunkStream, format: number): void {
    const before = format === 0 ? 0 : stream.timestamp;
    stream.timestamp = (before + stream.timestampField) >>> 0;
    if (stream.length > this.bytesMaxOf(stream.type)) {
      throw new WireError(`A message of type ${stream.type} has ${stream.length} bytes`);
    }
  }

  private bytesMaxOf(type: number): number {
    const { strangerMessageBytesMax, mediaBytesMax, dataBytesMax, commandBytesMax } = this.limits;
    if (!this.isMediaAllowed) return strangerMessageBytesMax;
    if (isMedia(type)) return mediaBytesMax;
    return isData(type) ? dataBytesMax : commandBytesMax;
  }

  /** A message, 'incomplete' where the input ends first, or undefined at the end of a chunk. */
  private readPayload(chunk: {
    stream: ChunkStream;
    bytesLeft: number;
  }): Message | 'incomplete' | undefined {
    const { stream } = chunk;
    const end = Math.min(this.at + chunk.bytesLeft, this.input.length);
    const bytes = this.input.subarray(this.at, end);
    this.at = end;
    chunk.bytesLeft -= bytes.length;
    // Most messages lie whole in what was read.
    const body =
      bytes.length === stream.length && !stream.body ? bytes : this.collect(stream, bytes);
    if (chunk.bytesLeft > 0) return 'incomplete';
    this.current = undefined;
    return (
      body && { type: stream.type, streamId: stream.streamId, timestamp: stream.timestamp, body }
    );
  }

  /** The whole body, once it is there. */
  private collect(stream: ChunkStream, bytes: Lent): Lent | undefined {
    if (bytes.length === 0) return undefined;
    const heldBefore = stream.body?.capacity ?? 0;
    stream.body ??= this.bodyFor(stream);
    stream.body.append(bytes);
    this.heldBytes += stream.body.capacity - heldBefore;
    const heldBytesMax = this.isMediaAllowed
      ? this.limits.halfReadBytesMax
      : 2 * this.limits.strangerMessageBytesMax;
    if (this.heldBytes > heldBytesMax) throw new WireError('Too many messages are half sent');
    if (!stream.body.isFull) return undefined;
    const body = stream.body.bytes;
    this.lent = stream.body;
    this.isLentMedia = isMedia(stream.type);
    this.drop(stream);
    return body;
  }

  private bodyFor({ type, length }: ChunkStream): GrowingBytes {
    const { spare } = this;
    if (!spare || !isMedia(type)) return new GrowingBytes(length);
    this.spare = undefined;
    spare.restart(length);
    return spare;
  }

  private takeBack(): void {
    // Strangers leave nothing behind.
    const isKept =
      this.isMediaAllowed && this.isLentMedia && this.lent && this.lent.capacity <= spareBytesMax;
    if (isKept && !this.spare) this.spare = this.lent;
    else this.lent?.free();
    this.lent = undefined;
  }

  private drop(stream: ChunkStream): void {
    this.heldBytes -= stream.body?.capacity ?? 0;
    stream.body = undefined;
  }

  /** A message about the chunks holds from the very next chunk on; the parts of an aggregate come next. */
  private obey(message: Message): void {
    switch (message.type) {
      case messageType.setChunkSize:
        this.setChunkSize(controlNumber(message));
        break;
      case messageType.abort: {
        const stream = this.streams.get(controlNumber(message));
        if (stream) this.drop(stream);
        break;
      }
      case messageType.aggregate:
        this.parts = new AggregateParts(message);
    }
  }

  private setChunkSize(bytes: number): void {
    const { chunkBytesMin, chunkBytesMax } = this.limits;
    if (bytes < chunkBytesMin || bytes > chunkBytesMax)
      throw new WireError(`A chunk size of ${bytes} bytes`);
    this.chunkBytes = bytes;
  }
}

/** Format and chunk stream id in one, two or three bytes; undefined while they have not come. */
function readBasicHeader(bytes: Lent, at: number) {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const format = first >> 6;
  const id = first & 0x3f;
  if (id > 1) return { format, id, end: at + 1 };
  const end = at + 2 + id;
  if (end > bytes.length) return undefined;
  const high = id === 1 ? (bytes[at + 2] ?? 0) : 0;
  return { format, id: 64 + (bytes[at + 1] ?? 0) + 256 * high, end };
}

/** The one number of RTMP whose low byte comes first. */
function readStreamId(bytes: Lent, at: number): number {
  let id = 0;
  for (let place = 3; place >= 0; place--) id = 256 * id + (bytes[at + place] ?? 0);
  return id;
}

/** Whether they are the first bytes of the number, however many have come. */
function beginsWith(bytes: Lent, value: number): boolean {
  for (let at = 0; at < bytes.length; at++)
    if (bytes[at] !== ((value >>> (24 - 8 * at)) & 0xff)) return false;
  return true;
}

function joined(first: Lent, second: Lent): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
