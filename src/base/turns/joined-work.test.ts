import { expect, test } from 'bun:test';
import { JoinedWork } from './joined-work.ts';

test('who asks while it is under way gets the same, who asks later another', async () => {
  let begun = 0;
  const work = new JoinedWork(async () => ++begun);
  expect(await Promise.all([work.run(), work.run()])).toEqual([1, 1]);
  expect(await work.run()).toBe(2);
});

test('a failure is told to all who wait for it, and the next try is another', async () => {
  let begun = 0;
  const work = new JoinedWork(async () => {
    begun += 1;
    if (begun === 1) throw new Error('it is broken');
    return begun;
  });
  const both = await Promise.allSettled([work.run(), work.run()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await work.run()).toBe(2);
});

test('to wait for its end begins nothing', async () => {
  let begun = 0;
  const work = new JoinedWork(async () => ++begun);
  await work.settled();
  expect(begun).toBe(0);
  void work.run();
  await work.settled();
  expect(begun).toBe(1);
});
