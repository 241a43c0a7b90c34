// Several services on one PostgreSQL: that they are linked, whatever is cut, and what reaches all of them.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rotateLinkSecret } from '../src/base/links/link-secret-store.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { until } from './support/live-channel.ts';

let nodes: LinkedServices;
beforeAll(async () => {
  nodes = await startLinkedServices(3);
  await nodes.linked();
});
afterAll(() => nodes.stop());

test('three services are linked, and again when all lines were cut', async () => {
  const opened = async () => {
    const texts = await Promise.all(
      nodes.all.map(({ service }) => service.call('GET', '/metrics', { token: null })),
    );
    return texts.map(({ text }) => Number(/^footlight_links_opened_total (\d+)$/m.exec(text)?.[1]));
  };
  expect(await opened()).toEqual([2, 2, 2]);
  for (const { line } of nodes.all) line.cut();
  await until(async () => (await opened()).every((count) => count >= 4), {
    withinMs: 20_000,
    otherwise: 'the links were not made anew',
  });
  await nodes.linked();
});

test('the secret is changed while all run, and no link is lost', async () => {
  const [first] = nodes.all;
  const before = first?.service.logLines.filter((line) => line.includes('a link has ended')).length;
  await first?.service.store.perform(rotateLinkSecret, {});
  const rows = await first?.service.store.all("SELECT name FROM secrets WHERE name LIKE 'links%'");
  expect(rows).toHaveLength(2);
  await nodes.linked();
  const after = first?.service.logLines.filter((line) => line.includes('a link has ended')).length;
  expect(after).toBe(before as number);
});
