// An account's events as server-sent events: what has come since a position, and then what comes, as it comes.
import type { Pieces } from '../../base/api/pieces.ts';
import { followedEvent } from './event.ts';
import { EventFollowing, type EventFollowingOptions } from './event-following.ts';
import { eventLimits } from './event-limits.ts';
import { type Missing, missingView, type Position, positionText } from './event-position.ts';
import type { EventFilter, ReadEvents } from './event-reading.ts';

export interface EventStreamOptions extends EventFollowingOptions {
  heartbeatMs: number;
}

/** `after`: undefined for what comes from now on. */
export async function openEventStream(
  options: EventStreamOptions,
  filter: EventFilter,
  after: Position | undefined,
): Promise<Pieces> {
  const following = await EventFollowing.open(options, filter, after);
  let isFirst = true;
  const next: Pieces = async () => {
    if (isFirst) {
      isFirst = false;
      // Where there is nothing to tell, the answer begins all the same.
      const read = await following.read();
      return `retry: ${eventLimits.retryMs}\n\n${toldText(read)}${mark(read)}`;
    }
    const read = await following.next(options.heartbeatMs);
    return read && (toldText(read) || mark(read));
  };
  return Object.assign(next, { end: () => following.end() });
}

/** Says where its reader is, and that the connection lives: no event of the page that reads it. */
function mark({ position }: ReadEvents): string {
  return `: still here\nid: ${positionText(position)}\n\n`;
}

function toldText({ rows, missing }: ReadEvents): string {
  const texts = rows.map(({ row, position }) => {
    const { type } = row;
    return `id: ${positionText(position)}\nevent: ${type}\ndata: ${JSON.stringify(followedEvent(row))}\n\n`;
  });
  return missing.map(missingText).join('') + texts.join('');
}

/** Told once, before what follows them. */
function missingText(missing: Missing): string {
  return `event: missing\ndata: ${JSON.stringify(missingView(missing))}\n\n`;
}
