// A time as black and white cells that survive an encoder: 32 bits of it and 8 to check them.

export const columns = 8;
export const rows = 5;

const black = 16;
const white = 235;
const cells = columns * rows;
const timeBits = 32;

export interface Picture {
  width: number;
  height: number;
}

/** Fills the luma plane of a picture, whose sides are multiples of the numbers of cells. */
export function drawTime(luma: Uint8Array, { width, height }: Picture, timeMs: number): void {
  const bits = bitsOf(timeMs);
  const cellWidth = width / columns;
  const cellHeight = height / rows;
  for (let row = 0; row < rows; row++) {
    const line = row * cellHeight * width;
    for (let column = 0; column < columns; column++) {
      const shade = bits[row * columns + column] ? white : black;
      luma.fill(shade, line + column * cellWidth, line + (column + 1) * cellWidth);
    }
    for (let y = 1; y < cellHeight; y++) luma.copyWithin(line + y * width, line, line + width);
  }
}

/** The time in the cells, each given by how bright its middle is (0 to 255); undefined where the check fails. */
export function readTime(shades: readonly number[], nowMs: number): number | undefined {
  const bits = shades.map((shade): number => (shade > 127 ? 1 : 0));
  const low = bits.slice(0, timeBits).reduce((sum, bit) => sum * 2 + bit, 0);
  // The upper bits are those of the reader's own clock, a wrap in between counted.
  const timeMs = nowMs - ((nowMs - low) % 2 ** timeBits);
  const wanted = bitsOf(timeMs);
  return bits.length === cells && bits.every((bit, at) => bit === wanted[at]) ? timeMs : undefined;
}

function bitsOf(timeMs: number): number[] {
  const low = timeMs % 2 ** timeBits;
  const check = checkOf(low);
  return Array.from({ length: cells }, (_, at) =>
    at < timeBits ? bitOf(low, timeBits - 1 - at) : bitOf(check, cells - 1 - at),
  );
}

function bitOf(value: number, at: number): number {
  return Math.floor(value / 2 ** at) % 2;
}

/** Not the sum alone: all black must not be right. */
function checkOf(low: number): number {
  const bytes = [24, 16, 8, 0].map((shift) => (low >>> shift) & 0xff);
  return bytes.reduce((sum, byte) => (sum * 31 + byte) & 0xff, 0xa5);
}
