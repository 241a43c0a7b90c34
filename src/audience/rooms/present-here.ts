// Who is in the rooms of this node, for the list of who is here.
import type { PresentSession } from '../counting/present.ts';
import type { PresentHere, PresentViewer } from '../nodes/shared-present.ts';
import type { Room } from './room.ts';

export function presentHere(options: {
  roomOf(channel_id: number): Room | undefined;
  now: () => number;
}): PresentHere {
  const { roomOf, now } = options;
  return {
    newest: (channel_id, count) => {
      const present = inOrder(roomOf(channel_id)?.present ?? []);
      const newest = present.slice(Math.max(0, present.length - count)).reverse();
      return {
        total: present.length,
        viewers: newest.map(({ visitor, enteredAt }) => [visitor.viewer_id, enteredAt]),
      };
    },
    viewersOf: (channel_id, viewer_ids) => {
      const at = now();
      return viewer_ids.flatMap((id) => viewerOf(roomOf(channel_id), id, at) ?? []);
    },
  };
}

/** By when they came in; who has gone on with a session stands in the room where they came back. */
function inOrder(present: PresentSession[]): PresentSession[] {
  const isInOrder = present.every(
    ({ enteredAt }, at) => enteredAt >= (present[at - 1]?.enteredAt ?? 0),
  );
  return isInOrder ? present : present.toSorted((a, b) => a.enteredAt - b.enteredAt);
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
