// Makes a JPEG of one key frame; in a process of its own, as all that decodes.
import type { Frame } from 'node-av/lib';
import { fragment } from '../formats/fmp4.ts';
import { initSegment, trackIdOf } from '../formats/fmp4-init.ts';
import { sequencesOf, shapeOf, videoTrackOf } from '../formats/h264.ts';
import { MediaError } from '../formats/packet.ts';
import { jpegOf } from '../recording/worker/jpeg.ts';
import { checkShapes } from '../recording/worker/picture-check.ts';
import { loadTranscoder, packetsOf, type Transcoder } from '../recording/worker/transcoder.ts';
import { pictureLimits } from './picture-limits.ts';

/** Small pictures hide what a stronger compression costs. */
const jpegQuality = 5;

/** `record` and `keyFrame` as the push sent them. */
export async function makePicture(
  record: Uint8Array,
  keyFrame: Uint8Array,
  memoryBytesMax: number,
): Promise<Uint8Array> {
  const av = await loadTranscoder();
  checkShapes(sequencesOf(record).map(shapeOf), memoryBytesMax);
  using frame = await decoded(av, movieOf(record, keyFrame));
  return await jpegOf(av, frame, { widthMax: pictureLimits.widthMax, quality: jpegQuality });
}

/** A movie of one picture, which FFmpeg reads like any other. */
function movieOf(record: Uint8Array, keyFrame: Uint8Array): Buffer {
  const track = videoTrackOf(record);
  const sample = { size: keyFrame.length, duration: 1, isKey: true, compositionOffset: 0 };
  const tracks = [{ trackId: trackIdOf(track), baseTime: 0, samples: [sample] }];
  const { bytes, dataAt } = fragment({ sequence: 1, tracks });
  bytes.set(keyFrame, dataAt);
  return Buffer.concat([initSegment([track]), bytes]);
}

async function decoded(av: Transcoder, movie: Buffer): Promise<Frame> {
  await using input = await av.Demuxer.open(movie);
  const stream = input.video();
  if (!stream) throw new MediaError('The key frame is none');
  // One thread: several would each wait for a picture of their own.
  using decoder = await av.Decoder.create(stream, { threadCount: 1, exitOnError: false });
  const frames: Frame[] = [];
  for await (const packet of packetsOf(av, input))
    frames.push(...(await decoder.decodeAll(packet)));
  frames.push(...(await decoder.decodeAll(null)));
  const [first, ...others] = frames;
  for (const other of others) other.free();
  if (!first) throw new MediaError('The key frame cannot be decoded');
  return first;
}
