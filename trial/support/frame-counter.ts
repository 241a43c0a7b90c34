// How many streams of HTTP/2 end in what comes, without a look at what they carry.

const headBytes = 9;
const endOfStream = 0x01;
/** DATA, HEADERS: others have no such flag. */
const endingTypes = [0, 1];

export class FrameCounter {
  private readonly head = Buffer.alloc(headBytes);
  private headLength = 0;
  /** Of the frame that is coming. */
  private bodyLeft = 0;

  endedIn(bytes: Buffer): number {
    let ended = 0;
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
      if (endingTypes.includes(this.head[3] ?? 0) && (this.head[4] ?? 0) & endOfStream) ended += 1;
    }
    return ended;
  }
}
