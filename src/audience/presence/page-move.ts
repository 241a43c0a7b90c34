// The pages of a node that is about to go are sent to other nodes, a part of them at a time: each finds its rows written there.
import type { Connection } from '../connection/page-connection.ts';
import type { PageTurns } from '../connection/page-turns.ts';
import type { AudienceFlush } from '../counting/audience-flush.ts';
import { closeCodes } from '../protocol/messages.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import type { Doors } from '../rooms/doors.ts';
import type { Rooms } from '../rooms/rooms.ts';

interface Leaving {
  doors: Doors;
  rooms: Rooms;
  turns: PageTurns;
  flush: AudienceFlush;
  now: () => number;
}

/** Nobody is let in any more. Most is written before the first page goes, so that no part of them waits for much. */
export async function sendElsewhere({ doors, rooms, turns, flush, now }: Leaving): Promise<void> {
  doors.shut();
  await turns.settled();
  await flush.flush();
  const { movesMax, moveEveryMs } = presenceLimits;
  const pages = [...doors.inside];
  const atOnce = Math.ceil(pages.length / movesMax);
  for (let from = 0; from < pages.length; from += atOnce) {
    if (from > 0) await Bun.sleep(moveEveryMs);
    const some = pages.slice(from, from + atOnce);
    for (const page of some) leave(rooms, page, now());
    await flush.flush();
    for (const page of some) page.close(closeCodes.elsewhere, 'other nodes are there');
  }
}

/**
 * Its time ends with its last word. What it plays from then on it says where it comes next, which counts that from there:
 * a time that was counted as online without a report could not be watched any more.
 */
function leave(rooms: Rooms, connection: Connection, at: number): void {
  connection.settle();
  const { session } = connection;
  const room = session && rooms.find(session.channel_id);
  if (session) room?.disconnect(session, { connection, at, how: 'silent' });
}
