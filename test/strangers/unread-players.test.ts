// RTMP players that read nothing: what their network leaves with us is bounded, they are cut, and others are served.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Attack, heavyChannel } from '../support/attacks/attack.ts';
import { playUnread } from '../support/attacks/unread-players.ts';
import { startHeavyPush } from '../support/heavy-clip.ts';
import { type RtmpStage, startRtmpStage } from '../support/rtmp-stage.ts';

const megabyte = 1_048_576;
const players = 20;
let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage({ ALL_RTMP_UNREAD_MEMORY: '16M', RTMP_UNREAD_MS: '3000' });
});
afterAll(() => stage.end());

test('players that read nothing hold their network’s share, and are cut', async () => {
  const { target } = stage;
  const channel = heavyChannel(target, 0);
  const push = await startHeavyPush(target, channel, new AbortController().signal);
  const crowd = { addresses: 1, perAddress: players, heldMs: 180_000 };
  const run: Attack['run'] = (target, given) => playUnread(target, { ...given, ...crowd });
  let mostBytes = 0;
  await stage.under({ run }, async () => {
    while ((await stage.refusals('unread')) < players)
      mostBytes = Math.max(mostBytes, await unreadBytes());
    await stage.anotherShow();
  });
  expect(mostBytes).toBeGreaterThan(4 * megabyte);
  // Half of the bound, a beginning more, and a batch for each. Without a bound it would be five times as much.
  expect(mostBytes).toBeLessThan((8 + 4 + players / 2) * megabyte);
  expect(await unreadBytes()).toBe(0);
  await push.end();
});

async function unreadBytes(): Promise<number> {
  const { text } = await stage.service.call('GET', '/metrics', { token: null });
  return Number(/^footlight_rtmp_unread_bytes (\d+)$/m.exec(text)?.[1]);
}
