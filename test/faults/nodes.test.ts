// Fault 26 in its short form; `npm run trial nodes` is the long one.
import { expect, test } from 'bun:test';
import { nodesRounds } from '../../trial/nodes.ts';
import { shortly } from '../support/trial.ts';

test('three nodes that are killed, frozen and cut off keep one writer, one recording and every viewer exact', async () => {
  // Two encoders at once are in `shared-pushes.test.ts`: here a starved one would be silent, and give way.
  const faults = ['owner killed', 'owner frozen', 'store away', 'encoder cut'] as const;
  const figures = await nodesRounds(shortly(1), { faults });
  expect(figures).toMatchObject({
    rounds: 1,
    ...Object.fromEntries(faults.map((one) => [one, 1])),
  });
  expect(figures['takeovers']).toBeGreaterThan(0);
  // Of four viewers, each with a tab on each node.
  expect(figures['sessions']).toBe(12);
});
