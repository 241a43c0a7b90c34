// What the packager makes of a stream: segments of parts, each a piece of fragmented MP4.
import type { Track } from '../formats/packet.ts';

/** What a player reads before the parts that refer to it (EXT-X-MAP). */
export interface Init {
  /** Sequence number of the first segment it serves. */
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly tracks: readonly Track[];
}

/** A `moof` and its `mdat`: about 200 ms. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly durationMs: number;
  /** Decoding can start with its first packet. */
  readonly isIndependent: boolean;
}

/** Parts that follow one another; it grows until `isComplete`. */
export interface Segment {
  /** Rises by one each; a push begins at its epoch second, so numbers never come again. */
  readonly sequence: number;
  readonly init: Init;
  /** Decoding does not go on from the segment before (EXT-X-DISCONTINUITY). */
  readonly isDiscontinuity: boolean;
  /** Wall time of its first packet, epoch milliseconds. */
  readonly startsAt: number;
  /** Where it begins on the timeline of the push. */
  readonly startMs: number;
  readonly parts: readonly Part[];
  readonly durationMs: number;
  /** Bytes of its parts. */
  readonly size: number;
  readonly isComplete: boolean;
  /** Its bytes are needed until `release`. When all who held it have let go, their memory goes back at once. */
  hold(): void;
  release(): void;
}

/**
 * Whoever takes what the packager makes: the live playlist, the recorder. Called in order; nothing here may wait.
 * Whoever needs bytes after the call holds their segment from its first part on; who forgets to release it leaves
 * them to the collector.
 */
export interface FragmentReader {
  /** Of the first part of a segment `segment.parts` holds that one alone. */
  partAdded(segment: Segment, part: Part): void;
  segmentEnded(segment: Segment): void;
  /** The push is over; its last segment has ended. */
  ended(): void;
}
