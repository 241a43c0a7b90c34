// Makes the cover of a video: one picture of it, early but not the first, as a JPEG.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'node-av/lib';
import { MediaError } from '../../formats/packet.ts';
import { coverFile } from '../recording-folder.ts';
import { jpegOf } from './jpeg.ts';
import { putInPlace, temporaryName } from './output-file.ts';
import { openSource, rotationIn } from './source-reader.ts';
import { loadTranscoder, packetsOf, type Transcoder } from './transcoder.ts';

/** How far in the picture is taken: the first is often black or half faded in. */
const part = 0.1;
const secondsMax = 10;
const widthMax = 1_280;
/** A moment of the file, not of a stream's own timeline. */
const anyStream = -1;
/** From 2, the best, to 31. */
const jpegQuality = 3;

/** `video` is the whole recording as a file that FFmpeg can seek in. Returns how many bytes the cover has. */
export async function makeCover(folder: string, video: string): Promise<number> {
  const av = await loadTranscoder();
  const source = await openSource(folder);
  await source.file.close();
  using frame = await pictureOf(av, video);
  const rotation = rotationIn(source);
  const bytes = await jpegOf(av, frame, { widthMax, quality: jpegQuality, rotation });
  const temporary = temporaryName(coverFile);
  await writeFile(join(folder, temporary), bytes, { mode: 0o600 });
  await putInPlace(folder, temporary, coverFile);
  return bytes.length;
}

/** Decodes from the key frame before, so that the picture is whole and of the right moment. */
async function pictureOf(av: Transcoder, video: string): Promise<Frame> {
  await using input = await av.Demuxer.open(video);
  const stream = input.video();
  if (!stream) throw new MediaError('The recording has no picture');
  const seconds = Math.min(part * input.duration, secondsMax);
  await input.seek(seconds, anyStream, av.AVSEEK_FLAG_BACKWARD);
  using decoder = await av.Decoder.create(stream, { exitOnError: false });
  let best: Frame | undefined;
  const isFound = (frame: Frame) => {
    best?.free();
    best = frame;
    return (Number(frame.pts) * frame.timeBase.num) / frame.timeBase.den >= seconds;
  };
  for await (const packet of packetsOf(av, input)) {
    if (packet.streamIndex !== stream.index) continue;
    if ((await decoder.decodeAll(packet)).some(isFound)) break;
  }
  // A short recording may end before the decoder has given out anything.
  if (!best) (await decoder.decodeAll(null)).some(isFound);
  if (!best) throw new MediaError('No picture of the recording can be decoded');
  return best;
}
