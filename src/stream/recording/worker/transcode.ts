// A video at another size: decoded, scaled and encoded picture by picture.
import type { Frame, Packet } from 'node-av/lib';
import { annexBUnits, withLengths } from '../../formats/annex-b.ts';
import { recordOfUnits } from '../../formats/h264.ts';
import { MediaError } from '../../formats/packet.ts';
import type { Size, VariantName } from '../variants.ts';
import { encodedPackets } from './encoded-packets.ts';
import { openH264Encoder, threads, ticksPerSecond } from './h264-encoder.ts';
import { PicturePlaces } from './picture-places.ts';
import { rotationIn, type Source } from './source-reader.ts';
import { packetsOf, type Transcoder, turned } from './transcoder.ts';
import { VariantFile } from './variant-file.ts';

/** Bits a second at most; what is easy to encode stays below. */
const bitrateMax: Record<VariantName, number> = {
  '480': 1_000_000,
  '720': 2_500_000,
  '1080': 4_500_000,
};

export interface TranscodeOrder {
  /** The movie that was made of the source. */
  video: string;
  source: Source;
  into: string;
  name: VariantName;
  size: Size;
}

/** The index of what it has made. */
export async function transcode(av: Transcoder, order: TranscodeOrder): Promise<string> {
  const { video, source, into, name, size } = order;
  await using input = await av.Demuxer.open(video);
  const picture = input.video();
  if (!picture) throw new MediaError('The recording has no picture');
  // A picture that cannot be decoded is left out, as players do.
  using decoder = await av.Decoder.create(picture, { threadCount: threads, exitOnError: false });
  // Pictures of the variant are upright.
  using scale = av.FilterAPI.create(turned(rotationIn(source)) + fitInto(size));
  using encoder = await openH264Encoder(av, {
    size,
    colours: picture.codecpar,
    framerate: picture.avgFrameRate,
    bitrateMax: bitrateMax[name],
  });
  const record = recordOfUnits(annexBUnits(encoder.extraData ?? new Uint8Array()));
  const places = await PicturePlaces.of(source);
  const file = await VariantFile.create(into, { source, places, record });
  const placeAfterLast = rising();
  let segment = -1;

  const write = async (frame: Frame | null) => {
    for await (const packet of encodedPackets(av, encoder, frame)) {
      const place = places.at(msOf(packet));
      const bytes = withLengths(annexBUnits(packet.data ?? new Uint8Array()));
      if (place) await file.add({ ...place, isKey: packet.isKeyframe, bytes });
    }
  };
  const encode = async (decoded: readonly (Frame | null)[]) => {
    for (const frame of decoded) {
      if (frame) placeAfterLast(frame);
      for (const scaled of await scale.processAll(frame)) {
        using shown = scaled;
        const place = places.at((Number(shown.pts) * 1_000) / ticksPerSecond);
        const isFirst = place !== undefined && place.segment > segment;
        shown.pictType = isFirst ? av.AV_PICTURE_TYPE_I : av.AV_PICTURE_TYPE_NONE;
        segment = place?.segment ?? segment;
        await write(shown);
      }
      frame?.free();
    }
  };
  try {
    let hasBegun = false;
    for await (const packet of packetsOf(av, input)) {
      if (packet.streamIndex !== picture.index) continue;
      if (!hasBegun) places.begin(msOf(packet));
      hasBegun = true;
      await encode(await decoder.decodeAll(packet));
    }
    await encode([...(await decoder.decodeAll(null)), null]);
    await write(null);
    if (segment < 0) throw new MediaError('No picture of the recording can be decoded');
    return await file.end();
  } finally {
    await file.close();
  }
}

function msOf({ pts, timeBase: { num, den } }: Pick<Packet, 'pts' | 'timeBase'>): number {
  return (Number(pts) * 1_000 * num) / den;
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
