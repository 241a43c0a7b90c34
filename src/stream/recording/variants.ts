// Which smaller sizes a recording is offered in.

export const variantNames = ['480', '720', '1080'] as const;
/** By the length of the short side, so that a picture in portrait counts as it is seen. */
export type VariantName = (typeof variantNames)[number];

/** What the ladder alone makes, and only where nothing of it is missing: the interface has no field for them. */
export const ladderSizeNames = ['360', 'sound', 'still'] as const;
export type LadderSizeName = (typeof ladderSizeNames)[number];
/** Of a recording beside its source. */
export type SizeName = VariantName | LadderSizeName;

/** Those that must be made: never larger than the source, and what the source is already is not made again. */
export function variantsOf(width: number, height: number): VariantName[] {
  return variantNames.filter((name) => Number(name) < Math.min(width, height));
}

/** Those that the source itself is. */
export function sourceVariants(width: number, height: number): VariantName[] {
  return variantNames.filter((name) => Number(name) === Math.min(width, height));
}

export interface Size {
  width: number;
  height: number;
}

export function variantSize(name: VariantName, source: Size): Size {
  return scaledSize(source, Number(name) / Math.min(source.width, source.height));
}

/** The same shape, in even numbers as 4:2:0 wants them. */
export function scaledSize({ width, height }: Size, scale: number): Size {
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(width), height: even(height) };
}
