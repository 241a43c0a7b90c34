// A publisher that floods is cut with a sentence, and a show begins beside it.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { publishTo } from '../../src/stream/rtmp/rtmp-client.ts';
import { attack } from '../support/attacks/message-flood.ts';
import { type RtmpStage, startRtmpStage } from '../support/rtmp-stage.ts';

let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage();
});
afterAll(() => stage.end());

test('the encoder is told why', async () => {
  const [channel] = stage.target.channels;
  const address = `rtmp://127.0.0.1:${stage.service.rtmpPort}/live/${channel?.stream_key}`;
  const publisher = await publishTo(address);
  const body = Uint8Array.of(0xaf, 1);
  for (let timestampMs = 0; timestampMs < 20_000; timestampMs += 1)
    publisher.send({ type: 'audio', timestampMs, body });
  expect(await publisher.closed).toBe('The encoder sends more than 1000 messages a second');
  expect(await stage.refusals('messages')).toBe(1);
});

test('a show begins beside two of them', async () => {
  await stage.under(attack, () => stage.anotherShow());
  expect(await stage.refusals('messages')).toBeGreaterThanOrEqual(2);
});
