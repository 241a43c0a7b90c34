// A rolling restart in its short form; `npm run trial rolling-restart` is the long one.
import { expect, test } from 'bun:test';
import { rollingRestart } from '../../trial/rolling-restart.ts';
import { shortly } from '../support/trial.ts';

test('three nodes are restarted in turn, and nobody who watches loses or counts twice', async () => {
  const figures = await rollingRestart(shortly(1), {
    ...{ viewers: 20, players: 2, beatMs: 1_000 },
    ...{ checkEveryMs: 200, drainMs: 1_000, watchMs: 2_000 },
  });
  expect(figures['pages']).toBe(22);
  expect(figures['moves']).toBeGreaterThanOrEqual(22);
  expect(figures['encoder_moves']).toBeGreaterThanOrEqual(1);
});
