import { afterEach, expect, test } from 'bun:test';
import { introduce, type LinkNode, startLinkNode } from '../../test/support/link-node.ts';
import { until } from '../../test/support/live-channel.ts';
import { FiguresOfNodes } from './node-figures.ts';

const started: LinkNode[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
});

test('however many ask at once, each node is asked once, and all of them are told', async () => {
  const nodes = ['a', 'b'].map((name) => startLinkNode(name));
  started.push(...nodes);
  const asked = new Map<string, number>();
  const [a] = nodes.map(
    ({ node, links }) =>
      new FiguresOfNodes({
        links,
        own: () => {
          asked.set(node, (asked.get(node) ?? 0) + 1);
          return { viewers: node === 'a' ? 1 : 2, spool: null };
        },
      }),
  ) as [FiguresOfNodes];
  introduce(...nodes);
  await until(async () => (await a.read()).size === 2, {
    withinMs: 10_000,
    otherwise: 'the other node does not answer',
  });
  const before = asked.get('b') ?? 0;
  const known = await Promise.all(Array.from({ length: 20 }, () => a.read()));
  expect(asked.get('b')).toBe(before + 1);
  for (const one of known)
    expect([...one].map(([node, { viewers }]) => [node, viewers])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
});
