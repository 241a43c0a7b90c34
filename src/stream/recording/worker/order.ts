// What the service asks of a worker process, and what it hears back: one JSON line each way.
import type { JobKind } from '../../../library/jobs/job.ts';
import { coverFile, mp4File, sizeFiles } from '../recording-folder.ts';
import { sheetFiles, storyboardFile } from '../storyboard.ts';
import { ladderSizeNames, type SizeName } from '../variants.ts';

export interface Order {
  kind: JobKind;
  /** The recording's, with an absolute path. */
  folder: string;
  /** What the worker may hold; it is ended beyond it. */
  memoryBytesMax: number;
}

export type Answer =
  /** `size` is that of the file it has made, in bytes. */
  | { ok: true; size: number }
  /** `final`: no further try would help. */
  | { ok: false; problem: string; final?: Final };

/**
 * The transcoder is not installed, the picture is too large to decode, the worker took too much memory, the recording
 * holds what this cannot be made of, or there is no MP4 to make it of.
 */
export type Final = 'transcoder' | 'picture' | 'memory' | 'media' | 'mp4';

/** Files that an order makes, in the order they are put in place: the last one says that all are there. */
export function filesOf(kind: JobKind): readonly string[] {
  // What the ladder has made is taken first: it is whole, whatever becomes of the rest.
  if (kind === 'mp4') return [...ladderSizeNames.flatMap(namesOf), mp4File];
  // A recording that has no storyboard has a cover all the same.
  if (kind === 'cover') return [...sheetFiles, storyboardFile, coverFile];
  return namesOf(kind);
}

function namesOf(name: SizeName): string[] {
  const { file, index } = sizeFiles(name);
  return [index, file];
}
