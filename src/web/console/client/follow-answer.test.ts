// Asking again and again, until whoever asked has gone.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { followAnswer } from './follow-answer.ts';

/** As much of a page as it looks at. */
const page = Object.assign(new EventTarget(), { hidden: false });
beforeAll(() => Object.assign(globalThis, { document: page }));
afterAll(() => Reflect.deleteProperty(globalThis, 'document'));

/** Follows until so many were asked for. */
async function asked(count: number, everyMs: number | undefined) {
  const enough = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const end = followAnswer({
    ask: async (signal) => {
      signals.push(signal);
      if (signals.length === count) enough.resolve();
      return undefined;
    },
    everyMs,
  });
  await enough.promise;
  return { end, signals };
}

test('it is asked for at once, and again after each pause', async () => {
  const { end, signals } = await asked(3, 1);
  end();
  expect(signals.every(({ aborted }) => aborted)).toBeTrue();
});

test('nobody looks: it waits until somebody does', async () => {
  const { end, signals } = await asked(1, 0);
  page.hidden = true;
  const listens = Promise.withResolvers<void>();
  const listen = page.addEventListener.bind(page);
  page.addEventListener = (...given: Parameters<typeof listen>) => {
    listen(...given);
    listens.resolve();
  };
  await listens.promise;
  expect(signals).toHaveLength(1);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  expect(signals).toHaveLength(2);
  end();
});
