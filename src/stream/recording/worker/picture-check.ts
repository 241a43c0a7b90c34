// Refuses pictures that are too large to decode, before anybody decodes them.
import { parameterSets } from '../../formats/fmp4-reader.ts';
import { type Shape, shapeOf } from '../../formats/h264.ts';
import { openSource, type Source } from './source-reader.ts';

/** No machine of this size will decode it, however often it is tried. */
export class TooLarge extends Error {}

/** The rest is for the encoder, the sound and the program itself: of 4K, two thirds of what the job takes. */
const decoderShare = 0.5;
/** 4:2:0 with 8 bits, which is all that we take. */
const pixelBytes = 1.5;
/** Beside those that are kept: the one being decoded, the one on its way out, the one being scaled. */
const framesBeside = 3;

/** Looks at every way to decode the recording's pictures that its inits name; there is no other in the MP4. */
export async function checkPictures(folder: string, memoryBytesMax: number): Promise<void> {
  const source = await openSource(folder);
  await source.file.close();
  checkShapes(shapesOf(source), memoryBytesMax);
}

/** The same of pictures whose shapes are known. */
export function checkShapes(shapes: readonly Shape[], memoryBytesMax: number): void {
  const bytesMax = decoderShare * memoryBytesMax;
  for (const shape of shapes) {
    const bytes = decoderBytes(shape);
    if (bytes <= bytesMax) continue;
    const { width, height, referenceFrames } = shape;
    throw new TooLarge(
      `a picture of ${width}x${height} with ${referenceFrames} reference frames takes ${megabytes(bytes)} to decode, ` +
        `more than ${megabytes(bytesMax)}: half of JOB_MEMORY`,
    );
  }
}

/** A picture may use any parameter set of its record, not only the first. */
function shapesOf({ tracksAt }: Source): Shape[] {
  const pictures = [...tracksAt.values()].flat().filter(({ kind }) => kind === 'video');
  return pictures.flatMap(({ entry }) => sequencesIn(parameterSets(entry)).map(shapeOf));
}

const sequenceParameters = 7;

function sequencesIn({ lengthSize, bytes }: ReturnType<typeof parameterSets>): Uint8Array[] {
  const found: Uint8Array[] = [];
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < view.length; ) {
    const start = at + lengthSize;
    at = start + view.readUIntBE(at, lengthSize);
    const set = view.subarray(start, at);
    if (((set[0] ?? 0) & 0x1f) === sequenceParameters) found.push(set);
  }
  return found;
}

/** The least that a decoder will hold. */
function decoderBytes({ codedPixels, referenceFrames }: Shape): number {
  return pixelBytes * codedPixels * (referenceFrames + framesBeside);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576)} MB`;
}
