// Parameter sets without end: whoever sends them is cut, and the show beside goes on.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Attacked, startAttacked } from '../support/attacked.ts';
import { attack, forms } from '../support/attacks/repeated-parameters.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

test('each of them is refused as media that cannot be taken', async () => {
  const { signal } = new AbortController();
  await attack.run(attacked.target, { from: '127.0.0.2', signal });
  expect(await attacked.refused('push')).toEqual({ media: forms().length });
  await attacked.showGoesOn();
});
