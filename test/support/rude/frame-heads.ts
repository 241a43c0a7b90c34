// The heads of HTTP/2's frames in what comes, without a look at what they carry.
import { frameTypes } from './rude-http2.ts';

export interface FrameHead {
  type: number;
  stream: number;
  /** Whether nothing more comes of its stream. */
  isEnd: boolean;
}

const headBytes = 9;
const endOfStream = 0x01;
/** Others have no such flag. */
const endingTypes: readonly number[] = [frameTypes.data, frameTypes.headers];

export class FrameHeads {
  private readonly head = Buffer.alloc(headBytes);
  private headLength = 0;
  /** Of the frame that is coming. */
  private bodyLeft = 0;

  take(bytes: Buffer): FrameHead[] {
    const heads: FrameHead[] = [];
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(this.bodyLeft, bytes.length - at);
      this.bodyLeft -= skipped;
      at += skipped;
      const copied = bytes.copy(this.head, this.headLength, at);
      at += copied;
      this.headLength += copied;
      if (this.headLength < headBytes) break;
      this.headLength = 0;
      this.bodyLeft = this.head.readUIntBE(0, 3);
      heads.push(this.whole());
    }
    return heads;
  }

  private whole(): FrameHead {
    const type = this.head[3] ?? 0;
    const isEnd = endingTypes.includes(type) && ((this.head[4] ?? 0) & endOfStream) !== 0;
    return { type, stream: this.head.readUInt32BE(5), isEnd };
  }
}
