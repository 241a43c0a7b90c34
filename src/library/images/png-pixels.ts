// Looks whether a PNG unpacks to exactly its pixels: one that unpacks to gigabytes is a bomb, one that unpacks to less is cut.
import { ImageProblem } from './image-bytes.ts';
import type { PngFacts } from './image-file.ts';
import { unpackedLength } from './unpacked-length.ts';

export async function checkPngPixels(png: PngFacts): Promise<void> {
  const wanted = unpackedBytes(png);
  const found = await unpackedLength(Buffer.concat(png.packed), wanted);
  if (found === undefined || found < wanted) throw tooLittle();
  if (found > wanted) throw tooMuch();
}

/** The passes of an interlaced PNG (PNG, third edition, 8.1): where each begins and how far its pixels lie apart. */
const passes = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];
const onePass = [{ x: 0, y: 0, dx: 1, dy: 1 }];

/** Each line of each pass is its filter's number and its pixels. */
function unpackedBytes({ width, height, bitsPerPixel, isInterlaced }: PngFacts): number {
  let bytes = 0;
  for (const { x, y, dx, dy } of isInterlaced ? passes : onePass) {
    const columns = Math.max(0, Math.ceil((width - x) / dx));
    const lines = Math.max(0, Math.ceil((height - y) / dy));
    if (columns > 0) bytes += lines * (1 + Math.ceil((columns * bitsPerPixel) / 8));
  }
  return bytes;
}

function tooMuch(): ImageProblem {
  return new ImageProblem(
    'The picture unpacks to more than its pixels: it is made to fill the memory of whoever opens it.',
  );
}

function tooLittle(): ImageProblem {
  return new ImageProblem('The picture breaks off: a part of its pixels is missing.');
}
