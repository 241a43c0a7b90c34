// Whatever one connection sends, everybody else waits for it 20 ms at most: each loop over such input is given the
// most that its bounds let in.
import { describe, expect, test } from 'bun:test';
import {
  type Largest,
  longestTurn,
  shortestStretch,
  stretchMsMax,
  threadMs,
} from '../support/stretch.ts';
import { answers } from './largest/answers.ts';
import { audience } from './largest/audience.ts';
import { http } from './largest/http.ts';
import { media } from './largest/media.ts';
import { playback } from './largest/playback.ts';
import { wire } from './largest/wire.ts';

/** Of which a minute is for tries: one that has begun may take long. */
const timeoutMs = 300_000;

describe.each([
  ['RTMP', wire],
  ['media', media],
  ['playback', playback],
  ['audience', audience],
  ['HTTP', http],
  ['answers', answers],
] as [string, readonly Largest[]][])('%s', (_, all) => {
  test.each(all.map((one) => [one.name, one] as const))(
    '%s',
    async (_, one) => {
      expect(await shortestStretch(one)).toBeLessThanOrEqual(stretchMsMax);
    },
    timeoutMs,
  );
});

describe('the judge', () => {
  test('sees work that does not turn', async () => {
    const stretchMs = await shortestStretch({ name: '', prepare: () => () => busy(50) }, 150);
    expect(stretchMs).toBeGreaterThan(stretchMsMax);
  });

  test('sees what follows a promise in the same turn', async () => {
    const work = () => Promise.all(Array.from({ length: 50 }, async () => busy(1)));
    expect(await longestTurn(work)).toBeGreaterThan(stretchMsMax);
  });

  test('does not add up turns', async () => {
    const work = async () => {
      for (let n = 0; n < 10; n += 1) {
        busy(5);
        await new Promise(setImmediate);
      }
    };
    expect(await shortestStretch({ name: '', prepare: () => work })).toBeLessThan(stretchMsMax);
  });
});

/** Works for so long by the thread's own clock. */
function busy(ms: number): void {
  for (const from = threadMs(); threadMs() - from < ms; );
}
