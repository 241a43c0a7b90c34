// The encoder of what browsers play: H.264 with a key frame at the beginning of each segment.
import { availableParallelism } from 'node:os';
import type { CodecContext, Frame, Rational } from 'node-av/lib';
import type { Size } from '../variants.ts';
import type { Transcoder } from './transcoder.ts';

/** x264's own middle: to most people it looks like the source. */
const constantQuality = 23;
/** A third of the default's time for a tenth more bits. */
const preset = 'veryfast';
const segmentSeconds = 2;
/** The clock of MPEG: every usual frame rate is whole in it. */
export const ticksPerSecond = 90_000;
/** Half of the processors: a live stream must not wait for a variant. Each holds a picture, so on large machines not more. */
export const threads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

export interface H264Wanted {
  size: Size;
  /** As the source's are. */
  colours: Pick<CodecContext, 'colorRange' | 'colorSpace' | 'colorPrimaries' | 'colorTrc'>;
  framerate: Rational;
  /** Bits a second; what is easy to encode stays below. */
  bitrateMax: number;
}

/** FFmpeg's own context: node-av's encoder rounds times to the frame rate and decides on key frames itself. */
export async function openH264Encoder(
  av: Transcoder,
  { size, colours, framerate, bitrateMax }: H264Wanted,
): Promise<CodecContext> {
  const codec = av.Codec.findEncoderByName(av.FF_ENCODER_LIBX264);
  if (!codec) throw new Error('the transcoder has no H.264 encoder');
  const context = new av.CodecContext();
  context.allocContext3(codec);
  const { colorRange, colorSpace, colorPrimaries, colorTrc } = colours;
  const settings = {
    ...size,
    pixelFormat: av.AV_PIX_FMT_YUV420P,
    timeBase: new av.Rational(1, ticksPerSecond),
    framerate,
    colorRange,
    colorSpace,
    colorPrimaries,
    colorTrc,
    rcMaxRate: BigInt(bitrateMax),
    rcBufferSize: 2 * bitrateMax,
    threadCount: threads,
    // Shown in the order they are decoded, pictures begin at 0, whatever a player makes of edit lists.
    maxBFrames: 0,
  } satisfies Partial<CodecContext>;
  Object.assign(context, settings);
  // The parameter sets go into the header, not before each key frame.
  context.setFlags(av.AV_CODEC_FLAG_GLOBAL_HEADER);
  using options = av.Dictionary.fromObject({
    preset,
    crf: constantQuality,
    'forced-idr': 1,
    'x264-params': 'scenecut=0:keyint=infinite',
  });
  av.FFmpegError.throwIfError(await context.open2(codec, options), 'The encoder cannot be opened');
  return context;
}

/** Whether a picture is the first of a segment, of media that has none yet. */
export function everySegment(from = 0n): (frame: Frame) => boolean {
  let next = Number(from) / ticksPerSecond;
  return ({ pts }) => {
    const seconds = Number(pts) / ticksPerSecond;
    if (seconds < next) return false;
    next = (Math.floor(seconds / segmentSeconds) + 1) * segmentSeconds;
    return true;
  };
}
