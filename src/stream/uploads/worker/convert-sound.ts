// Makes AAC of other sound: stereo, at 48,000 samples a second.
import type { InputAudioTrack, InputTrack } from 'mediabunny';
import type { CodecContext, Frame } from 'node-av/lib';
import { audioTrackOf } from '../../formats/aac.ts';
import { MediaError } from '../../formats/packet.ts';
import { openAacEncoder, soundRate, stereoFor } from '../../recording/worker/aac-encoder.ts';
import type { Transcoder } from '../../recording/worker/transcoder.ts';
import type { FileStream, StreamPacket } from '../file-streams.ts';
import { importLimits } from '../import-limits.ts';
import { atMs, decodedFrames, encoded, openDecoder } from './packet-codec.ts';

export async function convertSound(av: Transcoder, media: InputAudioTrack): Promise<FileStream> {
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

async function* encodedSound(
  av: Transcoder,
  { decoder, encoder, media }: { decoder: CodecContext; encoder: CodecContext; media: InputTrack },
): AsyncGenerator<StreamPacket> {
  using filter = av.FilterAPI.create(stereoFor(encoder));
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
