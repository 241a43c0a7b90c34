// Scales and encodes the pictures of one rung, each as it comes: H.264 without B-frames, one picture in and one out.
import type { CodecContext, Frame, Packet, SoftwareScaleContext } from 'node-av/lib';
import { annexBUnits, withLengths } from '../formats/annex-b.ts';
import { recordOfUnits } from '../formats/h264.ts';
import type { Transcoder } from '../recording/worker/transcoder.ts';
import { levelOf, type PictureRung } from './ladder-rungs.ts';

/** At a veryfast preset x264 takes a third more of a core, and nobody sees it at these sizes. */
const preset = 'superfast';
const constantQuality = 23;
/** Times are those of the source: whole milliseconds. */
export const ticksPerSecond = 1_000;

export class RungEncoder {
  readonly rung: PictureRung;
  /** The AVCDecoderConfigurationRecord of what it makes. */
  readonly record: Uint8Array;
  private readonly av: Transcoder;
  private readonly context: CodecContext;
  private readonly scaled: Frame;
  private readonly packet: Packet;

  private scaler: { of: string; context: SoftwareScaleContext } | undefined;
  private lastMs = Number.NEGATIVE_INFINITY;

  private constructor(av: Transcoder, rung: PictureRung, context: CodecContext) {
    this.av = av;
    this.rung = rung;
    this.context = context;
    this.record = recordOfUnits(annexBUnits(context.extraData ?? new Uint8Array()));
    this.scaled = emptyPicture(av, rung);
    this.packet = new av.Packet();
    this.packet.alloc();
  }

  /** `like`: a picture of the source, for its colours. */
  static async open(
    av: Transcoder,
    rung: PictureRung,
    { like, picturesPerSecond }: { like: Frame; picturesPerSecond: number },
  ): Promise<RungEncoder> {
    const codec = av.Codec.findEncoderByName(av.FF_ENCODER_LIBX264);
    if (!codec) throw new Error('the transcoder has no H.264 encoder');
    const context = new av.CodecContext();
    context.allocContext3(codec);
    const { colorSpace, colorPrimaries, colorTrc } = like;
    Object.assign(context, {
      width: rung.width,
      height: rung.height,
      pixelFormat: av.AV_PIX_FMT_YUV420P,
      timeBase: new av.Rational(1, ticksPerSecond),
      framerate: new av.Rational(Math.max(1, Math.round(picturesPerSecond)), 1),
      // Scaling makes limited range of whatever the source has.
      ...{ colorRange: av.AVCOL_RANGE_MPEG, colorSpace, colorPrimaries, colorTrc },
      rcMaxRate: BigInt(rung.bitsMax),
      // A second: what a line of that rate must be ahead.
      rcBufferSize: rung.bitsMax,
      threadCount: 1,
      maxBFrames: 0,
    } satisfies Partial<CodecContext>);
    // The parameter sets go into the init, not before each key frame.
    context.setFlags(av.AV_CODEC_FLAG_GLOBAL_HEADER);
    using options = av.Dictionary.fromObject({
      preset,
      tune: 'zerolatency',
      crf: constantQuality,
      'forced-idr': 1,
      'x264-params': `scenecut=0:keyint=infinite:level=${levelOf[rung.name]}`,
    });
    // Opened without a thread, node-av 6.1 frees the options twice.
    av.FFmpegError.throwIfError(await context.open2(codec, options), 'The encoder does not open');
    return new RungEncoder(av, rung, context);
  }

  /** The picture as it stands in a sample: its units with lengths before them. */
  encode(frame: Frame, { ptsMs, isKey }: { ptsMs: number; isKey: boolean }): Uint8Array {
    const { av, scaled, context, packet } = this;
    scaled.makeWritable();
    this.check(this.scalerOf(frame).scaleFrameSync(scaled, frame), 'It cannot be scaled');
    this.lastMs = Math.max(this.lastMs + 1, ptsMs);
    scaled.pts = BigInt(this.lastMs);
    scaled.pictType = isKey ? av.AV_PICTURE_TYPE_I : av.AV_PICTURE_TYPE_NONE;
    this.check(context.sendFrameSync(scaled), 'It cannot be encoded');
    this.check(context.receivePacketSync(packet), 'The encoder keeps a picture');
    const bytes = withLengths(annexBUnits(packet.data ?? new Uint8Array()));
    packet.unref();
    return bytes;
  }

  close(): void {
    this.scaler?.context.freeContext();
    this.context.freeContext();
    this.scaled.free();
    this.packet.free();
  }

  /** Made anew where the source's pictures have become others. */
  private scalerOf({ width, height, format }: Frame): SoftwareScaleContext {
    const { av, rung } = this;
    const of = `${width}x${height} ${format}`;
    if (this.scaler?.of === of) return this.scaler.context;
    this.scaler?.context.freeContext();
    const context = new av.SoftwareScaleContext();
    const { AV_PIX_FMT_YUV420P: made, SWS_BILINEAR: way } = av;
    context.getContext(width, height, format as typeof made, rung.width, rung.height, made, way);
    this.scaler = { of, context };
    return context;
  }

  private check(result: number, what: string): void {
    this.av.FFmpegError.throwIfError(result, what);
  }
}

function emptyPicture(av: Transcoder, { width, height }: PictureRung): Frame {
  const frame = new av.Frame();
  frame.alloc();
  Object.assign(frame, { width, height, format: av.AV_PIX_FMT_YUV420P });
  av.FFmpegError.throwIfError(frame.getBuffer(), 'There is no memory for a picture');
  return frame;
}
