// Pictures that no saved page names for a day go: every hour and at the start, in small steps, whichever service comes.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { imageLimits } from './image-limits.ts';
import { lookAtImages, type SweepLook, sweepImage } from './image-store.ts';

interface ImageSweepOptions {
  store: Store;
  now: () => number;
  log: Log;
}

const sweepEveryMs = 3_600_000;

export function startImageSweep(options: ImageSweepOptions): Rounds {
  return startRounds(sweepEveryMs, (signal) =>
    removeUnnamed(options, signal).catch((error) =>
      options.log.warn('pictures that no page names could not be removed', { error }),
    ),
  );
}

/** One round over all of them; each step may be done by several services, or again after a kill. */
export async function removeUnnamed(
  { store, now }: Omit<ImageSweepOptions, 'log'>,
  signal?: AbortSignal,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined && !signal?.aborted; ) {
    const startedAt = performance.now();
    const at = now();
    const before = at - imageLimits.unnamedKeptMs;
    const { due, last }: SweepLook = await store.perform(lookAtImages, { after, before, now: at });
    for (const id of due) await store.perform(sweepImage, { id, before, now: at });
    after = last;
    // The database rests for as long as the step took.
    if (after !== undefined) await Bun.sleep(performance.now() - startedAt);
  }
}
