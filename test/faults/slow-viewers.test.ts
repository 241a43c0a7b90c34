// Fault 11 in its short form; `npm run trial slow-viewers` is the long one.
import { expect, test } from 'bun:test';
import { slowViewerRounds } from '../../trial/slow-viewers.ts';
import { shortly } from '../support/trial.ts';

test('viewers who do not read cost little and disturb no one', async () => {
  const crowds = { light: 300, heavy: 20, rtmp: 40, holdMs: 3_000 };
  const figures = await slowViewerRounds(shortly(1), crowds);
  expect(figures).toMatchObject({ rounds: 1, light_viewers: 300, rtmp_viewers: 40 });
});
