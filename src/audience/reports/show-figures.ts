// Every number of a show's report, from what its sessions watched: pure, so that anybody can count again.
import type { Span } from '../records/span.ts';

/** One session of the show: whose it was, and what it watched of it. */
export interface ShowSession {
  viewer_id: string;
  /** Of this show alone, in their order. */
  spans: readonly Span[];
}

/** A minute of the show, from its beginning on. */
export interface ShowMinute {
  /** Most viewers at once, by the wall's clock. */
  viewers: number;
  /** Those who watched for the first time, and for the last time, in this minute. */
  came: number;
  left: number;
  /** Those who watched some of this minute of the show's media, whenever that was. */
  seen: number;
  /** Those who watched so many whole minutes at least. */
  stayed: number;
}

export interface ShowFigures {
  /** Viewers, and their sessions. */
  uv: number;
  pv: number;
  /** All viewers together; what one watched in two tabs at once counts once. */
  watch_ms: number;
  /** Most viewers at once. */
  peak: number;
  minutes: ShowMinute[];
}

const minuteMs = 60_000;

/** `begin` is the show's; whatever is in front of it counts for its first minute. */
export function showFigures(begin: number, sessions: Iterable<ShowSession>): ShowFigures {
  const viewers = new Map<string, Span[]>();
  let pv = 0;
  for (const { viewer_id, spans } of sessions) {
    if (spans.length === 0) continue;
    pv += 1;
    const known = viewers.get(viewer_id);
    if (known) known.push(...spans);
    else viewers.set(viewer_id, [...spans]);
  }
  const counts = new MinuteCounts();
  const starts: number[] = [];
  const ends: number[] = [];
  let watch_ms = 0;
  for (const spans of viewers.values()) {
    const watched = union(spans.map(({ from, to }) => ({ from, to })));
    let viewerMs = 0;
    for (const { from, to } of watched) {
      starts.push(from - begin);
      ends.push(to - begin);
      viewerMs += to - from;
    }
    watch_ms += viewerMs;
    counts.add('came', minuteOf((watched[0]?.from ?? begin) - begin));
    counts.add('left', lastMinuteOf((watched.at(-1)?.to ?? begin) - begin));
    for (const { from, to } of union(spans.map(seenMinutes)))
      for (let minute = from; minute < to; minute++) counts.add('seen', minute);
    counts.add('stayed', Math.floor(viewerMs / minuteMs));
  }
  const most = countAtOnce(starts, ends);
  const minutes = counts.minutes(most);
  const peak = most.reduce((highest, one) => Math.max(highest, one), 0);
  return { uv: viewers.size, pv, watch_ms, peak, minutes };
}

interface Stretch {
  from: number;
  to: number;
}

/** Rising, apart from each other. */
function union(stretches: Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const next of stretches.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && next.from <= last.to) last.to = Math.max(last.to, next.to);
    else joined.push(next);
  }
  return joined;
}

/** The minutes of media that a span shows some of, from one to before another. */
function seenMinutes({ from, to, position }: Span): Stretch {
  return { from: minuteOf(position), to: lastMinuteOf(position + to - from) + 1 };
}

function minuteOf(ms: number): number {
  return Math.max(0, Math.floor(ms / minuteMs));
}

/** The minute that something was in which ended then. */
function lastMinuteOf(ms: number): number {
  return Math.max(0, Math.ceil(ms / minuteMs) - 1);
}

/** By minute the most that were there at once. Who comes as another goes is not there with them. */
function countAtOnce(starts: readonly number[], ends: readonly number[]): number[] {
  const came = Float64Array.from(starts).sort();
  const gone = Float64Array.from(ends).sort();
  const most: number[] = [];
  let there = 0;
  let goes = 0;
  let minute = 0;
  // Who was there when a minute began was there in it.
  const reach = (next: number) => {
    for (; minute < next; minute++) most[minute + 1] = there;
  };
  most[0] = 0;
  for (const at of came) {
    for (; (gone[goes] ?? Number.POSITIVE_INFINITY) <= at; goes++) {
      reach(lastMinuteOf(gone[goes] ?? 0));
      there -= 1;
    }
    reach(minuteOf(at));
    there += 1;
    most[minute] = Math.max(most[minute] ?? 0, there);
  }
  for (; goes < gone.length; goes++) {
    reach(lastMinuteOf(gone[goes] ?? 0));
    there -= 1;
  }
  return starts.length === 0 ? [] : most;
}

type Counted = 'came' | 'left' | 'seen' | 'stayed';

class MinuteCounts {
  private readonly counts: Record<Counted, number[]> = { came: [], left: [], seen: [], stayed: [] };

  add(what: Counted, minute: number): void {
    const counts = this.counts[what];
    counts[minute] = (counts[minute] ?? 0) + 1;
  }

  /** With the most at once of each; as many as anything was counted in. */
  minutes(most: readonly number[]): ShowMinute[] {
    const { came, left, seen, stayed } = this.counts;
    const length = Math.max(most.length, seen.length);
    // Who watched five minutes watched four.
    let longer = 0;
    for (let minute = stayed.length - 1; minute >= 0; minute--) {
      longer += stayed[minute] ?? 0;
      stayed[minute] = longer;
    }
    return Array.from({ length }, (_, minute) => ({
      viewers: most[minute] ?? 0,
      came: came[minute] ?? 0,
      left: left[minute] ?? 0,
      seen: seen[minute] ?? 0,
      stayed: stayed[minute] ?? 0,
    }));
  }
}
