// Makes H.264 of other pictures: decoded within a bound, turned upright, no larger than a live show's, and encoded.
import type { InputTrack, InputVideoTrack } from 'mediabunny';
import type { CodecContext, Frame } from 'node-av/lib';
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
import { type Transcoder, turned } from '../../recording/worker/transcoder.ts';
import type { FileStream, StreamPacket } from '../file-streams.ts';
import { importLimits } from '../import-limits.ts';
import { ImportError } from '../import-problem.ts';
import { atMs, decodedFrames, encoded, openDecoder } from './packet-codec.ts';

export async function convertPictures(
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
