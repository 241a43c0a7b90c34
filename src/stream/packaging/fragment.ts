// What the packager makes of a stream: segments of parts, each a piece of fragmented MP4.
import type { Lent } from '../../base/bytes/memory.ts';
import type { Track } from '../formats/packet.ts';
import type { PushEnding } from '../live/stream-reader.ts';

/** What a player reads before the parts that refer to it (EXT-X-MAP). */
export interface Init {
  /** Sequence number of the first segment it serves. */
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly tracks: readonly Track[];
}

/** A `moof` and its `mdat`: about 200 ms. */
export interface LentPart {
  readonly bytes: Lent;
  readonly durationMs: number;
  /** Decoding can start with its first packet. */
  readonly isIndependent: boolean;
}

/** One of a segment that is held. */
export interface Part extends LentPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Parts that follow one another; it grows until `isComplete`. */
export interface Segment {
  /** Rises by one each; a push begins at its epoch second, so numbers never come again. */
  readonly sequence: number;
  /** Of the node that made it, among those that have had the push: its files are named by it too. */
  readonly epoch: number;
  readonly init: Init;
  /** Decoding does not go on from the segment before (EXT-X-DISCONTINUITY). */
  readonly isDiscontinuity: boolean;
  /** Wall time of its first packet, epoch milliseconds. */
  readonly startsAt: number;
  /** Where it begins on the timeline of the push. */
  readonly startMs: number;
  readonly parts: readonly LentPart[];
  readonly durationMs: number;
  /** Bytes of its parts. */
  readonly size: number;
  readonly isComplete: boolean;
  /** Its node was lost as it grew: others may have seen more of it, so its whole has a name of its own. */
  readonly isSealed: boolean;
  /** For whoever needs its bytes after the call that showed it: from its first part on, or they may be gone. */
  hold(): HeldSegment;
}

/** One holder's hold on a segment. When the last holder has let go, the memory of its parts goes back at once. */
export interface HeldSegment {
  readonly segment: Segment;
  /** With their bytes, until `release`. */
  readonly parts: readonly Part[];
  /** Once; a holder that forgets it leaves the bytes to the collector. */
  release(): void;
}

/** Takes what the packager makes, as the live playlist and the recorder do. Called in order; nothing here may wait. */
export interface FragmentReader {
  /** Of the first part of a segment `segment.parts` holds that one alone. */
  partAdded(segment: Segment, part: LentPart): void;
  segmentEnded(segment: Segment): void;
  /** Nothing follows here; the last segment has ended. */
  ended(how: PushEnding): void;
}
