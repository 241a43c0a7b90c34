// A recording's storyboard: small pictures of it on sheets, and the list that says which is of when.
import { type Size, scaledSize } from './variants.ts';

/** In WebVTT, as players know it: each cue is a stretch, and the address of its picture on a sheet. */
export const storyboardFile = 'storyboard.vtt';

/** Rows and columns of a sheet; of the last one what is left over is black. */
const side = 10;
export const picturesPerSheet = side * side;
const sheetsMax = 4;
/** Of twelve hours a picture stands for some two minutes; nobody needs more of a short recording. */
const picturesMax = sheetsMax * picturesPerSheet;
const secondsMin = 2;
/** Of the longer side. */
const pixels = 192;

export const sheetFiles: readonly string[] = Array.from({ length: sheetsMax }, (_, at) =>
  sheetFile(at),
);

export function sheetFile(at: number): string {
  return `storyboard${at}.jpg`;
}

export interface Storyboard {
  /** What one picture stands for. */
  everySeconds: number;
  /** Of what it shows, the middle of each stretch, in seconds. */
  moments: readonly number[];
}

export function storyboardOf(durationSeconds: number): Storyboard {
  const everySeconds = Math.max(secondsMin, Math.ceil(durationSeconds / picturesMax));
  const count = Math.max(1, Math.ceil(durationSeconds / everySeconds));
  const moments = Array.from({ length: count }, (_, at) =>
    Math.min((at + 0.5) * everySeconds, durationSeconds),
  );
  return { everySeconds, moments };
}

/** Of one picture, by how large what it shows is. */
export function storyboardSize(shown: Size): Size {
  return scaledSize(shown, pixels / Math.max(shown.width, shown.height));
}

/** What puts the pictures on a sheet, in FFmpeg's words. */
export const tiles = `tile=${side}x${side}`;

export function storyboardText(
  { everySeconds, moments }: Storyboard,
  { width, height }: Size,
): string {
  const cues = moments.map((_, at) => {
    const place = at % picturesPerSheet;
    const [x, y] = [(place % side) * width, Math.floor(place / side) * height];
    const file = sheetFile(Math.floor(at / picturesPerSheet));
    const [from, to] = [at, at + 1].map((one) => cueTime(one * everySeconds));
    return `${from} --> ${to}\n${file}#xywh=${x},${y},${width},${height}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/** A list of no pictures: that of a recording from before there were any. */
export const noStoryboard = 'WEBVTT\n';

function cueTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${two(hours)}:${two(minutes)}:${two(seconds % 60)}.000`;
}
