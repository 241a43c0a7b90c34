// Counts time online and watched the slow and plain way: second by second.
// It reads the whole story of a page each time and keeps sets of seconds, no intervals and no watermarks,
// so that it can share no mistake with src/audience.

/** Time is cut into ticks; tick k is the second after k. Spans that are nearer to each other than this are joined. */
export const tickMs = 1_000;

export function ticks(seconds: number): number {
  return (seconds * 1_000) / tickMs;
}

/** What a page told the service, and what the service saw of its connection. */
export interface Told {
  tick: number;
  what: 'connected' | 'message' | 'report' | 'closed' | 'gone';
  played_ms: number;
}

/** What was said of the channel; a restarted service knows nothing from before. */
export interface Air {
  tick: number;
  isLive: boolean;
  isRestart: boolean;
}

/** Ticks between two signs of a page: at most 30 s apart, and a close at most 15 s after the last message. */
export function onlineTicks(told: readonly Told[]): Set<number> {
  const online = new Set<number>();
  for (const [i, { tick, what }] of told.entries()) {
    const before = told[i - 1];
    if (!before || before.what === 'closed' || before.what === 'gone' || what === 'gone') continue;
    const isMessage = what === 'message' || what === 'report';
    if (tick - before.tick > ticks(isMessage ? 30 : 15)) continue;
    for (let k = before.tick; k < tick; k++) online.add(k);
  }
  return online;
}

/** Back from each report, tick by tick, as long as the page may have played and the channel was on air. */
export function watchedTicks(told: readonly Told[], air: readonly Air[]): Set<number> {
  const watched = new Set<number>();
  for (const [i, { tick, what, played_ms }] of told.entries()) {
    if (what !== 'report') continue;
    const since = countsSince(told.slice(0, i + 1));
    for (let n = 1; n <= ticks(15) && n * tickMs <= played_ms && tick - n >= since; n++)
      if (isOnAir(air, tick - n)) watched.add(tick - n);
  }
  return watched;
}

/** The report before the last, or the beginning of the connection, or the end of a silence. */
function countsSince(told: readonly Told[]): number {
  let after = told.at(-1);
  for (const one of told.slice(0, -1).reverse()) {
    if (after && after.tick - one.tick > ticks(30)) return after.tick;
    if (one.what === 'report' || one.what === 'connected') return one.tick;
    after = one;
  }
  throw new Error('a report before any connection');
}

function isOnAir(air: readonly Air[], tick: number): boolean {
  const past = air.filter((one) => one.tick <= tick);
  const run = past.slice(past.findLastIndex(({ isRestart }) => isRestart));
  const ends = run.slice(1).filter(({ isLive }) => !isLive);
  return run.at(-1)?.isLive === true || ends.some((end) => tick < end.tick + ticks(10));
}
