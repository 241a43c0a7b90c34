// Exports of one account that nobody reads: another account's begins at once.
import { afterAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/slow-exports.ts';
import { engines } from '../support/engines.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { untilThen } from '../support/rude/rude-sockets.ts';
import { startTestService } from '../support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite);
afterAll(() => service.stop());

test('an account beside one with slow exports exports at once', async () => {
  const scopes = ['manage', 'channels:write'] as const;
  const token = await service.newToken({ account_id: await service.newAccount(), scopes });
  const channel = async (as: string) =>
    (await service.call('POST', '/v1/activities', { token: as, body: { name: 'a show' } })).body.id;
  const target = {
    port: Number(new URL(service.url).port),
    rtmpPort: service.rtmpPort,
    token: service.token,
    channels: [{ id: await channel(service.token), stream_key: '', play_id: '' }],
    show: { id: 0, play_id: '' },
  };
  const path = `/manage/v1/channels/${await channel(token)}/sessions.csv`;
  const ending = new AbortController();
  const done = attack
    .run(target, { from: '127.0.0.2', signal: ending.signal })
    .then(() => ending.abort());
  await untilThen(ending.signal, async () => {
    expect((await service.call('GET', path, { token })).status).toBe(200);
  });
  await done;
  const { text } = await service.call('GET', '/metrics');
  expect(refusalCounts(text)).toMatchObject({ 'http export_account': expect.any(Number) });
});
