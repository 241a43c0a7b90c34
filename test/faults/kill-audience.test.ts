// Fault 1 for the audience in its short form; `npm run trial kill-audience` is the long one.
import { expect, test } from 'bun:test';
import { killAudienceRounds } from '../../trial/kill-audience.ts';
import { shortly } from '../support/trial.ts';

test('after kill -9 every page goes on with its session; a flush interval is lost at most', async () => {
  const figures = await killAudienceRounds(shortly(1), { viewers: 200, beatMs: 2_000 });
  expect(figures).toMatchObject({ rounds: 1, viewers: 200 });
  expect(Number(figures['resumed']) + Number(figures['late'])).toBe(200);
});
