// A round of beats as the service writes it: every viewer once, in flushes, one transaction at a time.
import type { Credits } from '../../src/audience/records/credit-rows.ts';
import type { Operation, Store } from '../../src/base/db/sql.ts';
import type { Viewer } from './beats-crowd.ts';

/** Of the checkout that is measured. */
export interface Flushes {
  creditAudience: Operation<Credits & { numbering: number }, unknown>;
  flushRowsMax: number;
}

/** A page beats every 10 s and the service writes every 2 s: a fifth of the viewers at a time, whichever. */
const flushesPerRound = 5;

/** Channel after channel, in the order of the rows; how long each flush took, in ms. */
export async function flushAll(
  store: Store,
  viewers: readonly Viewer[],
  { creditAudience, flushRowsMax }: Flushes,
): Promise<number[]> {
  const tookMs: number[] = [];
  for (const fifth of parts(viewers))
    for (const [channel_id, present] of Map.groupBy(fifth, (viewer) => viewer.channel_id))
      for (let from = 0; from < present.length; from += flushRowsMax / 2) {
        const chunk = present.slice(from, from + flushRowsMax / 2);
        const sessions = chunk.map(({ session }) => session);
        const visitors = chunk.map(({ visitor }) => visitor);
        const startedAt = performance.now();
        await store.perform(creditAudience, { channel_id, numbering: 0, sessions, visitors });
        tookMs.push(performance.now() - startedAt);
      }
  return tookMs;
}

/** Each viewer in one of them, by chance. */
function parts(viewers: readonly Viewer[]): Viewer[][] {
  const all: Viewer[][] = Array.from({ length: flushesPerRound }, () => []);
  for (const viewer of viewers) all[Math.floor(Math.random() * flushesPerRound)]?.push(viewer);
  return all;
}
