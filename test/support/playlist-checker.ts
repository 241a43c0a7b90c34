// Judges a live playlist, load after load, by the rules of RFC 8216 and RFC 8216bis.
import {
  type ListedSegment,
  type MediaPlaylist,
  PlaylistError,
  readMediaPlaylist,
} from './media-playlist.ts';

/** RFC 8216bis 4.4.4.9: no part but a segment's last is shorter than this of the target. */
const shortestOfTarget = 0.85;
/** RFC 8216bis 4.4.3.8: at least twice the part target. */
const holdBackParts = 2;
/** RFC 8216 6.2.2 */
const targetsKept = 3;

/** Follows the playlist of one address, over pushes that come one after another. */
export class PlaylistChecker {
  readonly problems: string[];
  /** Every segment ever listed, as it was listed last. */
  readonly segments = new Map<number, ListedSegment>();
  loads = 0;
  /** Pushes that began after another had ended. */
  pushes = 0;
  last: MediaPlaylist | undefined;

  /** What is wrong is added to `problems`. */
  constructor(problems: string[] = []) {
    this.problems = problems;
  }

  /** Takes one load of it. */
  see(text: string): MediaPlaylist | undefined {
    this.loads += 1;
    try {
      const list = readMediaPlaylist(text);
      this.checkAlone(list);
      this.checkAfter(list);
      for (const segment of list.segments) this.segments.set(segment.sequence, segment);
      this.last = list;
      return list;
    } catch (error) {
      if (!(error instanceof PlaylistError)) throw error;
      this.problems.push(`load ${this.loads}: ${error.message}`);
      return undefined;
    }
  }

  /** Of all that was ever listed, also of a segment that still grew. */
  get shownMs(): number {
    return [...this.segments.values()].reduce((sum, { durationMs }) => sum + durationMs, 0);
  }

  /** How often decoding had to begin anew, in all pushes. */
  get discontinuities(): number {
    const segments = [...this.segments.values()].sort((a, b) => a.sequence - b.sequence);
    return segments.filter(
      ({ sequence, discontinuity }) =>
        (this.segments.get(sequence - 1)?.discontinuity ?? discontinuity) < discontinuity,
    ).length;
  }

  private demand(holds: boolean, otherwise: string): void {
    if (!holds) this.problems.push(`load ${this.loads}: ${otherwise}`);
  }

  private checkAlone(list: MediaPlaylist): void {
    const { segments, partTargetMs, partHoldBackMs, hint, isEnded } = list;
    this.demand(segments.length > 0, 'it lists nothing');
    for (const [at, segment] of segments.entries())
      this.checkSegment(segment, list, at === segments.length - 1);
    if (partTargetMs === undefined) return;
    this.demand(
      partHoldBackMs !== undefined && partHoldBackMs >= holdBackParts * partTargetMs,
      `the hold back is ${partHoldBackMs} ms`,
    );
    this.demand(isEnded ? hint === undefined : hint !== undefined, 'the hint is not as it should');
    const last = segments.at(-1);
    const listed = last?.parts.some(({ uri }) => uri === hint) || last?.uri === hint;
    this.demand(isEnded || !listed, `the hint ${hint} is listed already`);
  }

  private checkSegment(segment: ListedSegment, list: MediaPlaylist, isLast: boolean): void {
    const { sequence, durationMs, parts, map, uri, startsAt } = segment;
    const { targetMs, partTargetMs = 0, isEnded } = list;
    this.demand(map !== undefined, `segment ${sequence} has no map`);
    this.demand(startsAt !== undefined, `segment ${sequence} has no date`);
    this.demand(durationMs > 0, `segment ${sequence} lasts ${durationMs} ms`);
    // RFC 8216 4.3.3.1: rounded to the nearest second.
    const seconds = Math.round(durationMs / 1000);
    this.demand(seconds * 1000 <= targetMs, `segment ${sequence} lasts ${durationMs} ms`);
    this.demand(uri !== undefined || isLast, `segment ${sequence} is not whole`);
    this.demand(uri !== undefined || !isEnded, `segment ${sequence} never became whole`);
    for (const [at, part] of parts.entries()) {
      const isFinal = uri !== undefined && at === parts.length - 1;
      const isLong = isFinal || part.durationMs >= shortestOfTarget * partTargetMs;
      const name = `part ${part.uri} of ${part.durationMs} ms`;
      this.demand(part.durationMs > 0 && part.durationMs <= partTargetMs, `${name} is too long`);
      // The last listed part may turn out to be its segment's final one.
      this.demand(isLong || (isLast && at === parts.length - 1), `${name} is too short`);
    }
    const sumMs = parts.reduce((sum, part) => sum + part.durationMs, 0);
    this.demand(
      parts.length === 0 || sumMs === durationMs,
      `the parts of segment ${sequence} last ${sumMs} ms of ${durationMs}`,
    );
  }

  private checkAfter(list: MediaPlaylist): void {
    const before = this.last;
    const newest = Math.max(-1, ...this.segments.keys());
    if (before?.isEnded && list.mediaSequence > newest) this.pushes += 1;
    else if (before) this.checkGrown(before, list, newest);
    else this.pushes = 1;
  }

  private checkGrown(before: MediaPlaylist, list: MediaPlaylist, newest: number): void {
    const { mediaSequence, segments } = list;
    this.demand(
      mediaSequence >= before.mediaSequence,
      `media sequence ${mediaSequence} after ${before.mediaSequence}`,
    );
    this.demand((segments.at(-1)?.sequence ?? 0) >= newest, 'the newest segment is gone');
    this.demand(list.targetMs === before.targetMs, 'the target duration changed');
    this.demand(list.partTargetMs === before.partTargetMs, 'the part target changed');
    this.demand(!before.isEnded || list.isEnded, 'it goes on after its end');
    this.demand(
      list.discontinuitySequence >= before.discontinuitySequence,
      'the discontinuity sequence fell',
    );
    const listedMs = segments.reduce((sum, { durationMs }) => sum + durationMs, 0);
    this.demand(
      mediaSequence === before.mediaSequence || listedMs >= targetsKept * list.targetMs,
      `it was shortened to ${listedMs} ms`,
    );
    for (const segment of segments) this.checkSame(this.segments.get(segment.sequence), segment);
  }

  /** What was listed once never changes; a segment that grew may only have grown. */
  private checkSame(was: ListedSegment | undefined, is: ListedSegment): void {
    if (!was) return;
    const name = `segment ${is.sequence}`;
    for (const what of ['discontinuity', 'map', 'startsAt'] as const)
      this.demand(was[what] === is[what], `the ${what} of ${name} changed`);
    if (was.uri !== undefined) {
      this.demand(is.uri === was.uri, `${name} has another address`);
      this.demand(is.durationMs === was.durationMs, `${name} has another length`);
    }
    // Parts leave the list together, when their segment is far from the live edge.
    if (is.parts.length === 0 && is.uri !== undefined) return;
    for (const [at, part] of was.parts.entries()) {
      const now = is.parts[at];
      this.demand(
        now?.uri === part.uri && now.durationMs === part.durationMs,
        `part ${part.uri} changed`,
      );
    }
  }
}
