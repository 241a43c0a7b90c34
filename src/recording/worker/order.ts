// What the service asks of a worker process, and what it hears back: one JSON line each way.
import type { JobKind } from '../../jobs/job.ts';
import { coverFile, mp4File, variantFiles } from '../recording-folder.ts';

export interface Order {
  kind: JobKind;
  /** The recording's, with an absolute path. */
  folder: string;
}

export type Answer =
  /** `size` is that of the file it has made, in bytes. */
  | { ok: true; size: number }
  /** `missing`: the transcoder is not installed, so that no further try would help. */
  | { ok: false; problem: string; missing?: true };

/** Files that an order makes, in the order they are put in place: the last one says that all are there. */
export function filesOf(kind: JobKind): readonly string[] {
  if (kind === 'mp4') return [mp4File];
  if (kind === 'cover') return [coverFile];
  const { file, index } = variantFiles(kind);
  return [file, index];
}
