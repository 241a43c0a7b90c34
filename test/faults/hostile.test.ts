// Fault 9 in its short form; `npm run trial hostile` is the long one.
import { expect, test } from 'bun:test';
import { hostileRounds } from '../../trial/hostile.ts';
import { shortly } from '../support/trial.ts';

test('beside hostile connections a steady viewer sees no gap', async () => {
  const figures = await hostileRounds(shortly(1));
  expect(figures['waited in a crowd']).toBe(3_000);
  expect(figures['parts_seen']).toBeGreaterThan(0);
  expect(figures['rtmp_messages_seen']).toBeGreaterThan(0);
});
