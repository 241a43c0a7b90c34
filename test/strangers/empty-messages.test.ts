// Strangers who send empty messages are cut, and a show begins beside them.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { messageType } from '../../src/stream/rtmp/message.ts';
import { attack } from '../support/attacks/empty-messages.ts';
import { type RtmpStage, rudeAddress, startRtmpStage } from '../support/rtmp-stage.ts';
import { connectRudely, emptyMessages, rudeSession } from '../support/rude/rude-rtmp.ts';

let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage();
});
afterAll(() => stage.end());

test.each([messageType.setChunkSize, messageType.acknowledgement, messageType.audio, 99])(
  'a stranger with empty messages of type %d is cut',
  async (type) => {
    const before = await refused();
    const client = await connectRudely({ port: stage.service.rtmpPort, from: rudeAddress });
    await client.send(rudeSession());
    await client.send(emptyMessages(type, 100_000));
    await client.closed;
    expect(await refused()).toBe(before + 1);
  },
);

test('a show begins beside eight of them', async () => {
  const before = await refused();
  await stage.under(attack, () => stage.anotherShow());
  expect(await refused()).toBeGreaterThan(before + 8);
});

/** An empty chunk size breaks the protocol; the others are too many. */
async function refused(): Promise<number> {
  return (await stage.refusals('stranger')) + (await stage.refusals('protocol'));
}
