// What many ask for at once is read once, and what could not be read is read again.
import { expect, test } from 'bun:test';
import { RememberedReads } from './remembered-reads.ts';

function counted() {
  const reads = new RememberedReads<string>({ max: 10, weigh: ({ length }) => length });
  let count = 0;
  const find = (key: string, value?: string | Error) =>
    reads.find(key, async () => {
      count += 1;
      if (value instanceof Error) throw value;
      return value;
    });
  return { find, count: () => count };
}

test('those who ask at once, and those who ask later, are given what was read once', async () => {
  const { find, count } = counted();
  expect(await Promise.all([find('a', 'one'), find('a', 'two')])).toEqual(['one', 'one']);
  expect(await find('a', 'three')).toBe('one');
  expect(count()).toBe(1);
});

test('what is not there, or could not be read, is looked for again', async () => {
  const { find, count } = counted();
  expect(await find('a')).toBeUndefined();
  const lost = new Error('the database is away');
  expect(await find('a', lost).catch((error) => error)).toBe(lost);
  expect(await find('a', 'one')).toBe('one');
  expect(count()).toBe(3);
});

test('what was used longest ago makes room', async () => {
  const { find, count } = counted();
  for (const key of ['a', 'b', 'a', 'c']) await find(key, '12345');
  await find('a', 'other');
  expect(count()).toBe(3);
  expect(await find('b', 'anew')).toBe('anew');
});
