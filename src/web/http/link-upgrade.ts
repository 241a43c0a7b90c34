// The upgrade of another node's connection to a link; without other nodes the path does not exist.
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import type { Metrics } from '../../base/lib/metrics.ts';
import { linkPath } from '../../base/links/link-dial.ts';
import type { LinkDoor } from '../../base/links/link-door.ts';
import { connectionName } from './asker.ts';
import type { Border } from './border.ts';
import type { BunHandlers } from './bun-handler.ts';
import type { PageWatch } from './page-watch.ts';

export interface LinkUpgradeOptions {
  /** Undefined where nobody dials this node. */
  linkDoor: Pick<LinkDoor, 'admit' | 'left'> | undefined;
  border: Border;
  pages: Pick<PageWatch, 'upgraded' | 'closed'>;
  metrics: Metrics;
}

/** The address is that of the socket: nodes dial each other without a proxy that speaks for them. */
export function linkHandlers({
  linkDoor,
  border,
  pages,
  metrics,
}: LinkUpgradeOptions): BunHandlers {
  if (!linkDoor) return {};
  return {
    [linkPath]: (request, server) => {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
        return border.answer(request, server, { operation: linkPath, make: needsWebSocket });
      const peer = server.requestIP(request);
      const guest = linkDoor.admit(peer?.address ?? '');
      const ended = (status: number) => {
        metrics.count(linkPath, status, 0);
        return status === 101 ? undefined : new Response(null, { status });
      };
      if (!guest) return ended(503);
      if (peer) pages.upgraded(guest, connectionName(peer));
      if (server.upgrade(request, { data: guest })) return ended(101);
      pages.closed(guest);
      linkDoor.left(guest);
      return ended(400);
    },
  };
}

function needsWebSocket(): PlainAnswer {
  return {
    status: 426,
    headers: { upgrade: 'websocket', 'content-type': 'text/plain; charset=utf-8' },
    body: 'This address is for the links between nodes\n',
  };
}
