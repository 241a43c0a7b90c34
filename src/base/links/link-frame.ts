// One frame of a link: a head of eight bytes and a piece of a message. Bytes in, values out.

/** By what a frame is; numbers are the wire's. */
export const frameKinds = {
  /** The names of the topics that its sender knows; their places are the numbers in its heads. */
  topics: 1,
  /** Of a topic; `id` counts them, so that who misses one knows. */
  message: 2,
  /** `id` is the question's, chosen by who asks. */
  ask: 3,
  answer: 4,
  /** Instead of an answer: why there is none. */
  refusal: 5,
  /** Begins a stream; `id` is the stream's, chosen by who follows. */
  follow: 6,
  part: 7,
  /** Who follows wants no more. */
  stop: 8,
  /** Who feeds has no more. */
  end: 9,
  /** `id` bytes of frames were worked on. */
  worked: 10,
  ping: 11,
  pong: 12,
} as const;

export type FrameKind = keyof typeof frameKinds;

export interface FrameHead {
  kind: FrameKind;
  /** Pieces of the same message follow. */
  more: boolean;
  /** Of a stream's part: some before it were left out. */
  gap: boolean;
  topic: number;
  id: number;
}

export interface Frame extends FrameHead {
  piece: Uint8Array;
}

export const headBytes = 8;
const moreBit = 1;
const gapBit = 2;
/** Ids come again after so many: none lives as long. */
export const idsMax = 2 ** 32;

const kindOf = new Map<number, FrameKind>(
  Object.entries(frameKinds).map(([kind, number]) => [number, kind as FrameKind]),
);

export function writeFrame(
  head: Partial<FrameHead> & { kind: FrameKind },
  piece: Uint8Array = noBytes,
) {
  // Every byte of it is written below.
  const bytes = Buffer.allocUnsafeSlow(headBytes + piece.length);
  bytes[0] = frameKinds[head.kind];
  bytes[1] = (head.more ? moreBit : 0) | (head.gap ? gapBit : 0);
  bytes.writeUInt16BE(head.topic ?? 0, 2);
  bytes.writeUInt32BE(head.id ?? 0, 4);
  bytes.set(piece, headBytes);
  return bytes;
}

const noBytes = new Uint8Array(0);

/** Undefined where it is none. The piece is a part of the bytes that came. */
export function readFrame(bytes: Uint8Array): Frame | undefined {
  const [number = 0, flags = 0] = bytes;
  const kind = kindOf.get(number);
  if (bytes.length < headBytes || kind === undefined || flags > (moreBit | gapBit))
    return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, headBytes);
  return {
    kind,
    more: (flags & moreBit) !== 0,
    gap: (flags & gapBit) !== 0,
    topic: view.getUint16(2),
    id: view.getUint32(4),
    piece: bytes.subarray(headBytes),
  };
}
