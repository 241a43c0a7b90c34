// A video at another size: decoded, scaled and encoded picture by picture; the sound is copied as it is.
import { availableParallelism } from 'node:os';
import type { CodecContext, Frame, Stream } from 'node-av/lib';
import { MediaError, type Rotation } from '../../formats/packet.ts';
import type { Size, VariantName } from '../variants.ts';
import { FragmentedOutput } from './fragmented-output.ts';
import { packetsOf, type Transcoder, turned } from './transcoder.ts';

/** Bits a second at most; what is easy to encode stays below. */
const bitrateMax: Record<VariantName, number> = {
  '480': 1_000_000,
  '720': 2_500_000,
  '1080': 4_500_000,
};
/** x264's own middle: to most people it looks like the source. */
const constantQuality = 23;
/** A third of the default's time for a tenth more bits. */
const preset = 'veryfast';
const segmentSeconds = 2;
/** The clock of MPEG: every usual frame rate is whole in it. */
const ticksPerSecond = 90_000;
/** Half of the processors: a live stream must not wait for a variant. Each holds a picture, so on large machines not more. */
const threads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

export interface TranscodeOrder {
  video: string;
  into: string;
  name: VariantName;
  size: Size;
  /** How far the pictures are turned to be shown; those of the variant are upright. */
  rotation: Rotation;
}

export async function transcode(av: Transcoder, order: TranscodeOrder): Promise<void> {
  const { video, into, name, size, rotation } = order;
  await using input = await av.Demuxer.open(video);
  const [picture, sound] = [input.video(), input.audio()];
  if (!picture) throw new MediaError('The recording has no picture');
  // A picture that cannot be decoded is left out, as players do.
  using decoder = await av.Decoder.create(picture, { threadCount: threads, exitOnError: false });
  using scale = av.FilterAPI.create(turned(rotation) + fitInto(size));
  using encoder = await openEncoder(av, { picture, size, name });
  await using output = await FragmentedOutput.open(av, into, { encoder, sound });
  const startsSegment = everySegment();
  const placeAfterLast = rising();
  let pictures = 0;

  const encode = async (decoded: readonly (Frame | null)[]) => {
    for (const frame of decoded) {
      if (frame) placeAfterLast(frame);
      for (const scaled of await scale.processAll(frame)) {
        using shown = scaled;
        shown.pictType = startsSegment(shown) ? av.AV_PICTURE_TYPE_I : av.AV_PICTURE_TYPE_NONE;
        await output.writePicture(shown);
        pictures += 1;
      }
      frame?.free();
    }
  };
  for await (const packet of packetsOf(av, input)) {
    if (packet.streamIndex === picture.index) await encode(await decoder.decodeAll(packet));
    else if (packet.streamIndex === sound?.index) await output.writeSound(packet);
  }
  await encode([...(await decoder.decodeAll(null)), null]);
  if (pictures === 0) throw new MediaError('No picture of the recording can be decoded');
  await output.end();
}

/** Encoders want every picture after the one before; where a push's stamps did not say so, it comes a tick later. */
function rising(): (frame: Frame) => void {
  let next: bigint | undefined;
  return (frame) => {
    if (next !== undefined && frame.pts < next) frame.pts = next;
    next = frame.pts + 1n;
  };
}

/** A picture whose shape changes on the way keeps it, between bars. */
function fitInto({ width, height }: Size): string {
  const scale = `scale=${width}:${height}:force_original_aspect_ratio=decrease`;
  const bars = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
  return `${scale},${bars},setsar=1,format=yuv420p,settb=1/${ticksPerSecond}`;
}

/** FFmpeg's own context: node-av's encoder rounds times to the frame rate and decides on key frames itself. */
async function openEncoder(
  av: Transcoder,
  { picture, size, name }: { picture: Stream; size: Size; name: VariantName },
): Promise<CodecContext> {
  const codec = av.Codec.findEncoderByName(av.FF_ENCODER_LIBX264);
  if (!codec) throw new Error('the transcoder has no H.264 encoder');
  const context = new av.CodecContext();
  context.allocContext3(codec);
  const { colorRange, colorSpace, colorPrimaries, colorTrc } = picture.codecpar;
  const settings = {
    ...size,
    pixelFormat: av.AV_PIX_FMT_YUV420P,
    timeBase: new av.Rational(1, ticksPerSecond),
    framerate: picture.avgFrameRate,
    colorRange,
    colorSpace,
    colorPrimaries,
    colorTrc,
    rcMaxRate: BigInt(bitrateMax[name]),
    rcBufferSize: 2 * bitrateMax[name],
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

/** Whether a picture is the first of a segment. */
function everySegment(): (frame: Frame) => boolean {
  let next = 0;
  return ({ pts }) => {
    const seconds = Number(pts) / ticksPerSecond;
    if (seconds < next) return false;
    next = (Math.floor(seconds / segmentSeconds) + 1) * segmentSeconds;
    return true;
  };
}
