// The upgrade of a page's connection to a WebSocket; no log line for each, as after a restart every viewer comes back at once.
import type { Metrics } from '../lib/metrics.ts';
import type { PlainAnswer } from '../lib/plain-answer.ts';
import type { Presence } from '../presence/presence.ts';
import { type Asker, connectionName } from './asker.ts';
import type { Border } from './border.ts';
import type { BunHandlers } from './bun-handler.ts';
import type { ConnectionWatch } from './connection-watch.ts';

export interface AudienceUpgradeOptions {
  presence: Pick<Presence, 'admit'>;
  border: Border;
  asker: Asker;
  watch: Pick<ConnectionWatch, 'upgraded'>;
  metrics: Metrics;
}

const path = '/audience';

export function audienceHandlers(options: AudienceUpgradeOptions): BunHandlers {
  const { presence, border, asker, watch, metrics } = options;
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
      const status = data === 'refused' ? 403 : server.upgrade(request, { data }) ? 101 : 400;
      if (status === 101 && data !== 'refused' && peer) watch.upgraded(data, connectionName(peer));
      metrics.count(path, status, 0);
      return status === 101 ? undefined : new Response(null, { status });
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
