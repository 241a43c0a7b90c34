// What waits to be sent over one link: a lane for each topic and each stream, a piece of each in turn.
import { type FrameHead, headBytes, writeFrame } from './link-frame.ts';

/** A message as it waits. */
export interface Outgoing extends Partial<FrameHead> {
  kind: FrameHead['kind'];
  bytes: Uint8Array;
}

/** What waits in several lanes together. */
export interface Waiting {
  bytes: number;
}

/** What is one behind the other; two lanes are not. */
export class LinkLane {
  private readonly together: Waiting;

  private readonly waiting: Outgoing[] = [];
  /** Of the first: so much of it has gone. */
  private sentBytes = 0;
  private waitingBytes = 0;

  constructor(together: Waiting = { bytes: 0 }) {
    this.together = together;
  }

  get count(): number {
    return this.waiting.length;
  }

  get bytes(): number {
    return this.waitingBytes;
  }

  push(message: Outgoing): void {
    this.waiting.push(message);
    this.note(message.bytes.length);
  }

  /** Of those that have not begun to go; how many left. */
  dropOldest(): number {
    return this.drop(1);
  }

  /** All that have not begun to go. */
  dropAll(): number {
    return this.drop(this.waiting.length);
  }

  /** The next frame, with a piece of so many bytes at most. */
  next(pieceBytesMax: number): Uint8Array | undefined {
    const message = this.waiting[0];
    if (!message) return undefined;
    const { bytes } = message;
    const from = this.sentBytes;
    const to = Math.min(bytes.length, from + pieceBytesMax - headBytes);
    const more = to < bytes.length;
    if (more) this.sentBytes = to;
    else {
      this.waiting.shift();
      this.sentBytes = 0;
      this.note(-bytes.length);
    }
    return writeFrame({ ...message, more }, bytes.subarray(from, to));
  }

  private drop(count: number): number {
    const begun = this.sentBytes > 0 ? 1 : 0;
    const dropped = this.waiting.splice(begun, count);
    for (const { bytes } of dropped) this.note(-bytes.length);
    return dropped.length;
  }

  private note(bytes: number): void {
    this.waitingBytes += bytes;
    this.together.bytes += bytes;
  }
}

/** Lanes with something to send take turns, so that no long message holds up a short one of another lane. */
export class LinkLanes {
  private readonly turns = new Set<LinkLane>();

  push(lane: LinkLane, message: Outgoing): void {
    lane.push(message);
    this.turns.add(lane);
  }

  next(pieceBytesMax: number): Uint8Array | undefined {
    for (const lane of this.turns) {
      this.turns.delete(lane);
      const frame = lane.next(pieceBytesMax);
      // Behind all others that wait.
      if (lane.count > 0) this.turns.add(lane);
      if (frame) return frame;
    }
    return undefined;
  }
}
