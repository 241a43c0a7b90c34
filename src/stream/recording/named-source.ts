// What is named of a recording that is no video yet: its index out of the rows, and the segments of earlier holders to read.
import type { Store } from '../../base/db/sql.ts';
import type { BucketRecordings } from './bucket-recordings.ts';
import type { NotedStint } from './recording-folder.ts';
import { type IndexLine, indexLine } from './recording-index.ts';
import { type NamedSegment, segmentsBehind } from './segment-store.ts';
import { recordingBegin } from './stint-store.ts';
import type { StoredRecording } from './stored-recording.ts';

/** Segments that are read in a step. */
const segmentsAtOnce = 1_000;

/** In the order of their media. */
export async function namedSegments(store: Store, push: string): Promise<NamedSegment[]> {
  const all: NamedSegment[] = [];
  for (;;) {
    const { epoch = -1, sequence = -1 } = all.at(-1) ?? {};
    const limit = segmentsAtOnce;
    const more = await store.perform(segmentsBehind, { push, epoch, sequence, limit });
    all.push(...more);
    if (more.length < limit) return all;
  }
}

/** The index of all of it, each segment with its object, in which its init may stand before it. */
export function namedIndex(named: readonly NamedSegment[]): string {
  let text = '';
  let end = 0;
  let epoch: number | undefined;
  for (const one of named) {
    const { init_size, size, width, height, key } = one;
    if (init_size > 0) text += indexLine({ kind: 'init', at: end, size: init_size, width, height });
    const line = {
      kind: 'segment' as const,
      at: end + init_size,
      size: size - init_size,
      durationMs: one.duration_ms,
      isIndependent: (one.flags & 1) > 0,
      // What one holder has does not join what another had.
      isDiscontinuity: epoch !== undefined && ((one.flags & 2) > 0 || epoch !== one.epoch),
      startsAt: one.starts_at,
      key,
    };
    text += indexLine(line as IndexLine);
    end += size;
    epoch = one.epoch;
  }
  return text;
}

/** What the holders before a stint have recorded, and how much of the push was before that; undefined where nothing is named. */
export type BeforeStint = (
  stint: NotedStint,
) => Promise<{ recording: StoredRecording; pushedMs: number } | undefined>;

export function namedBefore(given: { store: Store; bucket: BucketRecordings }): BeforeStint {
  const { store, bucket } = given;
  return async ({ recording, epoch }) => {
    const named = await namedSegments(store, recording);
    const before = named.filter((one) => one.epoch < epoch);
    if (before.length === 0) return undefined;
    const pushedMs = await recordingBegin(store, recording);
    return { recording: bucket.unsealed(recording, namedIndex(before)), pushedMs };
  };
}
