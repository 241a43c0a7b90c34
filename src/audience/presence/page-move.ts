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
  const { movesMs, moveEveryMs } = presenceLimits;
  const pages = [...doors.inside];
  const startedAt = performance.now();
  for (let gone = 0; gone < pages.length; ) {
    // By the clock: where writing takes long, fewer parts are larger.
    const dueOf = (performance.now() - startedAt + moveEveryMs) / movesMs;
    const due = Math.min(pages.length, Math.ceil(pages.length * dueOf));
    const some = pages.slice(gone, due);
    gone = due;
    for (const page of some) leave(rooms, page, now());
    await flush.flush();
    for (const page of some) page.close(closeCodes.elsewhere, 'other nodes are there');
    if (gone < pages.length) await Bun.sleep(moveEveryMs);
  }
}

/** Who is still here says elsewhere what is not written. */
export function leaveAll({ doors, rooms, now }: Leaving): void {
  for (const page of doors.inside) leave(rooms, page, now());
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
