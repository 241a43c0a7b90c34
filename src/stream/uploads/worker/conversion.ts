// Makes H.264 and AAC of other codecs by the transcoder, which is handed packets and never sees a file.
import type { InputAudioTrack, InputTrack, InputVideoTrack } from 'mediabunny';
import type { CodecContext, Frame } from 'node-av/lib';
import { audioTrackOf } from '../../formats/aac.ts';
import { annexBUnits, withLengths } from '../../formats/annex-b.ts';
import { cleanPicture, recordOfUnits, videoTrackOf } from '../../formats/h264.ts';
import { MediaError, type Rotation } from '../../formats/packet.ts';
import type { Size } from '../../recording/variants.ts';
import {
  everySegment,
  openH264Encoder,
  threads,
  ticksPerSecond,
} from '../../recording/worker/h264-encoder.ts';
import { loadTranscoder, type Transcoder, turned } from '../../recording/worker/transcoder.ts';
import type { PlacedPacket } from '../decode-times.ts';
import type { Conversion, FileStream, StreamPacket } from '../file-streams.ts';
import { importLimits } from '../import-limits.ts';
import { ImportError } from '../import-problem.ts';
import { codecName, packetsOf, recordIn } from '../media-file.ts';

const soundRate = 48_000;
const soundBits = 160_000;

export async function openConversion(memoryBytesMax: number): Promise<Conversion> {
  const av = await loadTranscoder();
  return {
    pictures: (media) => convertPictures(av, media, memoryBytesMax),
    sound: (media) => convertSound(av, media),
  };
}

async function convertPictures(
  av: Transcoder,
  media: InputVideoTrack,
  memoryBytesMax: number,
): Promise<FileStream> {
  const [width, height] = [await media.getCodedWidth(), await media.getCodedHeight()];
  const pixelsMax = Math.floor(memoryBytesMax / importLimits.decodedPixelBytes);
  if (width * height > pixelsMax) {
    const side = Math.floor(Math.sqrt(pixelsMax));
    throw new ImportError({ code: 'too_large', width, height, side });
  }
  const decoder = await openDecoder(av, media, { max_pixels: pixelsMax }, (context) => {
    Object.assign(context, { width, height, threadCount: threads });
  });
  const size = fitted({
    width: await media.getDisplayWidth(),
    height: await media.getDisplayHeight(),
  });
  const rotation = await media.getRotation();
  // The first picture tells the colours, and the encoder the parameters that the track needs.
  const frames = turnedFrames(av, { decoder, media, size, rotation });
  const first = await frames.next();
  if (first.done) throw new MediaError('no picture of it can be decoded');
  const encoder = await openH264Encoder(av, {
    size,
    colours: first.value,
    framerate: new av.Rational(30, 1),
    bitrateMax: Math.ceil(size.width * size.height * importLimits.convertedBitsPerPixel),
  });
  const track = videoTrackOf(recordOfUnits(annexBUnits(encoder.extraData ?? new Uint8Array())));
  return {
    track,
    packets: encodedPictures(av, encoder, first.value, frames),
    clean: (bytes) => {
      const picture = cleanPicture(withLengths(annexBUnits(bytes)), track);
      return picture && { isKey: picture.isKey, bytes: picture.bytes as Uint8Array };
    },
  };
}

/** As it is shown, no larger than a live show is encoded, with even sides. */
function fitted({ width, height }: Size): Size {
  const scale = Math.min(1, importLimits.convertedSideMax / Math.min(width, height));
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(width), height: even(height) };
}

interface Turning {
  decoder: CodecContext;
  media: InputTrack;
  size: Size;
  rotation: Rotation;
}

async function* turnedFrames(
  av: Transcoder,
  { decoder, media, size, rotation }: Turning,
): AsyncGenerator<Frame> {
  const shape = `scale=${size.width}:${size.height},setsar=1,format=yuv420p`;
  using filter = av.FilterAPI.create(`${turned(rotation)}${shape},settb=1/${ticksPerSecond}`);
  for await (const frame of decodedFrames(av, decoder, media)) {
    yield* await filter.processAll(frame);
    frame?.free();
  }
}

async function* encodedPictures(
  av: Transcoder,
  encoder: CodecContext,
  first: Frame,
  others: AsyncGenerator<Frame>,
): AsyncGenerator<StreamPacket> {
  const startsSegment = everySegment(first.pts);
  let next = first.pts;
  async function* frames(): AsyncGenerator<Frame | null> {
    yield first;
    yield* others;
    yield null;
  }
  let last: StreamPacket | undefined;
  for await (const frame of frames()) {
    if (frame) {
      if (frame.pts < next) frame.pts = next;
      next = frame.pts + 1n;
      frame.pictType = startsSegment(frame) ? av.AV_PICTURE_TYPE_I : av.AV_PICTURE_TYPE_NONE;
    }
    for await (const packet of encoded(av, encoder, frame)) {
      const placed = { kind: 'video' as const, ...atMs(packet, ticksPerSecond) };
      if (last) yield { ...last, durationMs: Math.max(1, placed.dtsMs - last.dtsMs) };
      last = placed;
    }
    frame?.free();
  }
  encoder.freeContext();
  if (last) yield { ...last, durationMs: lastPictureMs };
}

/** Of a picture that no other follows. */
const lastPictureMs = 40;

async function convertSound(av: Transcoder, media: InputAudioTrack): Promise<FileStream> {
  const [sampleRate, channels] = [await media.getSampleRate(), await media.getNumberOfChannels()];
  const { channelsMax, sampleRateMax } = importLimits;
  if (!(channels >= 1 && channels <= channelsMax && sampleRate > 0 && sampleRate <= sampleRateMax))
    throw new MediaError(`its sound has ${channels} channels at ${sampleRate} samples a second`);
  const decoder = await openDecoder(av, media, {}, (context) => {
    Object.assign(context, {
      sampleRate,
      channelLayout: { nbChannels: channels, order: av.AV_CHANNEL_ORDER_UNSPEC, mask: 0n },
    });
  });
  const encoder = await openAacEncoder(av);
  const track = audioTrackOf(encoder.extraData ?? new Uint8Array());
  return {
    track,
    packets: encodedSound(av, { decoder, encoder, media }),
    clean: (bytes) => ({ isKey: true, bytes }),
  };
}

async function openAacEncoder(av: Transcoder): Promise<CodecContext> {
  const codec = av.Codec.findEncoderByName(av.FF_ENCODER_AAC);
  if (!codec) throw new Error('the transcoder has no AAC encoder');
  const context = new av.CodecContext();
  context.allocContext3(codec);
  Object.assign(context, {
    sampleRate: soundRate,
    sampleFormat: av.AV_SAMPLE_FMT_FLTP,
    channelLayout: av.AV_CHANNEL_LAYOUT_STEREO,
    bitRate: BigInt(soundBits),
    timeBase: new av.Rational(1, soundRate),
  });
  context.setFlags(av.AV_CODEC_FLAG_GLOBAL_HEADER);
  av.FFmpegError.throwIfError(await context.open2(codec), 'The encoder cannot be opened');
  return context;
}

async function* encodedSound(
  av: Transcoder,
  { decoder, encoder, media }: { decoder: CodecContext; encoder: CodecContext; media: InputTrack },
): AsyncGenerator<StreamPacket> {
  const shape = `aresample=${soundRate}:async=1,aformat=sample_fmts=fltp:channel_layouts=stereo`;
  using filter = av.FilterAPI.create(
    `${shape},asetnsamples=n=${encoder.frameSize}:p=0,asettb=1/${soundRate}`,
  );
  async function* shaped(): AsyncGenerator<Frame | null> {
    for await (const frame of decodedFrames(av, decoder, media)) {
      yield* await filter.processAll(frame);
      frame?.free();
    }
    yield null;
  }
  for await (const frame of shaped()) {
    for await (const packet of encoded(av, encoder, frame))
      yield { kind: 'audio', ...atMs(packet, soundRate) };
    frame?.free();
  }
  encoder.freeContext();
}

interface EncodedPacket {
  bytes: Uint8Array;
  pts: bigint;
}

function atMs({ bytes, pts }: EncodedPacket, ticks: number): PlacedPacket {
  const ms = Math.round((1_000 * Number(pts)) / ticks);
  return { bytes, dtsMs: ms, ptsMs: ms, durationMs: 0 };
}

/** Null ends it. */
async function* encoded(
  av: Transcoder,
  encoder: CodecContext,
  frame: Frame | null,
): AsyncGenerator<EncodedPacket> {
  av.FFmpegError.throwIfError(await encoder.sendFrame(frame), 'It cannot be encoded');
  for (;;) {
    using packet = new av.Packet();
    packet.alloc();
    const result = await encoder.receivePacket(packet);
    if (result === av.AVERROR_EAGAIN || result === av.AVERROR_EOF) return;
    av.FFmpegError.throwIfError(result, 'It cannot be encoded');
    if (packet.data) yield { bytes: new Uint8Array(packet.data), pts: packet.pts };
  }
}

/** Null at their end. What cannot be decoded is left out, as players do. */
async function* decodedFrames(
  av: Transcoder,
  decoder: CodecContext,
  media: InputTrack,
): AsyncGenerator<Frame | null> {
  for await (const { bytes, shownMs, durationMs } of packetsOf(media)) {
    using packet = new av.Packet();
    packet.alloc();
    packet.data = Buffer.from(bytes);
    packet.pts = BigInt(shownMs) * ticksPerMs;
    packet.duration = BigInt(durationMs) * ticksPerMs;
    await decoder.sendPacket(packet);
    yield* received(av, decoder);
  }
  await decoder.sendPacket(null);
  yield* received(av, decoder);
  decoder.freeContext();
  yield null;
}

const ticksPerMs = BigInt(ticksPerSecond / 1_000);

async function* received(av: Transcoder, decoder: CodecContext): AsyncGenerator<Frame> {
  for (;;) {
    const frame = new av.Frame();
    frame.alloc();
    if ((await decoder.receiveFrame(frame)) < 0) {
      frame.free();
      return;
    }
    frame.timeBase = new av.Rational(1, ticksPerSecond);
    yield frame;
  }
}

async function openDecoder(
  av: Transcoder,
  media: InputVideoTrack | InputAudioTrack,
  options: Record<string, number>,
  prepare: (context: CodecContext) => void,
): Promise<CodecContext> {
  const id = decoderId(av, (await media.getCodec()) ?? '');
  const codec = id === undefined ? null : av.Codec.findDecoder(id);
  if (!codec) {
    const [of, wanted] = media.isVideoTrack()
      ? (['picture', 'H.264'] as const)
      : (['sound', 'AAC'] as const);
    throw new ImportError({ code: 'codec', of, found: await codecName(media), wanted });
  }
  const context = new av.CodecContext();
  context.allocContext3(codec);
  prepare(context);
  context.pktTimebase = new av.Rational(1, ticksPerSecond);
  const record = await recordIn(media);
  if (record) context.extraData = Buffer.from(record);
  using given = av.Dictionary.fromObject(options);
  const result = await context.open2(codec, given);
  if (result < 0) throw new MediaError('what is needed to decode it is broken');
  return context;
}

function decoderId(av: Transcoder, codec: string) {
  return {
    avc: av.AV_CODEC_ID_H264,
    hevc: av.AV_CODEC_ID_HEVC,
    vp8: av.AV_CODEC_ID_VP8,
    vp9: av.AV_CODEC_ID_VP9,
    av1: av.AV_CODEC_ID_AV1,
    prores: av.AV_CODEC_ID_PRORES,
    aac: av.AV_CODEC_ID_AAC,
    opus: av.AV_CODEC_ID_OPUS,
    mp3: av.AV_CODEC_ID_MP3,
    vorbis: av.AV_CODEC_ID_VORBIS,
    flac: av.AV_CODEC_ID_FLAC,
    ac3: av.AV_CODEC_ID_AC3,
    eac3: av.AV_CODEC_ID_EAC3,
    dts: av.AV_CODEC_ID_DTS,
    ulaw: av.AV_CODEC_ID_PCM_MULAW,
    alaw: av.AV_CODEC_ID_PCM_ALAW,
    'pcm-u8': av.AV_CODEC_ID_PCM_U8,
    'pcm-s8': av.AV_CODEC_ID_PCM_S8,
    'pcm-s16': av.AV_CODEC_ID_PCM_S16LE,
    'pcm-s16be': av.AV_CODEC_ID_PCM_S16BE,
    'pcm-s24': av.AV_CODEC_ID_PCM_S24LE,
    'pcm-s24be': av.AV_CODEC_ID_PCM_S24BE,
    'pcm-s32': av.AV_CODEC_ID_PCM_S32LE,
    'pcm-s32be': av.AV_CODEC_ID_PCM_S32BE,
    'pcm-f32': av.AV_CODEC_ID_PCM_F32LE,
    'pcm-f32be': av.AV_CODEC_ID_PCM_F32BE,
  }[codec];
}
