// Fault 15 for the media river in its short form; `npm run trial stop-live` is the long one.
import { expect, test } from 'bun:test';
import { stopLiveRounds } from '../../trial/stop-live.ts';
import { shortly } from '../support/trial.ts';

test('SIGTERM during a push answers every request and leaves a whole recording', async () => {
  const figures = await stopLiveRounds(shortly(1));
  expect(figures['rounds']).toBe(1);
  expect(figures['answered']).toBeGreaterThan(5);
});
