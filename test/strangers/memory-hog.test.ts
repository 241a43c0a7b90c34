// Pushes that want all the memory: their windows shrink, they are cut with a sentence, and no more of them begin.
import { afterEach, expect, test } from 'bun:test';
import { pushRefusals } from '../../src/stream/live/push-refusals.ts';
import { type Attacked, startAttacked } from '../support/attacked.ts';
import { hog, ways } from '../support/attacks/memory-hog.ts';
import { clipRecord, header, picture, slice } from '../support/rude/rude-media.ts';
import { type RudePush, startRudePush } from '../support/rude/rude-push.ts';

const megabyte = 1_048_576;

let attacked: Attacked | undefined;
afterEach(() => attacked?.stop());

test.each([...ways])('a push of %j is cut for its bit rate', async (way) => {
  attacked = await startAttacked({ PUSH_KBPS_MAX: '8000' });
  const push = await open(attacked, 0);
  await hog(push, way, () => true);
  expect(await push.closed).toContain(pushRefusals.rate);
  expect(await attacked.refused('push')).toEqual({ rate: 1 });
  await attacked.showGoesOn();
});

test('stamps that stand still fill the memory of a push, and no more', async () => {
  attacked = await startAttacked({ PUSH_KBPS_MAX: '1000000', PUSH_MEMORY: '32M' });
  const push = await open(attacked, 0);
  await hog(push, { stampMs: 0, keyEvery: 1 }, () => true);
  expect(await push.closed).toContain(pushRefusals.memory);
  expect(await attacked.refused('push')).toEqual({ memory: 1 });
  // What the last packet was let in with becomes its last part.
  expect(await heldBytes(attacked)).toBeLessThan(64 * megabyte);
  await attacked.showGoesOn();
});

test('an account that holds all it may begins no other push; another account does', async () => {
  attacked = await startAttacked({ ACCOUNT_PUSH_MEMORY: '12M' });
  const first = await open(attacked, 0);
  await first.send({ type: 'video', timestamp: 0, body: header(clipRecord()) });
  // Of segments of 4.6 MB a window keeps three. The show has up to 2 MB; 15 would be too much for what is on air.
  for (let n = 0; (await heldBytes(attacked)) <= 14 * megabyte; n++)
    await first.send({ type: 'video', timestamp: 40 * n, body: picture([slice(100_000)]) });
  const second = await open(attacked, 1);
  expect(await second.closed).toContain(pushRefusals.account_memory);
  expect(first.isClosed).toBe(false);
  expect(await attacked.refused('push')).toEqual({ account_memory: 1 });
  await attacked.showGoesOn();
  first.drop();
  await first.closed;
});

function open({ target }: Attacked, channel: number): Promise<RudePush> {
  const { signal } = new AbortController();
  const key = target.channels[channel]?.stream_key ?? '';
  return startRudePush({ port: target.rtmpPort, key, from: '127.0.0.2', signal });
}

async function heldBytes({ service }: Attacked): Promise<number> {
  const { text } = await service.call('GET', '/metrics', { token: null });
  return Number(/^footlight_push_memory_bytes (\d+)$/m.exec(text)?.[1]);
}
