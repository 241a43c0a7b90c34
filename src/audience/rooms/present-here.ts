// Who is in the rooms of this node, for the list of who is here.
import type { PresentSession } from '../counting/present.ts';
import {
  type CameIn,
  latestFirst,
  type PresentHere,
  type PresentViewer,
} from '../nodes/shared-present.ts';
import type { Room } from './room.ts';

export function presentHere(options: {
  roomOf(channel_id: number): Room | undefined;
  now: () => number;
}): PresentHere {
  const { roomOf, now } = options;
  return {
    newest: (channel_id, count) => {
      const all = cameIn(roomOf(channel_id)?.present ?? []);
      return { total: all.length, viewers: all.slice(0, count) };
    },
    viewersOf: (channel_id, viewer_ids) => {
      const at = now();
      return viewer_ids.flatMap((id) => viewerOf(roomOf(channel_id), id, at) ?? []);
    },
  };
}

/** Who came last first. A room has them as they came, but for those who have come back. */
function cameIn(present: readonly PresentSession[]): CameIn[] {
  const all = present
    .map(({ visitor, enteredAt }): CameIn => [visitor.viewer_id, enteredAt])
    .reverse();
  const isInOrder = all.every((one, at) => {
    const before = all[at - 1];
    return before === undefined || latestFirst(before, one) < 0;
  });
  return isInOrder ? all : all.sort(latestFirst);
}

function viewerOf(
  room: Room | undefined,
  viewer_id: string,
  at: number,
): PresentViewer | undefined {
  const visitor = room?.visitor(viewer_id);
  const oldest = visitor?.firstConnected;
  if (!visitor || !oldest) return undefined;
  return {
    viewer_id,
    nick: visitor.nick,
    since: oldest.enteredAt,
    pages: visitor.connectionCount,
    isPlaying: visitor.sessions.some(({ watch }) => watch.isPlayingAt(at)),
  };
}
