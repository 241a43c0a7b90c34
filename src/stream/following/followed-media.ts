// What a node tells its followers of a live stream: inits, parts and where segments end, as bytes of the link.
import {
  jsonCodec,
  type LinkCodec,
  linkTopic,
  readWords,
  writeWords,
} from '../../base/links/link-topic.ts';
import type { LadderListing } from '../ladder/ladder.ts';
import type { RungName } from '../ladder/ladder-rungs.ts';
import type { PushEnding } from '../live/stream-reader.ts';
import type { LentPart, Segment } from '../packaging/fragment.ts';

/** Whoever follows asks for a play address, and says how far it has it already. */
export interface FollowAsked {
  playId: string;
  after: { epoch: number; sequence: number; parts: number } | undefined;
}

/** First of all: what the playlist says before its first segment. */
export interface FollowedHead {
  kind: 'head';
  partTargetMs: number;
  /** Discontinuities that have left the playlist. */
  discontinuities: number;
  /** How far it is shown now: what comes up to there comes at once. Absent where nothing is. */
  newest?: { sequence: number; parts: number } | undefined;
  /** Its smaller sizes, each a stream of its own by the name that `rungStream` gives. Absent where there are none. */
  ladder?: LadderListing | undefined;
}

/** What a rung of a stream is asked for by: no play address has a stroke in it. */
export function rungStream(playId: string, name: RungName): string {
  return `${playId}/${name}`;
}

interface SentInit {
  kind: 'init';
  epoch: number;
  sequence: number;
}

export interface SentPart {
  kind: 'part';
  epoch: number;
  sequence: number;
  /** Of the init that serves it. */
  init: number;
  isDiscontinuity: boolean;
  startsAt: number;
  startMs: number;
  /** Which of the segment's it is. */
  at: number;
  durationMs: number;
  isIndependent: boolean;
  partTargetMs: number;
  /** When its holder had it, by the clock that nodes share; undefined of what a new follower catches up with. */
  madeAt?: number | undefined;
}

/** The segment is whole. */
export interface SegmentEnd {
  kind: 'segment';
  /** Undefined of a node that is older. */
  epoch?: number | undefined;
  sequence: number;
  durationMs: number;
  isSealed: boolean;
}

interface StreamEnd {
  kind: 'end';
  how: PushEnding;
}

export type MediaHead = FollowedHead | SentInit | SentPart | SegmentEnd | StreamEnd;

/** One message: what it is, and the bytes of an init or a part. */
export interface FollowedMedia {
  head: MediaHead;
  bytes: Uint8Array;
}

export const mediaTopic = linkTopic<never, FollowAsked, FollowedMedia>('media', {
  question: jsonCodec(readAsked),
  answer: mediaCodec(),
});

export function partHead(segment: Segment, part: LentPart, partTargetMs: number): SentPart {
  const { epoch, sequence, init, isDiscontinuity, startsAt, startMs, parts } = segment;
  const { durationMs, isIndependent } = part;
  return {
    kind: 'part',
    ...{ epoch, sequence, init: init.sequence, isDiscontinuity, startsAt, startMs },
    ...{ at: parts.indexOf(part), durationMs, isIndependent, partTargetMs },
  };
}

function mediaCodec(): LinkCodec<FollowedMedia> {
  return {
    write: ({ head, bytes }) => writeWords(head, [bytes]),
    read: (whole) => {
      const { words, bytes } = readWords(whole);
      return { head: words as MediaHead, bytes };
    },
  };
}

function readAsked(value: unknown): FollowAsked {
  const asked = value as FollowAsked;
  if (typeof asked?.playId !== 'string') throw new Error('which stream is not said');
  return asked;
}
