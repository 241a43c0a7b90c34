// What a recording takes of a line and what it is coded in, as a list of its sizes says it.
import { type InitTrack, readInit, readMoof, type SampleRun } from '../formats/fmp4-reader.ts';
import { readBoxes } from '../formats/mp4-box.ts';
import { codecOf } from '../formats/track-codec.ts';
import {
  type ByteRange,
  largestPicture,
  type RecordedSegment,
} from '../recording/recording-index.ts';
import type { StoredFile } from '../recording/stored-recording.ts';
import { ratesIn, type Variant } from './multivariant.ts';

/** One size of a recording, whatever its playlist is called. */
export type RecordedSize = Omit<Variant, 'playlist'>;

/** What is left at the end is short, and says nothing of a line. */
export const measuredMsMin = 500;
/** An encoder that changes its parameters all the time is listed by the first kinds of them. */
const initsMax = 8;
/** Of an init, and of the first fragment's head: ours have some hundred bytes. */
const headBytesMax = 65_536;

/** What an index says of it, and where its media says the rest. */
export interface IndexedSize {
  readonly size: RecordedSize;
  readonly inits: readonly ByteRange[];
  readonly first: ByteRange | undefined;
}

export function indexedSize(segments: readonly RecordedSegment[]): IndexedSize {
  return {
    size: { rates: ratesIn(segments, measuredMsMin), ...largestPicture(segments) },
    inits: initsOf(segments).slice(0, initsMax),
    first: segments[0],
  };
}

/** One of each kind: a phone that is turned again and again has two, however many there are. */
function initsOf(segments: readonly RecordedSegment[]): ByteRange[] {
  const kinds = new Map<string, ByteRange>();
  for (const { init } of segments) {
    const kind = `${init.size} ${init.width} ${init.height}`;
    if (!kinds.has(kind)) kinds.set(kind, init);
  }
  return [...kinds.values()];
}

/** Of media that cannot be read the index alone. */
export async function recordedSize(
  { size, ...places }: IndexedSize,
  media: StoredFile,
): Promise<RecordedSize> {
  const told = await mediaOf(media, places).catch(() => undefined);
  return { ...size, ...told };
}

async function mediaOf(
  file: StoredFile,
  { inits, first }: Omit<IndexedSize, 'size'>,
): Promise<Pick<RecordedSize, 'codecs' | 'picturesPerSecond'>> {
  const codecs = new Set<string>();
  let tracksOfFirst: InitTrack[] | undefined;
  for (const init of inits) {
    const tracks = readInit(await headOf(file, init));
    tracksOfFirst ??= tracks;
    for (const track of tracks) codecs.add(codecOf(track));
  }
  const picturesPerSecond = await speedOf(file, first, tracksOfFirst ?? []);
  return { codecs: [...codecs], picturesPerSecond };
}

/** Of the pictures of its first fragment; undefined where there are none. */
async function speedOf(
  file: StoredFile,
  segment: ByteRange | undefined,
  tracks: readonly InitTrack[],
): Promise<number | undefined> {
  if (!segment) return undefined;
  const head = await headOf(file, segment);
  const moof = readBoxes(head).find(({ type }) => type === 'moof');
  const run = moof && readMoof(moof.body, tracks).find(({ track }) => track.kind === 'video');
  return run && pictureRate(run);
}

/** Their times are whole milliseconds, so that 25 a second may be 24.9 of them: what is near a whole number is that. */
function pictureRate({ samples, track }: SampleRun): number | undefined {
  const ticks = samples.reduce((sum, { duration }) => sum + duration, 0);
  if (ticks === 0) return undefined;
  const rate = (samples.length * track.timescale) / ticks;
  const whole = Math.round(rate);
  return Math.abs(rate - whole) < rate / 50 ? whole : rate;
}

async function headOf(file: StoredFile, { at, size }: ByteRange): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.pieces({ at, size: Math.min(size, headBytesMax) }))
    pieces.push(piece.slice());
  return Buffer.concat(pieces);
}
