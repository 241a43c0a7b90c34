// Real segments of the clip as two holders of one push make them, one after the other; which parts are there at a moment.
import { readFileSync } from 'node:fs';
import { keep } from '../../src/base/bytes/memory.ts';
import { Segmenter } from '../../src/stream/packaging/segmenter.ts';
import { readClip } from '../../test/fixtures/media/clip.ts';
import { clipFile } from '../../test/support/clip-push.ts';

export interface MadePart {
  bytes: Uint8Array;
  durationMs: number;
  isIndependent: boolean;
}

export interface MadeSegment {
  /** Whose it is: 1 the holder that dies, 2 the one that takes over. */
  epoch: 1 | 2;
  sequence: number;
  /** From the holder's first picture on. */
  startMs: number;
  parts: MadePart[];
  /** When it is whole. */
  durationMs: number;
  /** A number that was reserved, and never became a segment. */
  isGap: boolean;
}

export interface Epoch {
  init: Uint8Array<ArrayBuffer>;
  partTargetMs: number;
  segments: MadeSegment[];
}

const clipMs = 20_000;

/** The clip over and over, packaged as the service does it. */
export function makeEpoch(
  epoch: 1 | 2,
  { firstSequence, ms }: { firstSequence: number; ms: number },
): Epoch {
  const segments: MadeSegment[] = [];
  let init = new Uint8Array();
  const segmenter = new Segmenter({
    firstSequence,
    now: () => 0,
    readers: [
      {
        partAdded({ sequence, startMs, init: { bytes: initBytes } }, part) {
          init = keep(initBytes);
          if (segments.at(-1)?.sequence !== sequence)
            segments.push({ epoch, sequence, startMs, parts: [], durationMs: 0, isGap: false });
          segments.at(-1)?.parts.push({ ...part, bytes: keep(part.bytes) });
        },
        segmentEnded({ durationMs }) {
          const last = segments.at(-1);
          if (last) last.durationMs = durationMs;
        },
        ended() {},
      },
    ],
  });
  const { tracks, packets } = readClip(readFileSync(clipFile));
  for (const track of tracks) segmenter.track(track);
  for (let shiftMs = 0; shiftMs < ms; shiftMs += clipMs)
    for (const { dtsMs, ptsMs, ...packet } of packets)
      segmenter.packet({ ...packet, dtsMs: dtsMs + shiftMs, ptsMs: ptsMs + shiftMs });
  segmenter.ended('over');
  return { init, partTargetMs: segmenter.partTargetMs, segments };
}

/** What is there so long after the holder's first picture. */
export function thereAfter({ segments }: Epoch, ms: number): MadeSegment[] {
  return segments.flatMap((segment) => {
    let endMs = segment.startMs;
    const parts = segment.parts.filter((part) => {
      endMs += part.durationMs;
      return endMs <= ms;
    });
    return parts.length > 0 ? [{ ...segment, parts }] : [];
  });
}

export function isWhole({ isGap, parts, durationMs }: MadeSegment): boolean {
  return isGap || lengthOf(parts) === durationMs;
}

export function lengthOf(parts: readonly MadePart[]): number {
  return parts.reduce((sum, part) => sum + part.durationMs, 0);
}
