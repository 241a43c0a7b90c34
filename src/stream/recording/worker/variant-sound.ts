// The sound of a variant: as the recording has it, or encoded anew where it changes on the way.
import type { Packet, Stream } from 'node-av/lib';
import { openAacEncoder, stereoFor } from './aac-encoder.ts';
import { encodedPackets } from './encoded-packets.ts';
import type { SoundOfOutput } from './fragmented-output.ts';
import type { Transcoder } from './transcoder.ts';

export interface VariantSound {
  made: SoundOfOutput;
  /** What becomes of a packet of the recording's sound; null ends it. A packet is there until the next is asked for. */
  packets(of: Packet | null): AsyncIterable<Packet>;
}

export function soundAsItIs(stream: Stream): VariantSound {
  return {
    made: { copied: stream },
    packets: async function* (packet) {
      if (packet) yield packet;
    },
  };
}

/** A fragmented file has one way to decode its sound: whatever comes becomes the same, also from mono to stereo. */
export async function soundMadeOne(av: Transcoder, stream: Stream): Promise<VariantSound> {
  const decoder = await av.Decoder.create(stream, { exitOnError: false });
  const encoder = await openAacEncoder(av);
  const filter = av.FilterAPI.create(stereoFor(encoder));
  return {
    made: { encoder },
    packets: async function* (packet) {
      const decoded = await decoder.decodeAll(packet);
      for (const frame of packet ? decoded : [...decoded, null]) {
        for (const shaped of await filter.processAll(frame)) {
          using whole = shaped;
          yield* encodedPackets(av, encoder, whole);
        }
        frame?.free();
      }
      if (!packet) yield* encodedPackets(av, encoder, null);
    },
  };
}
