// Whether descriptors are left is seen before they are needed.
import { expect, test } from 'bun:test';

test('more than there are is too many, and what was tried is closed again', async () => {
  const module = new URL('./spare-descriptors.ts', import.meta.url).pathname;
  const program = `import { hasSpareDescriptors as has } from ${JSON.stringify(module)};
    console.log([has(20), has(200), has(20)].join());`;
  const limited = ['sh', '-c', 'ulimit -n 128 && exec "$@"', 'sh', process.execPath, '-e', program];
  const child = Bun.spawn(limited, { stdout: 'pipe' });
  expect((await child.stdout.text()).trim()).toBe('true,false,true');
});
