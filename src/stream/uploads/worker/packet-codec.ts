// Packets of a file to frames, and frames to packets, by FFmpeg's codecs: it is handed packets and never sees a file.
import type { InputAudioTrack, InputTrack, InputVideoTrack } from 'mediabunny';
import type { CodecContext, Frame } from 'node-av/lib';
import { MediaError } from '../../formats/packet.ts';
import { encodedPackets } from '../../recording/worker/encoded-packets.ts';
import { ticksPerSecond } from '../../recording/worker/h264-encoder.ts';
import type { Transcoder } from '../../recording/worker/transcoder.ts';
import type { PlacedPacket } from '../decode-times.ts';
import { ImportError } from '../import-problem.ts';
import { codecName, packetsOf, recordIn } from '../media-file.ts';

export interface EncodedPacket {
  bytes: Uint8Array;
  pts: bigint;
}

export function atMs({ bytes, pts }: EncodedPacket, ticks: number): PlacedPacket {
  const ms = Math.round((1_000 * Number(pts)) / ticks);
  return { bytes, dtsMs: ms, ptsMs: ms, durationMs: 0 };
}

/** Null ends it. */
export async function* encoded(
  av: Transcoder,
  encoder: CodecContext,
  frame: Frame | null,
): AsyncGenerator<EncodedPacket> {
  for await (const { data, pts } of encodedPackets(av, encoder, frame))
    if (data) yield { bytes: new Uint8Array(data), pts };
}

/** Null at their end. What cannot be decoded is left out, as players do. */
export async function* decodedFrames(
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

export async function openDecoder(
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
