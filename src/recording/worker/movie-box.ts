// The `moov` of a progressive MP4 (ISO 14496-12 8.2 to 8.5): its tracks with their sample tables.
import { box, boxHeaderBytes, fullBox, u16, u32 } from '../../media/mp4-box.ts';
import type { SampleTable } from './sample-table.ts';

export interface MovieTrack {
  kind: 'video' | 'audio';
  timescale: number;
  /** How its first samples are decoded. */
  entry: Uint8Array;
  width: number;
  height: number;
  /** When its first sample is shown. */
  startSeconds: number;
  /** From the first sample's decoding to its showing, in ticks. */
  firstOffset: number;
  table: SampleTable;
}

/** Ticks a second of times that all tracks share. */
const movieTimescale = 1_000;

/**
 * For media data that begins at `dataAt` of the file; its length does not depend on where. In pieces: the tables
 * of a long recording are tens of megabytes, and must not be copied from box to box.
 */
export function movieBox(tracks: readonly MovieTrack[], dataAt: number): Uint8Array[] {
  const durations = tracks.map((track) => startTicks(track) + shownTicks(track));
  const [rate, volume] = [0x10000, 0x0100];
  const mvhd = fullBox(
    { type: 'mvhd' },
    u32(0, 0, movieTimescale, Math.max(...durations)),
    u32(rate),
    u16(volume),
    reserved(10),
    matrix,
    reserved(24),
    u32(tracks.length + 1),
  );
  const boxes = tracks.flatMap((track, at) => trackBox(track, at + 1, dataAt));
  return boxAround('moov', [mvhd, ...boxes]);
}

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const reserved = (bytes: number) => new Uint8Array(bytes);

function startTicks({ startSeconds }: MovieTrack): number {
  return Math.round(startSeconds * movieTimescale);
}

function shownTicks({ table, timescale }: MovieTrack): number {
  return Math.round((table.endsAt / timescale) * movieTimescale);
}

function trackBox(track: MovieTrack, id: number, dataAt: number): Uint8Array[] {
  const { kind, width, height } = track;
  const enabledInMovie = 3;
  const tkhd = fullBox(
    { type: 'tkhd', flags: enabledInMovie },
    u32(0, 0, id, 0, startTicks(track) + shownTicks(track)),
    reserved(8),
    u16(0, 0, kind === 'audio' ? 0x0100 : 0, 0),
    matrix,
    u32(width * 0x10000, height * 0x10000),
  );
  return boxAround('trak', [tkhd, ...editList(track), ...mediaBox(track, dataAt)]);
}

/** 8.6.6: nothing until the track begins, then the media from the first picture that is shown. */
function editList(track: MovieTrack): Uint8Array[] {
  const start = startTicks(track);
  if (start === 0 && track.firstOffset <= 0) return [];
  const [nothing, normalRate] = [-1, 0x10000];
  const wait = start > 0 ? [u32(start, nothing, normalRate)] : [];
  const media = u32(shownTicks(track), Math.max(0, track.firstOffset), normalRate);
  return [box('edts', fullBox({ type: 'elst' }, u32(wait.length + 1), ...wait, media))];
}

function mediaBox({ kind, timescale, table }: MovieTrack, dataAt: number): Uint8Array[] {
  const undetermined = 0x55c4;
  const long = table.endsAt;
  const mdhd = fullBox(
    { type: 'mdhd', version: 1 },
    u32(0, 0, 0, 0, timescale, Math.floor(long / 2 ** 32), long % 2 ** 32),
    u16(undetermined, 0),
  );
  const [handler, name] = kind === 'video' ? ['vide', 'Video\0'] : ['soun', 'Sound\0'];
  const hdlr = fullBox(
    { type: 'hdlr' },
    u32(0),
    Buffer.from(handler),
    reserved(12),
    Buffer.from(name),
  );
  const header =
    kind === 'video'
      ? fullBox({ type: 'vmhd', flags: 1 }, reserved(8))
      : fullBox({ type: 'smhd' }, reserved(4));
  const ownFile = fullBox({ type: 'url ', flags: 1 });
  const dinf = box('dinf', fullBox({ type: 'dref' }, u32(1), ownFile));
  const stbl = boxAround('stbl', table.toBoxes(dataAt));
  return boxAround('mdia', [mdhd, hdlr, ...boxAround('minf', [header, dinf, ...stbl])]);
}

/** A box as its header and the pieces that are its contents. */
function boxAround(type: string, pieces: readonly Uint8Array[]): Uint8Array[] {
  return [u32(lengthOf(pieces) + boxHeaderBytes), Buffer.from(type), ...pieces];
}

export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
