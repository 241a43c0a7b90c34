// Ends the sessions that nobody has: a service that was killed had them, and their pages did not come back.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { sessionsPerEvent } from '../../library/events/event-feed.ts';
import {
  endSessions,
  type HeldCursor,
  type HeldSession,
  heldSessions,
} from '../records/session-end-store.ts';

export interface LostSessionsOptions {
  store: Store;
  /** The run of this service: what it has, it ends itself. */
  heldBy: number;
  /** Whether it has the session in memory. */
  isKnown(channel_id: number, record_id: number): boolean;
  now: () => number;
  log: Log;
}

const everyMs = 60_000;
/**
 * A session that a page has is seen with every beat, and written with the next flush; one that was not seen for so
 * long can be gone on with no more, by whatever service.
 */
const lostMs = 120_000;
/** Its own are lost by an error between database and memory alone, so they are looked at now and then. */
const roundsPerOwn = 30;

export function startLostSessions(options: LostSessionsOptions): Rounds {
  let round = 0;
  let isWell = false;
  return startRounds(everyMs, async (signal) => {
    round += 1;
    const withOwn = round % roundsPerOwn === 0;
    try {
      // After a while without the database nothing in it was seen of late: whoever has sessions writes that first.
      if (isWell) await endLost(options, { withOwn }, signal);
      else await options.store.perform(heldSessions, { after: first, except: 0, limit: 1 });
      isWell = true;
    } catch (error) {
      isWell = false;
      options.log.warn('sessions that nobody has could not be ended', { error });
    }
  });
}

const first: HeldCursor = { held_by: 0, channel_id: 0, seq: 0 };

/** One round over all that are held; how many it ended. Done by two services at once it ends each one once. */
export async function endLost(
  { store, heldBy, isKnown, now }: Omit<LostSessionsOptions, 'log'>,
  { withOwn }: { withOwn: boolean },
  signal?: AbortSignal,
): Promise<number> {
  const isLost = ({ held_by, channel_id, record_id, last_seen_at }: HeldSession) =>
    last_seen_at < now() - lostMs && !(held_by === heldBy && isKnown(channel_id, record_id));
  const except = withOwn ? 0 : heldBy;
  let ended = 0;
  let after: HeldCursor | undefined = first;
  while (after && !signal?.aborted) {
    const startedAt = performance.now();
    const { held_by, channel_id, seq } = after;
    const limit = sessionsPerEvent;
    const found: HeldSession[] = await store.perform(heldSessions, {
      after: { held_by, channel_id, seq },
      except,
      limit,
    });
    ended += await endAll(store, found.filter(isLost));
    after = found.length < limit ? undefined : found.at(-1);
    // Others have their turn for as long as the step took.
    if (after) await Bun.sleep(performance.now() - startedAt);
  }
  return ended;
}

async function endAll(store: Store, lost: readonly HeldSession[]): Promise<number> {
  let ended = 0;
  const byRoom = Map.groupBy(lost, ({ held_by, channel_id }) => `${held_by} ${channel_id}`);
  for (const sessions of byRoom.values()) {
    const { held_by, channel_id } = sessions[0] as HeldSession;
    const over = sessions.map(({ seq, record_id, viewer_id }) => ({ seq, record_id, viewer_id }));
    ended += await store.perform(endSessions, { held_by, channel_id, sessions: over });
  }
  return ended;
}
