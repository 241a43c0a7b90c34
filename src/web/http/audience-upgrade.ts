// The upgrade of a page's connection to a WebSocket; no log line for each, as after a restart every viewer comes back at once.
import type { Presence } from '../../audience/presence/presence.ts';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import type { Metrics } from '../../base/lib/metrics.ts';
import { type Asker, connectionName } from './asker.ts';
import type { Border } from './border.ts';
import type { BunHandlers } from './bun-handler.ts';
import type { PageWatch } from './page-watch.ts';

export interface AudienceUpgradeOptions {
  presence: Pick<Presence, 'admit'>;
  border: Border;
  asker: Asker;
  pages: Pick<PageWatch, 'upgraded' | 'closed'>;
  metrics: Metrics;
}

const path = '/audience';

export function audienceHandlers(options: AudienceUpgradeOptions): BunHandlers {
  const { presence, border, asker, pages, metrics } = options;
  return {
    [path]: (request, server) => {
      const { headers } = request;
      if (headers.get('upgrade')?.toLowerCase() !== 'websocket')
        return border.answer(request, server, { operation: path, make: needsWebSocket });
      if (!asker.hasHost(request))
        return border.refuse(request, server, border.hostError(request, server));
      const peer = server.requestIP(request);
      const data = presence.admit({
        origin: headers.get('origin'),
        host: headers.get('host') ?? '',
        address: asker.addressOf(request, peer?.address ?? ''),
        userAgent: headers.get('user-agent') ?? '',
      });
      const ended = (status: number) => {
        metrics.count(path, status, 0);
        return status === 101 ? undefined : new Response(null, { status });
      };
      if (data === 'refused') return ended(403);
      // Before the upgrade: a page that is told no is opened and closed inside it.
      if (peer) pages.upgraded(data, connectionName(peer));
      if (server.upgrade(request, { data })) return ended(101);
      pages.closed(data);
      return ended(400);
    },
  };
}

function needsWebSocket(): PlainAnswer {
  return {
    status: 426,
    headers: { upgrade: 'websocket', 'content-type': 'text/plain; charset=utf-8' },
    body: 'This address is for the WebSocket of a page\n',
  };
}
