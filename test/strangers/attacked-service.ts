// A service with a channel of an honest account and two of an attacker's.
import type { Target, TargetChannel } from '../support/attacks/attack.ts';
import { engines } from '../support/engines.ts';
import { movingClock, startTestService, type TestService } from '../support/service.ts';

export interface AttackedService {
  service: TestService;
  target: Target;
  /** Of the attacker's first channel, and of the honest one. */
  key: string;
  honestKey: string;
  /** How often `/metrics` says that this was refused. */
  refused(kind: string, reason: string): Promise<number>;
}

export async function startAttackedService(
  settings: Record<string, string>,
): Promise<AttackedService> {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const service = await startTestService(sqlite, {
    settings: { MIN_FREE_DISK: '10M', ...settings },
    clock: movingClock(),
  });
  const account_id = await service.newAccount();
  const token = await service.newToken({ account_id });
  for (const as of [service.token, token, token])
    await service.call('POST', '/v1/activities', { token: as, body: { name: 'a show' } });
  const rows = await service.store.all<TargetChannel>(
    'SELECT id, stream_key, play_id FROM channels ORDER BY id',
  );
  const [show, ...channels] = rows;
  if (!show) throw new Error('there is no channel');
  const { rtmpPort } = service;
  const port = Number(new URL(service.url).port);
  return {
    service,
    target: { port, rtmpPort, token, channels, show },
    key: channels[0]?.stream_key ?? '',
    honestKey: show.stream_key,
    refused: async (kind, reason) => {
      const { text } = await service.call('GET', '/metrics', { token: null });
      const line = new RegExp(
        `^footlight_refusals_total\\{kind="${kind}",reason="${reason}"\\} (\\d+)$`,
        'm',
      );
      return Number(line.exec(text)?.[1]);
    },
  };
}
