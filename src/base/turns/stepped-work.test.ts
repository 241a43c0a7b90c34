// Work in steps: others have their turn between, several go on side by side, and what one throws reaches who asked.
import { expect, test } from 'bun:test';
import { SteppedWork, type Steps } from './stepped-work.ts';
import { nextTurn } from './turn-slice.ts';

/** So short that a turn is over with the first look at the clock. */
const turnMs = 0.000_001;

function* counted(steps: number, onStep: (step: number) => void): Steps<string> {
  for (let step = 1; step <= steps; step += 1) {
    onStep(step);
    yield;
  }
  return `${steps} steps`;
}

test('work that is short is done at once, and its result is answered', async () => {
  const seen: number[] = [];
  const answer = new SteppedWork({ turnMs: 600_000 }).run(counted(5, (step) => seen.push(step)));
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(await answer).toBe('5 steps');
});

test('however long it is, and however many there are, a turn has few steps of it', async () => {
  const work = new SteppedWork({ turnMs });
  let inTurn = 0;
  let most = 0;
  const note = () => {
    inTurn += 1;
    most = Math.max(most, inTurn);
  };
  const all = Promise.all([1, 2, 3, 4].map(() => work.run(counted(1_000, note))));
  let isDone = false;
  all.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    inTurn = 0;
  }
  expect(await all).toEqual(Array(4).fill('1000 steps'));
  // After each it looks at the clock: strangers may make a step as long as a turn.
  expect(most).toBeLessThanOrEqual(2);
});

test('a short one does not wait for the end of a long one', async () => {
  const work = new SteppedWork({ turnMs });
  let steps = 0;
  const long = work.run(counted(10_000, () => (steps += 1)));
  await work.run(counted(20, () => {}));
  expect(steps).toBeLessThan(1_000);
  await long;
});

test('what a step throws is told to who asked, and the next one works', async () => {
  const work = new SteppedWork({ turnMs });
  const failing = work.run(
    counted(100, (step) => {
      if (step === 50) throw new Error('the fiftieth');
    }),
  );
  expect(failing).rejects.toThrow('the fiftieth');
  expect(await work.run(counted(1, () => {}))).toBe('1 steps');
});
