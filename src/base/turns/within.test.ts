import { expect, test } from 'bun:test';
import { isDoneWithin } from './within.ts';

test('work that is done, that fails and that there is none of is waited for', async () => {
  expect(await isDoneWithin(Promise.resolve(), 60_000)).toBe(true);
  expect(await isDoneWithin(Promise.reject(new Error('ours')), 60_000)).toBe(true);
  expect(await isDoneWithin(undefined, 60_000)).toBe(true);
});

test('work that takes longer is not, and goes on', async () => {
  const work = Promise.withResolvers<string>();
  expect(await isDoneWithin(work.promise, 1)).toBe(false);
  work.resolve('done');
  expect(await work.promise).toBe('done');
});

test('nothing is left of it that would keep the process', async () => {
  const file = new URL('./within.ts', import.meta.url).pathname;
  const program = `import { isDoneWithin } from '${file}'; await isDoneWithin(Promise.resolve(), 3_600_000);`;
  const child = Bun.spawn([process.execPath, '-e', program], {
    stdout: 'ignore',
    stderr: 'inherit',
  });
  expect(await child.exited).toBe(0);
});
