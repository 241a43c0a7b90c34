// Fault 13 in its short form; `npm run trial clock` is the long one.
import { expect, test } from 'bun:test';
import { clockRounds } from '../../trial/clock.ts';
import { shortly } from '../support/trial.ts';

test('the clock jumps by hours while midnight or DST passes, or in a restart: durations are right, calls are counted', async () => {
  expect(await clockRounds(shortly(1))).toMatchObject({ moments: 4, restarts: 1, viewers: 250 });
});
