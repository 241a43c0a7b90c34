// The shape of a picture: how wide it is for its height. The page keeps its place by it, before the picture is there and after.

/** As the channel's row, a video's or the media element has it; 0 where it is not known. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Most are of this shape, so a picture that nobody knows yet has its place. */
export const usualShape = 16 / 9;
/** A strip would leave nothing of the page. */
const shapeMin = 9 / 21;
const shapeMax = 21 / 9;

/** That of the first whose size is known. */
export function shapeOf(...sizes: readonly (PictureSize | undefined)[]): number {
  const known = sizes.find((size) => size && size.width > 0 && size.height > 0);
  if (!known) return usualShape;
  return Math.min(shapeMax, Math.max(shapeMin, known.width / known.height));
}

/** What the page's body says of it, for the style sheet. */
export function shapeName(shape: number): 'tall' | 'wide' {
  return shape < 0.9 ? 'tall' : 'wide';
}

/** Variants of a picture are rounded to whole pixels: nothing moves for those. */
export function isSameShape(one: number, other: number): boolean {
  return Math.abs(one / other - 1) < 0.02;
}
