// Walks a recording on disk, fragment by fragment, reading what describes the samples and skipping the samples.
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type InitTrack, readMoof, type SampleRun } from '../../formats/fmp4-reader.ts';
import { boxHeaderBytes } from '../../formats/mp4-box.ts';
import { MediaError, type Rotation } from '../../formats/packet.ts';
import { fileBoxes, headerWindowBytes, readInitAt } from '../file-boxes.ts';
import { FileWindow } from '../file-window.ts';
import { sourceFile, sourceIndex } from '../recording-folder.ts';
import { type RecordedSegment, readIndex } from '../recording-index.ts';

export interface Fragment {
  /** Decoding starts anew: the first fragment of its segment, where that does not join the one before. */
  isDiscontinuity: boolean;
  /** Places of samples are those in the file. */
  runs: SampleRun[];
}

export interface Source {
  file: FileHandle;
  segments: RecordedSegment[];
  /** The tracks of each init, by where it stands. */
  tracksAt: ReadonlyMap<number, InitTrack[]>;
}

/** An hour's index is 300 KB; this is some weeks. */
const indexBytesMax = 64 * 1_048_576;

export async function openSource(folder: string): Promise<Source> {
  const indexFile = join(folder, sourceIndex);
  if ((await stat(indexFile)).size > indexBytesMax)
    throw new MediaError('The index of the recording is too long');
  const segments = readIndex(await readFile(indexFile, 'utf8'));
  if (segments.length === 0) throw new MediaError('The recording is empty');
  const file = await open(join(folder, sourceFile));
  try {
    const { size } = await file.stat();
    if (segments.some((segment) => segment.at + segment.size > size))
      throw new MediaError('The recording is shorter than its index says');
    return { file, segments, tracksAt: await readInits(file, segments) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Of a recording's pictures; a push's never turn, and a file turns all of its own alike. */
export function rotationIn({ tracksAt }: Source): Rotation {
  return [...tracksAt.values()].flat().find(({ kind }) => kind === 'video')?.rotation ?? 0;
}

async function readInits(file: FileHandle, segments: readonly RecordedSegment[]) {
  const tracksAt = new Map<number, InitTrack[]>();
  const window = new FileWindow(file, headerWindowBytes);
  for (const { init } of segments) {
    if (!tracksAt.has(init.at)) tracksAt.set(init.at, await readInitAt(window, init));
  }
  return tracksAt;
}

/** The fragments in their order, read through `window`. */
export async function* fragmentsOf(source: Source, window: FileWindow): AsyncGenerator<Fragment> {
  for (const segment of source.segments) yield* fragmentsIn(source, segment, window);
}

export async function* fragmentsIn(
  { tracksAt }: Source,
  segment: RecordedSegment,
  window: FileWindow,
): AsyncGenerator<Fragment> {
  const tracks = tracksAt.get(segment.init.at) ?? [];
  const end = segment.at + segment.size;
  let { isDiscontinuity } = segment;
  for await (const { type, at, bytes } of fileBoxes(window, segment)) {
    if (type !== 'moof') continue;
    const runs = readMoof(bytes.subarray(boxHeaderBytes), tracks);
    yield { isDiscontinuity, runs: runs.map((run) => placed(run, at, end)) };
    isDiscontinuity = false;
  }
}

/** With its place in the file, which must lie behind its `moof` and within its segment. */
function placed(run: SampleRun, moofAt: number, end: number): SampleRun {
  const dataAt = moofAt + run.dataAt;
  const size = run.samples.reduce((sum, sample) => sum + sample.size, 0);
  if (run.dataAt < 0 || dataAt + size > end)
    throw new MediaError('Samples of the recording are outside of their segment');
  return { ...run, dataAt };
}
