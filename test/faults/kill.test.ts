// Fault 1 in its short form; `npm run trial kill` is the long one.
import { expect, test } from 'bun:test';
import { killRounds } from '../../trial/kill.ts';
import { shortly } from '../support/trial.ts';

test('after kill -9 at a random moment every acknowledged write is there', async () => {
  const figures = await killRounds(shortly(3));
  expect(figures).toMatchObject({ rounds: 3, lost: 0 });
  expect(figures['acknowledged']).toBeGreaterThan(3);
});
