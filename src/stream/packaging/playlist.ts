// The live playlist: low-latency HLS (RFC 8216bis) that plain HLS players read too.
import type { LentPart, Segment } from './fragment.ts';

/** What low-latency servers declare; of our tags EXT-X-MAP needs most, 6 (RFC 8216bis 8). */
const version = 9;

/** Parts are listed near the live edge alone; further back a player fetches whole segments (6.2.2). */
const segmentsWithParts = 3;

/** How far from the end a low-latency player stays: at least three parts (4.4.3.8). */
const partsHeldBack = 3;

export interface LivePlaylistInput {
  /** Oldest first; the last may still grow. */
  readonly segments: readonly Segment[];
  readonly partTargetMs: number;
  readonly targetDurationMs: number;
  /** Discontinuities that have left the playlist. */
  readonly discontinuitySequence: number;
  readonly isEnded: boolean;
  /** What the names of its pieces begin with, where it is one of several rungs. */
  readonly prefix?: string | undefined;
  /** How far the other rungs are. */
  readonly reports?: readonly RungReport[] | undefined;
}

/** So that a player which changes to another rung asks for its newest part at once (RFC 8216bis 4.4.5.4). */
export interface RungReport {
  /** Beside this playlist. */
  readonly playlist: string;
  readonly sequence: number;
  readonly part: number;
}

export function livePlaylist(input: LivePlaylistInput): string {
  const { segments, isEnded, prefix = '', reports = [] } = input;
  const lines = headLines(input);
  const named = (name: string) => `${prefix}${name}`;
  const growing = segments.filter(({ isComplete }) => !isComplete).length;
  // After the end whole segments are all a player needs. hls.js (1.7.4) that is shown the last part and the end
  // at once does not load it, once in seven ends, and waits for ever.
  const partsFrom = isEnded ? segments.length : segments.length - growing - segmentsWithParts;
  segments.forEach((segment, i) => {
    pushBeginning(lines, { segment, before: segments[i - 1], named });
    if (i >= partsFrom)
      lines.push(...segment.parts.map((part, n) => partLine(part, named(partName(segment, n)))));
    if (segment.isComplete) {
      if (hasGap(segment)) lines.push('#EXT-X-GAP');
      lines.push(`#EXTINF:${seconds(segment.durationMs)},`, named(segmentName(segment)));
    }
  });
  const last = segments.at(-1);
  if (isEnded) lines.push('#EXT-X-ENDLIST');
  else if (last) lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${named(nextPart(last))}"`);
  if (!isEnded) lines.push(...reports.map(reportLine));
  return `${lines.join('\n')}\n`;
}

function headLines(input: LivePlaylistInput): string[] {
  const holdBack = seconds(input.partTargetMs * partsHeldBack);
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${version}`,
    `#EXT-X-TARGETDURATION:${Math.ceil(input.targetDurationMs / 1000)}`,
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${holdBack}`,
    `#EXT-X-PART-INF:PART-TARGET=${seconds(input.partTargetMs)}`,
    `#EXT-X-MEDIA-SEQUENCE:${input.segments[0]?.sequence ?? 0}`,
  ];
  if (input.discontinuitySequence > 0) {
    lines.push(`#EXT-X-DISCONTINUITY-SEQUENCE:${input.discontinuitySequence}`);
  }
  return lines;
}

/** What applies to a segment stands before its first part (4.4.4.9). */
function pushBeginning(
  lines: string[],
  {
    segment,
    before,
    named,
  }: { segment: Segment; before: Segment | undefined; named(name: string): string },
): void {
  if (segment.isDiscontinuity) lines.push('#EXT-X-DISCONTINUITY');
  if (segment.init !== before?.init) lines.push(`#EXT-X-MAP:URI="${named(initName(segment))}"`);
  lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.startsAt).toISOString()}`);
}

function partLine(part: LentPart, name: string): string {
  const independent = part.isIndependent ? ',INDEPENDENT=YES' : '';
  const gap = isMissing(part) ? ',GAP=YES' : '';
  return `#EXT-X-PART:DURATION=${seconds(part.durationMs)},URI="${name}"${independent}${gap}`;
}

function reportLine({ playlist, sequence, part }: RungReport): string {
  return `#EXT-X-RENDITION-REPORT:URI="${playlist}",LAST-MSN=${sequence},LAST-PART=${part}`;
}

function nextPart({ sequence, epoch, parts, isComplete }: Segment): string {
  const next = isComplete ? { sequence: sequence + 1, epoch } : { sequence, epoch };
  return partName(next, isComplete ? 0 : parts.length);
}

type Named = Pick<Segment, 'sequence' | 'epoch'>;

function segmentName(segment: Segment): string {
  const { sequence, isSealed, parts } = segment;
  const which = isSealed ? `.0-${parts.length - 1}` : '';
  return `${epochPrefix(segment)}${sequence}${which}.m4s`;
}

function partName(named: Named, n: number): string {
  return `${epochPrefix(named)}${named.sequence}.${n}.m4s`;
}

function initName({ init, epoch }: Segment): string {
  return `${epochPrefix({ epoch })}init-${init.sequence}.mp4`;
}

/** Two nodes that had a push one after the other never give one name to two things. The first needs no mark. */
function epochPrefix({ epoch }: Pick<Segment, 'epoch'>): string {
  return epoch > 1 ? `${epoch}-` : '';
}

/** What was announced, or may have been shown by a node that is gone, and can be had from nobody, or not whole. */
export function hasGap({ parts, isComplete }: Segment): boolean {
  return isComplete && (parts.length === 0 || parts.some(isMissing));
}

/** Of a rung: it was not made in time. */
function isMissing({ bytes }: LentPart): boolean {
  return bytes.length === 0;
}

/** Exact: durations are whole milliseconds. */
function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
