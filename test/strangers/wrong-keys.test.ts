// Who tries wrong keys waits; an encoder beside it, and behind the same address, does not.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/wrong-keys.ts';
import { type RtmpStage, startRtmpStage } from '../support/rtmp-stage.ts';

let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage();
});
afterAll(() => stage.end());

test('a show begins behind the same address', async () => {
  const { run } = attack;
  const beside = {
    run: (target: Parameters<typeof run>[0], given: Parameters<typeof run>[1]) =>
      run(target, { ...given, from: '127.0.0.1' }),
  };
  await stage.under(beside, async () => {
    while ((await stage.refusals('key')) < 100) await Bun.sleep(10);
    await stage.anotherShow();
  });
  expect(await stage.refusals('crowded')).toBe(0);
});
