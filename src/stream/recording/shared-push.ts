// The recordings of a push that other nodes may have had: which one goes on here, and in which folder.
import type { Lease, RecordedBefore } from '../live/push-lease.ts';
import { type NotedStint, stintFolderName } from './recording-folder.ts';

/** A push that other nodes may have had, and may have: its recordings are known by it, wherever it is. */
export class SharedPush {
  private readonly lease: Lease;
  readonly before: RecordedBefore;

  /** The recording that the push came with; undefined when that is closed. */
  private goesOnWith: string | undefined;

  constructor(lease: Lease) {
    this.lease = lease;
    this.before = lease.before?.recorded ?? {
      ...{ recording: lease.push, pushedMs: 0, durationMs: 0, segments: 0 },
    };
    this.goesOnWith = this.before.recording;
  }

  /** The stint that begins with a segment, its folder, and what its recording has already. */
  next(sequence: number): { folder: string; stint: NotedStint; before?: RecordedBefore } {
    const { push, epoch, before: isNext } = this.lease;
    const recording = this.goesOnWith ?? `${push}-${epoch}-${sequence}`;
    const goesOn = this.goesOnWith !== undefined;
    this.goesOnWith = undefined;
    const stint = { recording, push, epoch, sequence };
    return {
      stint,
      folder: stintFolderName(stint, goesOn && isNext !== undefined),
      ...(goesOn && { before: this.before }),
    };
  }
}
