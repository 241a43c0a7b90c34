// Events that are old enough go: every hour and at the start, in small steps, whichever service comes.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { type EventSweep, sweepEvents } from './event-store.ts';

interface EventSweepOptions {
  store: Store;
  now: () => number;
  log: Log;
  eventDays: number;
}

const sweepEveryMs = 3_600_000;
const dayMs = 86_400_000;

export function startEventSweep(options: EventSweepOptions): Rounds {
  return startRounds(sweepEveryMs, (signal) =>
    removeOldEvents(options, signal).catch((error) =>
      options.log.warn('old events could not be removed', { error }),
    ),
  );
}

/** One round over all accounts; each step may be done by several services, or again after a kill. */
export async function removeOldEvents(
  { store, now, eventDays }: Omit<EventSweepOptions, 'log'>,
  signal?: AbortSignal,
): Promise<void> {
  const before = now() - eventDays * dayMs;
  let after: EventSweep['after'] | undefined = { account_id: 0, feed: 0 };
  while (after !== undefined && !signal?.aborted) {
    const startedAt = performance.now();
    after = await store.perform(sweepEvents, { after, before });
    // The writer rests for as long as the step took.
    if (after !== undefined) await Bun.sleep(performance.now() - startedAt);
  }
}
