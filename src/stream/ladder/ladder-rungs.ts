// Which smaller sizes a live stream has beside the source: by the short side, never as large as the source, and sound alone.
import type { VideoTrack } from '../formats/packet.ts';
import { type Size, type SizeName, scaledSize } from '../recording/variants.ts';

export const pictureRungNames = ['720p', '480p', '360p'] as const;
export type PictureRungName = (typeof pictureRungNames)[number];
export const soundRungName = 'sound';
/** The sound beside a black picture: many players take sound alone for no size of a stream that has pictures. */
export const stillRungName = 'still';
export const rungNames = [...pictureRungNames, soundRungName, stillRungName] as const;
export type RungName = (typeof rungNames)[number];

/** What it is called among the sizes of a recording. */
export const recordedAs: Record<RungName, SizeName> = {
  '720p': '720',
  '480p': '480',
  '360p': '360',
  sound: 'sound',
  still: 'still',
};

export interface PictureRung extends Size {
  readonly name: PictureRungName;
  /** Bits a second of the pictures, at most; what is easy to encode stays below. */
  readonly bitsMax: number;
}

function sideOf(name: PictureRungName): number {
  return Number.parseInt(name, 10);
}

/** What the pictures take at most: with 128 kbit/s of sound a line of a megabit carries 480, and one of 400 kbit/s 360. */
const bitsMax: Record<PictureRungName, number> = {
  '720p': 1_900_000,
  '480p': 680_000,
  '360p': 220_000,
};

/** Beyond this a second picture costs as much again, and is hardly seen at these sizes. */
const picturesPerSecondMax = 34;

/** The largest first. */
export function pictureRungs(source: Size): PictureRung[] {
  const shortSide = Math.min(source.width, source.height);
  return pictureRungNames
    .filter((name) => sideOf(name) < shortSide)
    .map((name) => rungOf(name, source));
}

/** One that was begun, as the source is now: never above it, also where that has become smaller. */
export function rungOf(name: PictureRungName, source: Size): PictureRung {
  const scale = Math.min(1, sideOf(name) / Math.min(source.width, source.height));
  return { name, bitsMax: bitsMax[name], ...scaledSize(source, scale) };
}

/** Of so many pictures a second every how many are encoded. */
export function everyNthOf(picturesPerSecond: number): number {
  return picturesPerSecond > picturesPerSecondMax ? 2 : 1;
}

/** What x264 is told to keep to, so that a playlist can say it before there is a picture: a second of 720 has more blocks. */
export const levelOf: Record<PictureRungName, number> = {
  '720p': 32,
  '480p': 31,
  '360p': 31,
};

/** As RFC 6381 writes it: High profile. */
export function codecOf(name: PictureRungName): string {
  return `avc1.6400${levelOf[name].toString(16)}`;
}

/** Parts of a core that decoding a source and encoding its rungs take, measured by `npm run bench ladder`. */
const decodeCoresPerPixel = 2.4e-9;
const encodeCoresPerPixel = 1.2e-8;

export function coresOf(
  source: Pick<VideoTrack, 'width' | 'height'>,
  given: { rungs: readonly Size[]; picturesPerSecond: number },
): number {
  const { rungs, picturesPerSecond } = given;
  const encoded = picturesPerSecond / everyNthOf(picturesPerSecond);
  const pixels = rungs.reduce((sum, { width, height }) => sum + width * height, 0);
  return (
    decodeCoresPerPixel * source.width * source.height * picturesPerSecond +
    encodeCoresPerPixel * pixels * encoded
  );
}
