// Requests that trickle in by the hundred: whoever asks beside them is answered.
import { afterAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/slow-requests.ts';
import { engines } from '../support/engines.ts';
import { startTestService } from '../support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite);
afterAll(() => service.stop());

test('beside slow heads and bodies others read and write', async () => {
  const ending = new AbortController();
  const target = {
    port: Number(new URL(service.url).port),
    rtmpPort: service.rtmpPort,
    token: service.token,
    channels: [],
    show: { id: 0, play_id: '' },
  };
  const attacking = attack.run(target, { from: '127.0.0.2', signal: ending.signal });
  const body = { name: 'beside' };
  for (let at = 0; at < 200; at += 1) {
    expect((await service.call('POST', '/v1/activities', { body })).status).toBe(200);
    expect((await service.call('GET', '/v1/activities')).status).toBe(200);
  }
  ending.abort();
  await attacking;
  const made = await service.store.one('SELECT COUNT(*) AS count FROM channels');
  expect(made).toEqual({ count: 200 });
});
