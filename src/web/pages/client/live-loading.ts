// How hls.js loads a live stream: part by part where the line is quick enough for it, else by whole segments.
import Hls, { type Fragment, type LoaderStats, type Part } from 'hls.js/light';
import { LivePace, type Load } from './live-pace.ts';
import { aheadMsOf, isSoundAlone } from './live-rungs.ts';

/** A little longer than most segments last: so far from the edge the last that is whole mostly begins. */
const wholeSegmentSeconds = 2.5;

export interface Pace {
  /** As LivePace has it. */
  readonly reserveMs: number;
}

/** From now on, for as long as there is the player. `lineBits`: what the line is taken to carry. */
export function paceLoading(hls: Hls, lineBits: number): Pace {
  const pace = new LivePace();
  const apply = () => {
    if (hls.lowLatencyMode !== pace.byParts) hls.lowLatencyMode = pace.byParts;
  };
  // For whole segments alone: of parts the playlist says how far back to begin, unless the player was told otherwise.
  Object.assign(hls.config, { liveSyncDuration: wholeSegmentSeconds });
  // Before it is chosen where to begin.
  hls.on(Hls.Events.MANIFEST_LOADED, (_, { stats: { loading }, levels }) => {
    const withPictures = levels.filter(({ height, url }) => height && !isSoundAlone(url));
    const rates = withPictures.map(({ bitrate }) => bitrate);
    const leastBits = rates.length > 0 ? Math.min(...rates) : 0;
    pace.begin({ roundTripMs: loading.first - loading.start, leastBits, lineBits });
    apply();
  });
  hls.on(Hls.Events.FRAG_LOADED, (_, { frag, part }) => {
    if (frag.sn === 'initSegment') return;
    const smallest = smallestOf(hls);
    const place = { isSmallest: frag.level === smallest, hasSound: smallest > 0 };
    if (part) pace.addPart(loadOf(part, part.stats), { ...place, aheadMs: aheadMsOf(hls) });
    else pace.addSegment(loadOf(frag, frag.stats));
    apply();
  });
  return pace;
}

/** With pictures. */
function smallestOf({ levels }: Hls): number {
  return levels.findIndex(({ uri }) => !isSoundAlone(uri));
}

function loadOf({ duration }: Fragment | Part, { loading }: LoaderStats): Load {
  const { start, first, end } = loading;
  return {
    nowMs: end,
    durationMs: duration * 1_000,
    waitedMs: first - start,
    tookMs: end - first,
  };
}
