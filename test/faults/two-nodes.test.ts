// Fault 14 on two nodes in its short form; `npm run trial two-nodes` is the long one.
import { expect, test } from 'bun:test';
import { twoNodesRounds } from '../../trial/two-nodes.ts';
import { shortly } from '../support/trial.ts';

test('of 100 parallel userRecords calls on two nodes exactly 10 succeed', async () => {
  const figures = await twoNodesRounds(shortly(2));
  expect(figures).toMatchObject({ calls: 200, answered_200: 20, answered_429: 180 });
});
