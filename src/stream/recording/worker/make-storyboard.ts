// Makes the storyboard of a video: small pictures of it, many on a sheet, and the list of them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Demuxer, FilterAPI } from 'node-av/api';
import type { Frame, Stream } from 'node-av/lib';
import { MediaError, type Rotation, shownSize } from '../../formats/packet.ts';
import {
  picturesPerSheet,
  type Storyboard,
  sheetFile,
  storyboardFile,
  storyboardOf,
  storyboardSize,
  storyboardText,
  tiles,
} from '../storyboard.ts';
import type { Size } from '../variants.ts';
import { jpegBytes } from './jpeg.ts';
import { putInPlace, temporaryName } from './output-file.ts';
import { openSource, rotationIn } from './source-reader.ts';
import { loadTranscoder, packetsOf, type Transcoder, turned } from './transcoder.ts';

/** As in `makeCover`: a moment of the file. */
const anyStream = -1;
/** Small pictures hide what a stronger compression costs. */
const jpegQuality = 6;
/** So slow a machine has better things to do: the cover waits for nobody's storyboard. */
const takesMsMax = 120_000;

/** `video` is the whole recording as a file that FFmpeg can seek in. Returns how many bytes it has. */
export async function makeStoryboard(folder: string, video: string): Promise<number> {
  const av = await loadTranscoder();
  const source = await openSource(folder);
  await source.file.close();
  await using input = await av.Demuxer.open(video);
  const stream = input.video();
  if (!stream) throw new MediaError('The recording has no picture');
  const rotation = rotationIn(source);
  const { width, height } = stream.codecpar;
  const size = storyboardSize(shownSize({ width, height, rotation }));
  const board = storyboardOf(Math.max(1, Math.round(input.duration)));
  const pictures = new Pictures({ av, input, stream, rotation, size });
  let bytes = 0;
  const write = async (name: string, data: string | Uint8Array) => {
    const temporary = temporaryName(name);
    await writeFile(join(folder, temporary), data, { mode: 0o600 });
    await putInPlace(folder, temporary, name);
    bytes += data.length;
  };
  let sheets = 0;
  for await (const sheet of sheetsOf(av, pictures, board)) await write(sheetFile(sheets++), sheet);
  // Last, as it names the others.
  await write(storyboardFile, storyboardText(board, size));
  return bytes;
}

async function* sheetsOf(
  av: Transcoder,
  pictures: Pictures,
  { moments }: Storyboard,
): AsyncGenerator<Uint8Array> {
  const beganAt = performance.now();
  for (let from = 0; from < moments.length; from += picturesPerSheet) {
    using sheet = av.FilterAPI.create(tiles);
    for (const seconds of moments.slice(from, from + picturesPerSheet)) {
      if (performance.now() - beganAt > takesMsMax) throw new Error('a storyboard took too long');
      const full = await sheet.processAll(await pictures.at(seconds));
      for (const frame of full) yield await encoded(av, frame);
    }
    for (const frame of await rest(sheet)) yield await encoded(av, frame);
  }
}

/** What a sheet that is not full has. */
async function rest(sheet: FilterAPI): Promise<Frame[]> {
  return await sheet.processAll(null);
}

async function encoded(av: Transcoder, frame: Frame): Promise<Uint8Array> {
  using sheet = frame;
  return await jpegBytes(av, sheet, jpegQuality);
}

interface PicturesOf {
  av: Transcoder;
  input: Demuxer;
  stream: Stream;
  rotation: Rotation;
  size: Size;
}

/** Key frames alone are decoded: each is a picture by itself. */
class Pictures {
  private readonly of: PicturesOf;
  private last: { pts: bigint; frame: Frame } | undefined;

  constructor(of: PicturesOf) {
    this.of = of;
  }

  /** The key frame before that moment; it stays this object's. */
  async at(seconds: number): Promise<Frame> {
    const { av, input, stream } = this.of;
    await input.seek(seconds, anyStream, av.AVSEEK_FLAG_BACKWARD);
    for await (const packet of packetsOf(av, input)) {
      if (packet.streamIndex !== stream.index || !packet.isKeyframe) continue;
      if (this.last?.pts === packet.pts) return this.last.frame;
      using decoder = await av.Decoder.create(stream, { threadCount: 1, exitOnError: false });
      const found = [...(await decoder.decodeAll(packet)), ...(await decoder.decodeAll(null))];
      const [first] = found;
      if (first) {
        const frame = await this.scaled(first);
        for (const one of found) one.free();
        this.last?.frame.free();
        this.last = { pts: packet.pts, frame };
      }
      break;
    }
    // Where one cannot be decoded the one before it stands.
    if (!this.last) throw new MediaError('No picture of the recording can be decoded');
    return this.last.frame;
  }

  private async scaled(frame: Frame): Promise<Frame> {
    const { av, rotation, size } = this.of;
    const { width, height } = size;
    // A recording may change its shape on the way.
    const fit = `scale=${width}:${height}:force_original_aspect_ratio=decrease:out_range=full`;
    const pad = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2,setsar=1,format=yuvj420p`;
    using scale = av.FilterAPI.create(`${turned(rotation)}${fit},${pad}`);
    const [scaled] = await scale.processAll(frame);
    if (!scaled) throw new MediaError('The picture cannot be scaled');
    return scaled;
  }
}
