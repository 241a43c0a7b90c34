// Who gives way: the caller alone, and never less than before.
import { expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { join } from 'node:path';

const linuxTest = test.if(process.platform === 'linux');
const module = join(import.meta.dir, 'priority.ts');

linuxTest.each([
  [0, 10],
  [5, 10],
  [15, 15],
])('of %i more than ours it is %i', async (more, wanted) => {
  const own = getPriority();
  const program = `
    const { getPriority } = require('node:os');
    require(${JSON.stringify(module)}).giveWay();
    console.log(getPriority());`;
  const child = Bun.spawn(['nice', '-n', String(more), process.execPath, '-e', program]);
  const told = Number(await new Response(child.stdout).text());
  expect(told).toBe(Math.min(19, Math.max(wanted, own + more)));
});

linuxTest('a thread gives way alone', async () => {
  const own = getPriority();
  const program = `
    const { getPriority } = require('node:os');
    require(${JSON.stringify(module)}).giveWay();
    postMessage(getPriority());`;
  const worker = new Worker(URL.createObjectURL(new Blob([program])));
  const { promise: told, resolve } = Promise.withResolvers<number>();
  worker.onmessage = ({ data }) => resolve(data);
  expect(await told).toBe(Math.max(10, own));
  expect(getPriority()).toBe(own);
  worker.terminate();
});
