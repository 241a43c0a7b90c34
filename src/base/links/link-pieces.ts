// Pieces of messages that have come over a link, until each is whole.
import { type Frame, frameKinds, idsMax } from './link-frame.ts';
import { linkLimits } from './link-limits.ts';

/** What keeps a piece takes as much, however short it is. */
const pieceCost = 512;

interface Partial {
  pieces: Uint8Array[];
  bytes: number;
}

export class LinkPieces {
  private readonly partial = new Map<number, Partial>();
  private partialBytes = 0;

  /** The whole message; undefined while pieces are missing, or 'flood' where they are too many. */
  add({ kind, topic, id, more, piece }: Frame): Uint8Array | 'flood' | undefined {
    // Four bits, sixteen and thirty-two: one number has room for them, and a text a piece is dear.
    const key = (frameKinds[kind] * 65_536 + topic) * idsMax + id;
    const known = this.partial.get(key);
    if (!known && !more) return piece;
    const { pieces, bytes } = known ?? { pieces: [], bytes: 0 };
    const sum = bytes + piece.length;
    this.partialBytes += piece.length + pieceCost;
    if (sum > linkLimits.messageBytesMax || this.partialBytes > linkLimits.partialBytesMax)
      return 'flood';
    pieces.push(piece);
    if (more) {
      this.partial.set(key, { pieces, bytes: sum });
      return undefined;
    }
    this.partial.delete(key);
    this.partialBytes -= sum + pieces.length * pieceCost;
    return Buffer.concat(pieces, sum);
  }
}
