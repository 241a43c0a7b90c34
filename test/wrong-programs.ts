// Programs that must not compile: `npm run check` fails where a line below a `@ts-expect-error` does.
import { keep, type Lent } from '../src/base/bytes/memory.ts';
import type { LentPacket, Packet } from '../src/stream/formats/packet.ts';
import type { StreamReader } from '../src/stream/live/stream-reader.ts';
import type {
  FragmentReader,
  HeldSegment,
  LentPart,
  Part,
  Segment,
} from '../src/stream/packaging/fragment.ts';
import type { Message } from '../src/stream/rtmp/message.ts';
import type { MessageWriter } from '../src/stream/rtmp/message-writer.ts';

/** A reader of a stream that keeps packets whose bytes are the next picture's when it looks at them again. */
export class ForgetfulReader implements StreamReader {
  private readonly packets: Packet[] = [];
  last: Uint8Array | undefined;

  packet(packet: LentPacket): void {
    // @ts-expect-error: its bytes are lent.
    this.packets.push(packet);
    // @ts-expect-error: a part of what is lent is lent.
    this.last = packet.bytes.subarray(4);
    // The right way.
    this.packets.push({ ...packet, bytes: keep(packet.bytes) });
  }

  track(): void {}
  resumed(): void {}
  ended(): void {
    this.packets.length = 0;
    this.last = undefined;
  }
}

/** A reader of fragments that keeps parts of a segment that it does not hold. */
export class CarelessRecorder implements FragmentReader {
  private readonly parts: Part[] = [];
  private held: HeldSegment | undefined;

  partAdded(segment: Segment, part: LentPart): void {
    // @ts-expect-error: its memory goes back when nobody holds the segment.
    this.parts.push(part);
    // The right way: held from its first part on, once.
    if (segment.parts.length === 1) this.held = segment.hold();
  }

  segmentEnded(segment: Segment): void {
    // @ts-expect-error: only a holder can let go, of its own hold.
    segment.release();
    // The right way, when its parts are needed no more.
    this.held?.release();
  }

  ended(): void {
    this.parts.length = 0;
  }
}

/** A server that sends on what it has been sent, when the socket has room: by then it is another message. */
export function echo(writer: MessageWriter, { type, streamId, timestamp, body }: Message): void {
  // @ts-expect-error: what is sent waits, and the body is lent.
  writer.media({ type, streamId, timestamp, body: [body] });
  // The right way.
  writer.media({ type, streamId, timestamp, body: [keep(body)] });
}

/** A queue of bytes that were only lent. */
export function queued(pieces: readonly Lent[]): Uint8Array[] {
  // @ts-expect-error: they are lent.
  const queue: Uint8Array[] = [...pieces];
  return queue;
}
