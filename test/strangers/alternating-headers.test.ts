// New parameters before every key frame: the push is cut with a sentence, and leaves few segments behind.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { pushRefusals } from '../../src/stream/live/push-refusals.ts';
import { type Attacked, startAttacked } from '../support/attacked.ts';
import { pair } from '../support/attacks/alternating-headers.ts';
import { until, videosOf } from '../support/live-channel.ts';
import { aggregate } from '../support/rude/rude-media.ts';
import { type RudeMessage, startRudePush } from '../support/rude/rude-push.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

/** What 20 changes at once, and what is made of them while the push is cut, may leave. */
const segmentsMax = 30;

test('forty thousand pairs in one message end with the twentieth', async () => {
  const pairs = Array.from({ length: 40_000 }, (_, n) => pair(n)).flat();
  const said = await pushed(0, [{ type: 'aggregate', timestamp: 0, body: aggregate(pairs) }]);
  expect(said).toContain(pushRefusals.changes);
  expect(await attacked.refused('push')).toEqual({ changes: 1 });
  await attacked.showGoesOn();
});

test('so do pairs in messages of their own', async () => {
  const said = await pushed(1, Array.from({ length: 200 }, (_, n) => pair(n)).flat());
  expect(said).toContain(pushRefusals.changes);
  expect(await attacked.refused('push')).toEqual({ changes: 2 });
  await attacked.showGoesOn();
});

test('what they leave is a video of few segments', async () => {
  const { service, target } = attacked;
  for (const { id } of target.channels) {
    const caller = { ...service, call: asAttacker(attacked) };
    await until(async () => (await videosOf(caller, id)).length > 0, {
      withinMs: 30_000,
      otherwise: 'there is no video',
    });
    const [video] = await videosOf(caller, id);
    const list = await (await fetch(video?.m3u8 ?? '')).text();
    expect(list.match(/#EXTINF/g)?.length).toBeLessThanOrEqual(segmentsMax);
  }
});

/** What the server said to a push that it closed. */
async function pushed(channel: number, messages: readonly RudeMessage[]): Promise<string> {
  const { rtmpPort: port, channels } = attacked.target;
  const key = channels[channel]?.stream_key ?? '';
  const { signal } = new AbortController();
  const push = await startRudePush({ port, key, from: '127.0.0.2', signal });
  for (const message of messages) await push.send(message);
  return await push.closed;
}

function asAttacker({ service, target }: Attacked): typeof service.call {
  return (method, path, options) => service.call(method, path, { ...options, token: target.token });
}
