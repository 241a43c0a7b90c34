// Makes a recording a progressive MP4 with its tables in front, without touching a sample.
import { join } from 'node:path';
import { type InitTrack, parameterSets, type Sample } from '../../formats/fmp4-reader.ts';
import { box, u32 } from '../../formats/mp4-box.ts';
import { MediaError } from '../../formats/packet.ts';
import { headerWindowBytes } from '../file-boxes.ts';
import { FileWindow } from '../file-window.ts';
import { mp4File } from '../recording-folder.ts';
import { lengthOf, type MovieTrack, movieBox } from './movie-box.ts';
import { MovieClock } from './movie-clock.ts';
import { putInPlace, SequentialFile, temporaryName } from './output-file.ts';
import { SampleTable } from './sample-table.ts';
import { fragmentsOf, openSource, type Source } from './source-reader.ts';

const copyWindowBytes = 1_048_576;

/**
 * The recording is walked twice: for the tables, which must stand in front, and to copy the samples. Only
 * the tables are in memory, some ten bytes a sample; mediabunny keeps an object for each, 115 MB an hour.
 * Returns how many bytes the MP4 has.
 */
export async function makeMp4(folder: string): Promise<number> {
  const source = await openSource(folder);
  try {
    const { tracks, dataBytes } = await tablesOf(source);
    const ftyp = box('ftyp', Buffer.from('isom'), u32(512), Buffer.from('isomiso2avc1mp41'));
    const mdat = mdatHeader(dataBytes);
    const dataAt = ftyp.length + lengthOf(movieBox(tracks, 0)) + mdat.length;
    const temporary = temporaryName(mp4File);
    const file = await SequentialFile.create(join(folder, temporary));
    try {
      for (const bytes of [ftyp, ...movieBox(tracks, dataAt), mdat]) await file.write(bytes);
      const window = new FileWindow(source.file, copyWindowBytes);
      for await (const { prefix, at, size } of chunksOf(source, window)) {
        await file.write(prefix);
        for await (const piece of window.pieces(at, size)) await file.write(piece);
      }
    } finally {
      await file.close();
    }
    await putInPlace(folder, temporary, mp4File);
    return file.size;
  } finally {
    await source.file.close();
  }
}

/** Always with 64 bits of length: one shape, whatever the size. */
function mdatHeader(dataBytes: number): Uint8Array {
  const size = dataBytes + 16;
  return Buffer.concat([
    u32(1),
    Buffer.from('mdat'),
    u32(Math.floor(size / 2 ** 32), size % 2 ** 32),
  ]);
}

async function tablesOf(source: Source): Promise<{ tracks: MovieTrack[]; dataBytes: number }> {
  const tracks: MovieTrack[] = [];
  let dataBytes = 0;
  for await (const chunk of chunksOf(source, new FileWindow(source.file, headerWindowBytes))) {
    const { prefix, track, size, samples, decodedSeconds } = chunk;
    const out = tracks.find(({ kind }) => kind === track.kind) ?? added(tracks, chunk);
    const { table, timescale } = out;
    // One entry for all pictures: those that differ bring their parameters with them.
    table.startChunk(dataBytes, track.kind === 'video' ? out.entry : track.entry);
    let ticks = (decodedSeconds - out.decodedFrom) * timescale;
    let inFront = prefix.length;
    for (const sample of samples) {
      const scaled = scaledTo(timescale, track, sample);
      table.add(scaled, sample.size + inFront, Math.round(ticks));
      ticks += (sample.duration * timescale) / track.timescale;
      inFront = 0;
    }
    dataBytes += prefix.length + size;
  }
  if (tracks.length === 0) throw new MediaError('The recording has no samples');
  for (const { table } of tracks) table.end();
  return { tracks, dataBytes };
}

/** A track keeps the timescale and size it begins with. */
function added(tracks: MovieTrack[], { track, decodedSeconds }: Chunk): MovieTrack {
  const out = { ...track, decodedFrom: decodedSeconds, table: new SampleTable() };
  tracks.push(out);
  return out;
}

function scaledTo(timescale: number, track: InitTrack, sample: Sample): Sample {
  if (timescale === track.timescale) return sample;
  const scaled = (ticks: number) => Math.round((ticks * timescale) / track.timescale);
  const compositionOffset = scaled(sample.compositionOffset);
  return { ...sample, duration: scaled(sample.duration), compositionOffset };
}

/** Samples of one track that stand together, and what must be put before the first of them. */
interface Chunk {
  track: InitTrack;
  samples: Sample[];
  /** On the timeline of the movie. */
  decodedSeconds: number;
  prefix: Uint8Array;
  at: number;
  size: number;
}

async function* chunksOf(source: Source, window: FileWindow): AsyncGenerator<Chunk> {
  const setsOf = inBandSets(source);
  const clock = new MovieClock();
  for await (const fragment of fragmentsOf(source, window)) {
    const { runs } = fragment;
    if (runs.length === 0) continue;
    const shift = clock.shiftOf(fragment);
    for (const { track, decodeTime, dataAt, samples } of runs) {
      let ticks = decodeTime;
      let at = dataAt;
      for (const piece of splitBefore(samples, (sample) => setsOf.has(track) && sample.isKey)) {
        const size = piece.reduce((sum, sample) => sum + sample.size, 0);
        const prefix = (piece[0]?.isKey && setsOf.get(track)) || nothing;
        const decodedSeconds = ticks / track.timescale + shift;
        yield { track, samples: piece, decodedSeconds, prefix, at, size };
        at += size;
        ticks += piece.reduce((sum, sample) => sum + sample.duration, 0);
      }
    }
  }
}

const nothing = new Uint8Array();

/**
 * Where the parameters of the picture change, every key frame brings its own with it: a decoder then has the
 * right ones wherever it starts. Players take that better than a second sample entry.
 */
function inBandSets({ tracksAt }: Source): Map<InitTrack, Uint8Array> {
  const pictures = [...tracksAt.values()].flat().filter(({ kind }) => kind === 'video');
  const isSteady =
    new Set(pictures.map(({ entry }) => Buffer.from(entry).toString('hex'))).size < 2;
  if (isSteady) return new Map();
  const sets = pictures.map(({ entry }) => parameterSets(entry));
  if (new Set(sets.map(({ lengthSize }) => lengthSize)).size > 1)
    throw new MediaError('The pictures of the recording cannot be joined');
  return new Map(pictures.map((track, at) => [track, sets[at]?.bytes ?? nothing]));
}

function splitBefore<T>(items: readonly T[], starts: (item: T) => boolean): T[][] {
  const pieces: T[][] = [];
  for (const item of items) {
    const last = pieces.at(-1);
    if (last && !starts(item)) last.push(item);
    else pieces.push([item]);
  }
  return pieces;
}
