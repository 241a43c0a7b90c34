// When connections are looked at again.
import { expect, test } from 'bun:test';
import { pauseMs } from './connection-watch.ts';
import { httpLimits } from './limits.ts';

const { everyMs, alertEveryMs, share, everyMsMax } = httpLimits.looks;

test('looks come as often as they may, and more often while somebody sends what is no request', () => {
  expect(pauseMs(0, { isAlert: false })).toBe(everyMs);
  expect(pauseMs(0, { isAlert: true })).toBe(alertEveryMs);
});

test.each([false, true])('looks never take more than their share of the time (%p)', (isAlert) => {
  for (const workedMs of [1, 5, 10, 50]) {
    const roundMs = workedMs + pauseMs(workedMs, { isAlert });
    expect(workedMs / roundMs).toBeLessThanOrEqual(share + 1e-9);
  }
});

test('whatever held a look up, the next one comes soon', () => {
  for (const isAlert of [false, true]) expect(pauseMs(5_000, { isAlert })).toBe(everyMsMax);
});
