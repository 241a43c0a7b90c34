// Decodes the pictures of a live stream one after the other, in this thread.
import type { CodecContext, Frame, Packet } from 'node-av/lib';
import type { VideoTrack } from '../formats/packet.ts';
import type { Transcoder } from '../recording/worker/transcoder.ts';

export interface CodedPicture {
  readonly bytes: Uint8Array;
  readonly dtsMs: number;
  readonly ptsMs: number;
}

export class SourceDecoder {
  private readonly context: CodecContext;
  private readonly frame: Frame;
  private readonly packet: Packet;

  private constructor(av: Transcoder, context: CodecContext) {
    this.context = context;
    this.frame = new av.Frame();
    this.frame.alloc();
    this.packet = new av.Packet();
    this.packet.alloc();
  }

  static async open(av: Transcoder, { record }: Pick<VideoTrack, 'record'>) {
    const codec = av.Codec.findDecoder(av.AV_CODEC_ID_H264);
    if (!codec) throw new Error('the transcoder has no H.264 decoder');
    const context = new av.CodecContext();
    context.allocContext3(codec);
    context.extraData = Buffer.from(record);
    // More would each keep a picture back.
    context.threadCount = 1;
    av.FFmpegError.throwIfError(await context.open2(codec), 'The decoder does not open');
    return new SourceDecoder(av, context);
  }

  /** A picture goes in; what comes out now, each good until the next. One that cannot be decoded is left out, as players do. */
  *decode({ bytes, dtsMs, ptsMs }: CodedPicture): Generator<Frame> {
    const { packet } = this;
    packet.data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    packet.dts = BigInt(dtsMs);
    packet.pts = BigInt(ptsMs);
    const result = this.context.sendPacketSync(packet);
    packet.unref();
    if (result >= 0) yield* this.frames();
  }

  /** All that it still has; it can go on with a key frame. */
  *drain(): Generator<Frame> {
    if (this.context.sendPacketSync(null) >= 0) yield* this.frames();
    this.context.flushBuffers();
  }

  /** What it still has is not wanted. */
  forget(): void {
    this.context.flushBuffers();
  }

  close(): void {
    this.context.freeContext();
    this.frame.free();
    this.packet.free();
  }

  private *frames(): Generator<Frame> {
    while (this.context.receiveFrameSync(this.frame) >= 0) {
      yield this.frame;
      this.frame.unref();
    }
  }
}
