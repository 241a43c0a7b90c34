// Fault 19 in its short form; `npm run trial damage` is the long one.
import { expect, test } from 'bun:test';
import { damageRounds } from '../../trial/damage.ts';
import { shortly } from '../support/trial.ts';

test('a damaged file of a recording is gone alone, also at the next start', async () => {
  const figures = await damageRounds(shortly(1));
  expect(figures['damages']).toBeGreaterThan(10);
  expect(figures['gone']).toBeGreaterThan(10);
});
