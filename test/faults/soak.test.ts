// The soak in its short form; `npm run trial soak` is the long one.
import { expect, test } from 'bun:test';
import { soakRounds } from '../../trial/soak.ts';
import { shortly } from '../support/trial.ts';

test('two minutes of pushing in 20 s leave no descriptor open and nothing beside the videos', async () => {
  const figures = await soakRounds({ ...shortly(1), channels: 2, isLong: false });
  expect(figures['media_minutes']).toBeGreaterThanOrEqual(2);
  expect(figures['pushes']).toBeGreaterThanOrEqual(2);
});
