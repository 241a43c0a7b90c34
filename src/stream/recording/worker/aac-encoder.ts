// The encoder of sound that browsers play: AAC, stereo, at 48,000 samples a second.
import type { CodecContext } from 'node-av/lib';
import type { Transcoder } from './transcoder.ts';

export const soundRate = 48_000;
const soundBits = 160_000;

export async function openAacEncoder(av: Transcoder): Promise<CodecContext> {
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

/** The filter that makes any sound what the encoder takes: where none came for a while there is silence. */
export function stereoFor({ frameSize }: CodecContext): string {
  const shape = `aresample=${soundRate}:async=1,aformat=sample_fmts=fltp:channel_layouts=stereo`;
  return `${shape},asetnsamples=n=${frameSize}:p=0,asettb=1/${soundRate}`;
}
