// What else strangers try over RTMP ends their own connection, counted, and nothing beside it.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { attack, strangerAbuses } from '../support/attacks/rtmp-abuses.ts';
import { type RtmpStage, rudeAddress, startRtmpStage } from '../support/rtmp-stage.ts';
import { connectRudely } from '../support/rude/rude-rtmp.ts';

let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage({ RTMP_START_MS: '12000' });
});
afterAll(() => stage.end());

test.each(Object.entries(strangerAbuses))('%s are cut and counted', async (_what, bytes) => {
  const before = await cuts();
  const client = await connectRudely({ port: stage.service.rtmpPort, from: rudeAddress });
  await client.send(bytes);
  await client.closed;
  expect(await cuts()).toBe(before + 1);
});

test('a show begins beside them all', async () => {
  await stage.under(attack, async () => {
    await stage.anotherShow();
    // The slow handshake is the last to be cut.
    while ((await stage.refusals('handshake')) === 0) await Bun.sleep(50);
  });
});

async function cuts(): Promise<number> {
  return (await stage.refusals('stranger')) + (await stage.refusals('protocol'));
}
