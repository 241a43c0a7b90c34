// What fragmented and progressive MP4 say alike of a movie and its tracks (ISO 14496-12 8.2 to 8.7).
import { box, fullBox, u16, u32 } from './mp4-box.ts';
import type { Rotation, Track } from './packet.ts';

type Kind = Track['kind'];

/** Ticks a second of times that all tracks share; each track has its own beside. */
export const movieTimescale = 1_000;

/** Turns and moves the picture so that it lies to the right of and below the origin again (8.2.2, 8.3.2). */
function matrixOf(rotation: Rotation, { width, height }: { width: number; height: number }) {
  const one = 0x10000;
  const [right, down] = [width * one, height * one];
  const turned = {
    0: [one, 0, 0, 0, one, 0, 0, 0],
    90: [0, one, 0, -one, 0, 0, down, 0],
    180: [-one, 0, 0, 0, -one, 0, right, down],
    270: [0, -one, 0, one, 0, 0, 0, right],
  }[rotation];
  return u32(...turned, 0x40000000);
}

/** What the matrix of a track says; 0 where it does something else with the picture. */
export function rotationOf(matrix: readonly number[]): Rotation {
  const [a = 0, b = 0, , c = 0, d = 0] = matrix.map(Math.sign);
  const turns = ([0, 90, 180, 270] as const).find(
    (rotation) => [a, b, c, d].join() === signs[rotation].join(),
  );
  return turns ?? 0;
}

const signs = {
  0: [1, 0, 0, 1],
  90: [0, 1, -1, 0],
  180: [-1, 0, 0, -1],
  270: [0, -1, 1, 0],
} as const;

export const reserved = (bytes: number) => new Uint8Array(bytes);

/** Durations are in `movieTimescale`; 0 where fragments will tell. */
export function mvhd({ duration, nextId }: { duration: number; nextId: number }): Uint8Array {
  const [rate, volume] = [0x10000, 0x0100];
  return fullBox(
    { type: 'mvhd' },
    u32(0, 0, movieTimescale, duration),
    u32(rate),
    u16(volume),
    reserved(10),
    matrixOf(0, { width: 0, height: 0 }),
    reserved(24),
    u32(nextId),
  );
}

/** Width and height are 0 for sound. */
export function tkhd(track: {
  id: number;
  kind: Kind;
  duration: number;
  width: number;
  height: number;
  rotation?: Rotation | undefined;
}): Uint8Array {
  const { id, kind, duration, width, height, rotation = 0 } = track;
  const enabledInMovie = 3;
  return fullBox(
    { type: 'tkhd', flags: enabledInMovie },
    u32(0, 0, id, 0, duration),
    reserved(8),
    u16(0, 0, kind === 'audio' ? 0x0100 : 0, 0),
    matrixOf(rotation, track),
    u32(width * 0x10000, height * 0x10000),
  );
}

/** The duration is in the timescale of the track: in hours it may need more than 32 bits. */
export function mdhd(timescale: number, duration: number): Uint8Array {
  const undetermined = 0x55c4;
  return fullBox(
    { type: 'mdhd', version: 1 },
    u32(0, 0, 0, 0, timescale, Math.floor(duration / 2 ** 32), duration % 2 ** 32),
    u16(undetermined, 0),
  );
}

export function hdlr(kind: Kind): Uint8Array {
  const [handler, name] = kind === 'video' ? ['vide', 'Video\0'] : ['soun', 'Sound\0'];
  return fullBox({ type: 'hdlr' }, u32(0), Buffer.from(handler), reserved(12), Buffer.from(name));
}

/** What stands in `minf` before the sample tables: the media's header, and that the samples are in this file. */
export function mediaInformation(kind: Kind): Uint8Array[] {
  const header =
    kind === 'video'
      ? fullBox({ type: 'vmhd', flags: 1 }, reserved(8))
      : fullBox({ type: 'smhd' }, reserved(4));
  const ownFile = fullBox({ type: 'url ', flags: 1 });
  return [header, box('dinf', fullBox({ type: 'dref' }, u32(1), ownFile))];
}
