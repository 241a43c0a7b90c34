// What the service asks of a worker process, and what it hears back: one JSON line each way.
import type { JobKind } from '../../jobs/job.ts';

export interface Order {
  kind: JobKind;
  /** The recording's, with an absolute path. */
  folder: string;
}

/** A file in the recording's folder. */
export interface Made {
  file: string;
  size: number;
  /** 0 for both where there is no picture. */
  width: number;
  height: number;
}

export type Answer =
  | ({ ok: true } & Made)
  /** `missing`: the transcoder is not installed, so that no further try would help. */
  | { ok: false; problem: string; missing?: true };

/** Files that an order makes, in the order they are put in place: the last one says that all are there. */
export function filesOf(kind: JobKind): readonly string[] {
  if (kind === 'mp4') return ['video.mp4'];
  if (kind === 'cover') return ['cover.jpg'];
  return [`${kind}.mp4`, `${kind}.index`];
}
