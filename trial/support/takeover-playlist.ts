// The playlist of a push that one holder began and another goes on with, as the service writes its own, with EXT-X-GAP.
import { targetDurationMs } from '../../src/stream/packaging/segmenter.ts';
import { isWhole, type MadeSegment } from './takeover-media.ts';

const listedMax = 6;
const segmentsWithParts = 3;

/** Of all there are it lists the last few; numbers that became nothing do not count. */
export function takeoverPlaylist(
  all: readonly MadeSegment[],
  { partTargetMs, beganAt }: { partTargetMs: number; beganAt: Record<1 | 2, number> },
): string {
  const oldest = all.filter(({ isGap }) => !isGap).at(-listedMax) ?? all[0];
  const segments = all.slice(oldest ? all.indexOf(oldest) : 0);
  const last = segments.at(-1);
  const partsFrom = segments.length - segmentsWithParts - (last && !isWhole(last) ? 1 : 0);
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:9',
    `#EXT-X-TARGETDURATION:${targetDurationMs / 1000}`,
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(3 * partTargetMs) / 1000}`,
    `#EXT-X-PART-INF:PART-TARGET=${partTargetMs / 1000}`,
    `#EXT-X-MEDIA-SEQUENCE:${segments[0]?.sequence}`,
    ...(segments[0]?.epoch === 2 ? ['#EXT-X-DISCONTINUITY-SEQUENCE:1'] : []),
  ];
  segments.forEach((segment, at) => {
    const before = segments[at - 1];
    const { epoch, startMs } = segment;
    if (before && before.epoch !== epoch) lines.push('#EXT-X-DISCONTINUITY');
    if (before?.epoch !== epoch) lines.push(`#EXT-X-MAP:URI="init-${epoch}.mp4"`);
    const date = new Date(beganAt[epoch] + startMs).toISOString();
    lines.push(segment.isGap ? '#EXT-X-GAP' : `#EXT-X-PROGRAM-DATE-TIME:${date}`);
    if (at >= partsFrom) lines.push(...partLines(segment));
    if (isWhole(segment))
      lines.push(`#EXTINF:${segment.durationMs / 1000},`, `${nameOf(segment)}.m4s`);
  });
  if (last) lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${nextPart(last)}.m4s"`);
  return `${lines.join('\n')}\n`;
}

function nameOf({ epoch, sequence }: MadeSegment): string {
  return `${epoch}-${sequence}`;
}

function partLines(segment: MadeSegment): string[] {
  return segment.parts.map(({ durationMs, isIndependent }, n) => {
    const independent = isIndependent ? ',INDEPENDENT=YES' : '';
    return `#EXT-X-PART:DURATION=${durationMs / 1000},URI="${nameOf(segment)}.${n}.m4s"${independent}`;
  });
}

function nextPart(last: MadeSegment): string {
  return isWhole(last)
    ? `${last.epoch}-${last.sequence + 1}.0`
    : `${nameOf(last)}.${last.parts.length}`;
}
