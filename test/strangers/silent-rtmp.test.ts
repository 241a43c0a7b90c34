// Silent connections take the places of strangers and no others, and the newest stranger finds one.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { waitSilently } from '../support/attacks/silent-rtmp.ts';
import { type RtmpStage, rudeAddress, startRtmpStage } from '../support/rtmp-stage.ts';
import { connectRudely, rudeSession } from '../support/rude/rude-rtmp.ts';

const strangers = 20;
let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage({ RTMP_STRANGERS: String(strangers) });
});
afterAll(() => stage.end());

test('a network has half of the places that the others leave, and its own make room', async () => {
  const port = stage.service.rtmpPort;
  const before = await stage.refusals('crowded');
  const clients = [];
  for (let count = 0; count <= strangers / 2; count += 1) {
    const client = await connectRudely({ port, from: rudeAddress });
    await client.send(rudeSession());
    clients.push(client);
  }
  await clients[0]?.closed;
  expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(1);
  expect(await stage.refusals('crowded')).toBe(before + 1);
  for (const client of clients) client.cut();
});

test('an encoder with a key gets in while more are silent than there are places', async () => {
  const port = stage.service.rtmpPort;
  const crowd = { port, addresses: 10, perAddress: 8, forMs: 30_000 };
  const run = (_: unknown, given: { from: string; signal: AbortSignal }) =>
    waitSilently({ ...crowd, ...given });
  await stage.under({ run }, async () => {
    while ((await stage.refusals('crowded')) < 3 * strangers) await Bun.sleep(10);
    await stage.anotherShow();
  });
});
