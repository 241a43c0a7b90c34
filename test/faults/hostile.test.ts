// Fault 9 in its short form; `npm run trial hostile` is the long one.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { hostileRounds } from '../../trial/hostile.ts';
import { shortly } from '../../trial/support/trial.ts';

// A crowd waits for as long as a playlist may make it.
setDefaultTimeout(180_000);

test('beside hostile connections a steady viewer sees no gap', async () => {
  const figures = await hostileRounds(shortly(1));
  expect(figures['waited in a crowd']).toBe(3_000);
  expect(figures['parts_seen']).toBeGreaterThan(0);
  expect(figures['rtmp_messages_seen']).toBeGreaterThan(0);
});
