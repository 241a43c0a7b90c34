// The `moov` of a progressive MP4 (ISO 14496-12 8.2 to 8.5): its tracks with their sample tables.
import { box, boxHeaderBytes, fullBox, u32 } from '../../formats/mp4-box.ts';
import type { Rotation } from '../../formats/packet.ts';
import {
  hdlr,
  mdhd,
  mediaInformation,
  movieTimescale,
  mvhd,
  tkhd,
} from '../../formats/track-boxes.ts';
import type { SampleTable } from './sample-table.ts';

export interface MovieTrack {
  kind: 'video' | 'audio';
  timescale: number;
  /** How its first samples are decoded. */
  entry: Uint8Array;
  width: number;
  height: number;
  rotation: Rotation;
  /** When its first sample is decoded, on the timeline of the movie. */
  decodedFrom: number;
  table: SampleTable;
}

/**
 * For media data that begins at `dataAt` of the file; its length does not depend on where. In pieces: the tables
 * of a long recording are tens of megabytes, and must not be copied from box to box.
 */
export function movieBox(tracks: readonly MovieTrack[], dataAt: number): Uint8Array[] {
  const duration = Math.max(...tracks.map(endTicks));
  const header = mvhd({ duration, nextId: tracks.length + 1 });
  const boxes = tracks.flatMap((track, at) => trackBox(track, at + 1, dataAt));
  return boxAround('moov', [header, ...boxes]);
}

function endTicks(track: MovieTrack): number {
  return startTicks(track) + shownTicks(track);
}

function startTicks({ decodedFrom, table, timescale }: MovieTrack): number {
  const startSeconds = Math.max(0, decodedFrom + table.shownFrom / timescale);
  return Math.round(startSeconds * movieTimescale);
}

function shownTicks({ table, timescale }: MovieTrack): number {
  return Math.round(((table.shownTo - table.shownFrom) / timescale) * movieTimescale);
}

function trackBox(track: MovieTrack, id: number, dataAt: number): Uint8Array[] {
  const { kind, width, height, rotation } = track;
  const header = tkhd({ id, kind, duration: endTicks(track), width, height, rotation });
  return boxAround('trak', [header, ...editList(track), ...mediaBox(track, dataAt)]);
}

/** 8.6.6: nothing until the track begins, then the media from the first picture that is shown. */
function editList(track: MovieTrack): Uint8Array[] {
  const { table } = track;
  const start = startTicks(track);
  const shownFrom = table.shownFrom + table.offsetShift;
  if (start === 0 && shownFrom === 0) return [];
  const [nothing, normalRate] = [-1, 0x10000];
  const wait = start > 0 ? [u32(start, nothing, normalRate)] : [];
  const media = u32(shownTicks(track), shownFrom, normalRate);
  return [box('edts', fullBox({ type: 'elst' }, u32(wait.length + 1), ...wait, media))];
}

function mediaBox({ kind, timescale, table }: MovieTrack, dataAt: number): Uint8Array[] {
  const stbl = boxAround('stbl', table.toBoxes(dataAt));
  const minf = boxAround('minf', [...mediaInformation(kind), ...stbl]);
  return boxAround('mdia', [mdhd(timescale, table.endsAt), hdlr(kind), ...minf]);
}

/** A box as its header and the pieces that are its contents. */
function boxAround(type: string, pieces: readonly Uint8Array[]): Uint8Array[] {
  return [u32(lengthOf(pieces) + boxHeaderBytes), Buffer.from(type), ...pieces];
}

export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
