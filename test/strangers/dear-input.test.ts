// Input that is short and dear: what is over a bound is not read, and everybody else is served.
import { expect, test } from 'bun:test';
import { attack as dearLines } from '../support/attacks/dear-lines.ts';
import { attack as deepBodies } from '../support/attacks/deep-bodies.ts';
import { startAttackedService } from './attacked-service.ts';

const from = '127.0.41.1';

test('lines that are dear to clean are refused by their pace and their network', async () => {
  const { service, target, refused } = await startAttackedService({});
  await dearLines.run(target, { from, signal: new AbortController().signal });
  // Lines wait for their turn, also those of a page that has gone.
  for (const reason of ['pace', 'messages'])
    while ((await refused('page', reason)) === 0) await Bun.sleep(100);
  expect((await service.call('GET', '/v1/videos')).status).toBe(200);
  await service.stop();
});

test('bodies of arrays in arrays are refused with a short sentence', async () => {
  const { service, target } = await startAttackedService({});
  await deepBodies.run(target, { from, signal: new AbortController().signal });
  const body = `{"name":${'['.repeat(32_000)}${']'.repeat(32_000)}}`;
  const { status, text } = await service.call('POST', '/v1/activities', { body });
  expect([status, text.length < 1_000]).toEqual([400, true]);
  await service.stop();
});
