// A video at another size: decoded, scaled and encoded picture by picture; the sound is copied where it is one.
import type { Frame, Packet } from 'node-av/lib';
import { MediaError, type Rotation } from '../../formats/packet.ts';
import type { Size, VariantName } from '../variants.ts';
import { FragmentedOutput } from './fragmented-output.ts';
import { asInSource, openH264Encoder, threads, ticksPerSecond } from './h264-encoder.ts';
import { packetsOf, type Transcoder, turned } from './transcoder.ts';
import { soundAsItIs, soundMadeOne } from './variant-sound.ts';

/** Bits a second at most; what is easy to encode stays below. */
const bitrateMax: Record<VariantName, number> = {
  '480': 1_000_000,
  '720': 2_500_000,
  '1080': 4_500_000,
};

export interface TranscodeOrder {
  video: string;
  into: string;
  name: VariantName;
  size: Size;
  /** Where the source's segments begin in it. */
  startsMs: readonly number[];
  /** How far the pictures are turned to be shown; those of the variant are upright. */
  rotation: Rotation;
  /** There is more than one way to decode it. */
  doesSoundChange: boolean;
}

export async function transcode(av: Transcoder, order: TranscodeOrder): Promise<void> {
  const { video, into, name, size, rotation } = order;
  await using input = await av.Demuxer.open(video);
  const [picture, heard] = [input.video(), input.audio()];
  if (!picture) throw new MediaError('The recording has no picture');
  // A picture that cannot be decoded is left out, as players do.
  using decoder = await av.Decoder.create(picture, { threadCount: threads, exitOnError: false });
  using scale = av.FilterAPI.create(turned(rotation) + fitInto(size));
  using encoder = await openH264Encoder(av, {
    size,
    colours: picture.codecpar,
    framerate: picture.avgFrameRate,
    bitrateMax: bitrateMax[name],
  });
  const sound =
    heard && (order.doesSoundChange ? await soundMadeOne(av, heard) : soundAsItIs(heard));
  await using output = await FragmentedOutput.open(av, into, { encoder, sound: sound?.made });
  const startsSegment = asInSource(order.startsMs);
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
  const hear = async (packet: Packet | null) => {
    if (sound) for await (const one of sound.packets(packet)) await output.writeSound(one);
  };
  for await (const packet of packetsOf(av, input)) {
    if (packet.streamIndex === picture.index) await encode(await decoder.decodeAll(packet));
    else if (packet.streamIndex === heard?.index) await hear(packet);
  }
  await encode([...(await decoder.decodeAll(null)), null]);
  await hear(null);
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

/** A picture whose shape changes on the way keeps it, between bars. What rounding leaves is no reason for one. */
function fitInto({ width, height }: Size): string {
  const side = (of: string) => `'2*round(${of}*min(${width}/iw,${height}/ih)/2)'`;
  const bars = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
  return `scale=${side('iw')}:${side('ih')},${bars},setsar=1,format=yuv420p,settb=1/${ticksPerSecond}`;
}
