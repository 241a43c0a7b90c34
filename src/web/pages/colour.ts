// Colours as numbers: read from a field, laid over each other, compared as WCAG 2.2 does, written again.

/** Levels 0 to 255 and how opaque it is, 0 to 1. */
export interface Colour {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

/** What text needs against its ground (WCAG 2.2, 1.4.3), and what a focus ring or an icon needs (1.4.11). */
export const textContrastMin = 4.5;
export const shapeContrastMin = 3;

/** Reads the forms the interface allows; undefined for anything else. */
export function readColour(text: string): Colour | undefined {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(text)?.[1];
  if (hex !== undefined) return readHex(hex);
  const inside = /^rgba?\(([\d., ]+)\)$/i.exec(text)?.[1];
  if (inside === undefined) return undefined;
  const parts = inside.split(',').map((part) => part.trim());
  if (parts.length < 3 || parts.length > 4 || !parts.every(isNumber)) return undefined;
  const [red = 0, green = 0, blue = 0, alpha = 1] = parts.map(Number);
  return checked({ red, green, blue, alpha });
}

/** The colour in the form that every browser reads; made of our own numbers, so nothing else can be in it. */
export function writeColour({ red, green, blue, alpha }: Colour): string {
  const levels = [red, green, blue].map((level) => Math.round(level));
  if (alpha < 1) return `rgba(${levels.join(',')},${Number(alpha.toFixed(3))})`;
  return `#${levels.map((level) => level.toString(16).padStart(2, '0')).join('')}`;
}

/** What is seen where a colour lies over an opaque one. */
export function over(upper: Colour, lower: Colour): Colour {
  return mixed(lower, { ...upper, alpha: 1 }, upper.alpha);
}

/** `share` of the second colour, the rest of the first. */
export function mixed(first: Colour, second: Colour, share: number): Colour {
  const level = (from: number, to: number) => from + (to - from) * share;
  return {
    red: level(first.red, second.red),
    green: level(first.green, second.green),
    blue: level(first.blue, second.blue),
    alpha: level(first.alpha, second.alpha),
  };
}

/** 1 to 21, of two opaque colours (WCAG 2.2, contrast ratio). */
export function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function readHex(hex: string): Colour | undefined {
  const isShort = hex.length === 3 || hex.length === 4;
  if (!isShort && hex.length !== 6 && hex.length !== 8) return undefined;
  const pairs = isShort ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0, alpha = 255] = pairs.map((pair) =>
    Number.parseInt(pair, 16),
  );
  return { red, green, blue, alpha: alpha / 255 };
}

function isNumber(text: string): boolean {
  return /^(?:\d+\.?\d*|\.\d+)$/.test(text);
}

function checked(colour: Colour): Colour | undefined {
  const { red, green, blue, alpha } = colour;
  return Math.max(red, green, blue) <= 255 && alpha <= 1 ? colour : undefined;
}

/** Relative luminance, 0 to 1. */
function luminance({ red, green, blue }: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(level: number): number {
  const share = level / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
