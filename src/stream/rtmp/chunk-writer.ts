// Cuts messages into chunks: small headers between the caller's own bytes, nothing copied.
import { messageType } from './message.ts';

export interface OutgoingMessage {
  readonly type: number;
  readonly streamId: number;
  readonly timestamp: number;
  /** The body in pieces, sent one behind the other. */
  readonly body: readonly Uint8Array[];
}

/** Chunks we send: a picture in few of them, with few headers between. */
export const sentChunkBytes = 65_536;

const extendedMark = 0xffffff;

/** Every message has a full header: eleven bytes more, and no state a player could have missed. */
export function chunksOf(message: OutgoingMessage, chunkBytes: number): Uint8Array[] {
  const length = message.body.reduce((sum, piece) => sum + piece.length, 0);
  const chunkStream = chunkStreamOf(message.type);
  const head = headOf(message, chunkStream, length);
  if (length <= chunkBytes) return [head, ...message.body];
  const between = separator(chunkStream, head);
  const pieces: Uint8Array[] = [head];
  let room = chunkBytes;
  for (const piece of message.body) {
    for (let at = 0; at < piece.length; ) {
      if (room === 0) {
        pieces.push(between);
        room = chunkBytes;
      }
      const end = Math.min(piece.length, at + room);
      pieces.push(piece.subarray(at, end));
      room -= end - at;
      at = end;
    }
  }
  return pieces;
}

/** Sound does not wait behind a picture where each has a chunk stream of its own. */
function chunkStreamOf(type: number): number {
  if (type < messageType.audio) return 2;
  if (type === messageType.audio) return 4;
  if (type === messageType.video) return 6;
  return type === messageType.data ? 5 : 3;
}

function headOf(message: OutgoingMessage, chunkStream: number, length: number): Uint8Array {
  const timestamp = message.timestamp >>> 0;
  const isExtended = timestamp >= extendedMark;
  const head = new Uint8Array(isExtended ? 16 : 12);
  const view = new DataView(head.buffer);
  // Three-byte numbers are written as four; the byte too many is overwritten by the next.
  view.setUint32(0, isExtended ? extendedMark : timestamp);
  view.setUint8(0, chunkStream);
  view.setUint32(4, (length << 8) | message.type);
  view.setUint32(8, message.streamId, true);
  if (isExtended) view.setUint32(12, timestamp);
  return head;
}

/** A header of format 3, with the extended timestamp again where there is one. */
function separator(chunkStream: number, head: Uint8Array): Uint8Array {
  return Uint8Array.of(0xc0 | chunkStream, ...head.subarray(12));
}
