// A recording as a crash may have left it, made whole: what the index does not name is found in the file.
import { type FileHandle, open, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { type InitTrack, readInit, readMoof, type SampleRun } from '../formats/fmp4-reader.ts';
import { boxHeaderBytes } from '../formats/mp4-box.ts';
import { MediaError } from '../formats/packet.ts';
import { segmentWantedMs } from '../packaging/segment-writer.ts';
import { type FileBox, fileBoxes, headerWindowBytes, readInitAt } from './file-boxes.ts';
import { FileWindow } from './file-window.ts';
import { orNothing, sourceFile, sourceIndex } from './recording-folder.ts';
import {
  indexText,
  type RecordedInit,
  type RecordedSegment,
  segmentsIn,
} from './recording-index.ts';

/**
 * The segments of a closed recording. A kill leaves fragments that no line of the index names: they become
 * segments. A power cut may leave an index that names more than the file holds: that is taken out. What is
 * cut inside a fragment is cut off.
 */
export async function mendRecording(folder: string): Promise<RecordedSegment[]> {
  const file = await orNothing(open(join(folder, sourceFile), 'r'));
  if (!file) return [];
  try {
    const { size, mtimeMs } = await file.stat();
    const text = (await orNothing(readFile(join(folder, sourceIndex), 'utf8'))) ?? '';
    const written = await indexed(text);
    const named = written.filter((segment) => segment.at + segment.size <= size);
    const end = endOf(named);
    if (end === size && named.length === written.length) return named;
    const found = await new Finder(file).find({ at: end, size: size - end }, named.at(-1)?.init);
    const segments = dated([...named, ...found], mtimeMs);
    await writeIndex(folder, segments);
    await truncate(join(folder, sourceFile), endOf(segments));
    return segments;
  } finally {
    await file.close();
  }
}

/** Everything an index says can be found in the file too, so a damaged one is as if it were not there. */
async function indexed(text: string): Promise<RecordedSegment[]> {
  try {
    const segments = await inTurns(segmentsIn(text));
    return isSeamless(segments) ? segments : [];
  } catch (error) {
    if (error instanceof MediaError) return [];
    throw error;
  }
}

/** A recording has no gap: an init, its segments, the next init. */
function isSeamless(segments: readonly RecordedSegment[]): boolean {
  let end = 0;
  return segments.every(({ init, at, size }, n) => {
    if (init !== segments[n - 1]?.init && init.at === end) end += init.size;
    const follows = at === end;
    end = at + size;
    return follows;
  });
}

function endOf(segments: readonly RecordedSegment[]): number {
  const last = segments.at(-1);
  return last ? last.at + last.size : 0;
}

/** Takes the boxes of a file, up to the first that is not whole or not where we would have written it. */
class Finder {
  private readonly window: FileWindow;

  private readonly found: RecordedSegment[] = [];
  private init: RecordedInit | undefined;
  private tracks: InitTrack[] = [];
  /** An `ftyp` is nothing without its `moov`, a `moof` without its `mdat`. */
  private begun: { type: 'ftyp' | 'moof'; at: number; runs: SampleRun[] } | undefined;

  constructor(file: FileHandle) {
    this.window = new FileWindow(file, headerWindowBytes);
  }

  async find(
    range: { at: number; size: number },
    known: RecordedInit | undefined,
  ): Promise<RecordedSegment[]> {
    try {
      if (known) this.tracks = await readInitAt(this.window, known);
      this.init = known;
      for await (const box of fileBoxes(this.window, range)) this.take(box);
    } catch (error) {
      // The end of what is whole.
      if (!(error instanceof MediaError)) throw error;
    }
    return this.found;
  }

  private take({ type, at, size, bytes }: FileBox): void {
    const { begun, init, tracks } = this;
    this.begun = undefined;
    const end = at + size;
    if (type === 'ftyp' && !begun) this.begun = { type, at, runs: [] };
    else if (type === 'moov' && begun?.type === 'ftyp')
      this.beginInit({ at: begun.at, size: end - begun.at }, bytes);
    else if (type === 'moof' && !begun && init)
      this.begun = { type, at, runs: readMoof(bytes.subarray(boxHeaderBytes), tracks) };
    else if (type === 'mdat' && begun?.type === 'moof' && init)
      this.addFragment(init, { at: begun.at, size: end - begun.at }, begun.runs);
    else throw new MediaError(`a box ${type} where a recording has none`);
  }

  private beginInit(range: { at: number; size: number }, moov: Uint8Array): void {
    // Copied, as the window's memory changes.
    this.tracks = readInit(Buffer.from(moov));
    const picture = this.tracks.find(({ kind }) => kind === 'video');
    this.init = { ...range, width: picture?.width ?? 0, height: picture?.height ?? 0 };
  }

  private addFragment(
    init: RecordedInit,
    { at, size }: { at: number; size: number },
    runs: readonly SampleRun[],
  ): void {
    const lead = runs.find(({ track }) => track.kind === 'video') ?? runs[0];
    if (!lead) throw new MediaError('a fragment of nothing');
    const ticks = lead.samples.reduce((sum, { duration }) => sum + duration, 0);
    const durationMs = Math.round((ticks * 1000) / lead.track.timescale);
    // Sound beside which there should be a picture is no beginning.
    const isLed = lead.track.kind === 'video' || this.tracks.every(({ kind }) => kind === 'audio');
    const isIndependent = isLed && (lead.samples[0]?.isKey ?? false);
    const last = this.found.at(-1);
    if (last?.init === init && !(isIndependent && last.durationMs >= segmentWantedMs)) {
      last.size += size;
      last.durationMs += durationMs;
      return;
    }
    // Each init but the first begins anew; what stands further behind one goes on.
    const isDiscontinuity = init.at > 0 && at === init.at + init.size;
    this.found.push({ init, at, size, durationMs, isIndependent, isDiscontinuity, startsAt: 0 });
  }
}

/** When the found ones began: right after what was before, or so that the last ended when the file was last written. */
function dated(segments: RecordedSegment[], writtenAt: number): RecordedSegment[] {
  const unknownMs = segments.reduce((sum, one) => sum + (one.startsAt > 0 ? 0 : one.durationMs), 0);
  let next = Math.round(writtenAt - unknownMs);
  for (const segment of segments) {
    if (segment.startsAt === 0) segment.startsAt = next;
    next = segment.startsAt + segment.durationMs;
  }
  return segments;
}

async function writeIndex(folder: string, segments: readonly RecordedSegment[]): Promise<void> {
  const path = join(folder, sourceIndex);
  await writeFile(`${path}.new`, indexText(segments), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}
