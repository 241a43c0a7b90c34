// How much of the time that media lasts the line takes to bring it, by what hls.js loads.
import Hls, { type Fragment, type Part } from 'hls.js/light';

/** What was loaded before says little of the line as it is now. */
const windowMs = 20_000;

interface Load {
  /** Of the media. */
  seconds: number;
  /** From the first byte to the last. */
  tookMs: number;
  endedAt: number;
}

/**
 * Seconds a second of media, at 1 the line is full; undefined while nothing was loaded lately. The time before the
 * first byte does not count: there it may be the service that is slow.
 */
export function lineLoadOf(hls: Hls): () => number | undefined {
  let loads: Load[] = [];
  let coming: Fragment | Part | undefined;
  hls.on(Hls.Events.FRAG_LOADING, (_, { frag, part }) => {
    coming = part ?? frag;
  });
  hls.on(Hls.Events.FRAG_LOADED, (_, { frag, part }) => {
    const { duration, stats } = part ?? frag;
    const { first, end } = stats.loading;
    loads.push({ seconds: duration, tookMs: end - first, endedAt: end });
    if (coming === (part ?? frag)) coming = undefined;
  });
  return () => {
    const now = performance.now();
    loads = loads.filter(({ endedAt }) => now - endedAt < windowMs);
    const all = [...loads, ...loadOnItsWay(coming, now)];
    const seconds = all.reduce((sum, load) => sum + load.seconds, 0);
    const tookMs = all.reduce((sum, load) => sum + load.tookMs, 0);
    return seconds > 0 ? tookMs / 1_000 / seconds : undefined;
  };
}

/** As if it were whole now: of what takes longer than it lasts so much is known already. */
function loadOnItsWay(coming: Fragment | Part | undefined, now: number): Load[] {
  if (!coming) return [];
  const { duration, stats } = coming;
  const { first } = stats.loading;
  if (first === 0 || stats.aborted) return [];
  return [{ seconds: duration, tookMs: now - first, endedAt: now }];
}
