// What is asked of other nodes for a caller: bounded and fair, and what becomes of it where there is no answer.
import { afterEach, expect, test } from 'bun:test';
import { introduce, type LinkNode, startLinkNode } from '../../../test/support/link-node.ts';
import type { ApiError } from '../api/errors.ts';
import { Asking } from './asking.ts';
import { jsonCodec, linkTopic } from './link-topic.ts';

const started: LinkNode[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
});

const any = jsonCodec((value) => value);
const topic = linkTopic('asked', { question: any, answer: any });
const order = { question: 'what', whose: 'account 1', withinMs: 10_000 };

async function nodes(...names: string[]): Promise<LinkNode[]> {
  const all = names.map((name) => startLinkNode(name));
  started.push(...all);
  introduce(...all);
  for (const one of all)
    for (const other of all) if (one !== other) await one.hears(`opened ${other.node}`);
  return all;
}

/** Resolves when those nodes know the topic, too. */
async function joinOnce({ links }: LinkNode, others: string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const missing = new Set(others);
  links.join(topic, {
    opened: (node) => {
      missing.delete(node);
      if (missing.size === 0) resolve();
    },
  });
  await promise;
}

test('of all nodes those that answer are heard', async () => {
  const [a, b, c, d] = (await nodes('a', 'b', 'c', 'd')) as [
    LinkNode,
    LinkNode,
    LinkNode,
    LinkNode,
  ];
  const known = joinOnce(a, ['b', 'c']);
  b.links.join(topic, { asked: (_, question) => `b heard ${question}` });
  c.links.join(topic, { asked: () => Promise.reject(new Error('c cannot say')) });
  const asking = new Asking(a.links);
  await known;
  const answers = await asking.all(topic, order);
  expect([...answers]).toEqual([['b', 'b heard what']]);
  // One that does not know the topic, and one that there is no link to.
  for (const node of [d.node, 'nobody'])
    expect(await asking.node(topic, node, order)).toBeUndefined();
  const failed = asking.node(topic, 'c', order);
  expect(await failed.catch(({ kind }) => kind)).toBe('unavailable');
});

test('an account has half of the places, and another finds one', async () => {
  const [a, b] = (await nodes('a', 'b')) as [LinkNode, LinkNode];
  const waits = Promise.withResolvers<string>();
  const known = joinOnce(a, ['b']);
  b.links.join(topic, { asked: (_, asked) => (asked === 'what' ? waits.promise : 'at once') });
  const asking = new Asking(a.links);
  await known;
  const asked = Array.from({ length: 40 }, () =>
    asking.node(topic, 'b', order).catch((error: ApiError) => error.kind),
  );
  const other = { ...order, question: 'other', whose: 'account 2' };
  expect(await asking.node(topic, 'b', other)).toBe('at once');
  waits.resolve('late');
  const heard = await Promise.all(asked);
  expect(heard.filter((one) => one === 'late')).toHaveLength(32);
  expect(heard.filter((one) => one === 'unavailable')).toHaveLength(8);
  expect(await asking.node(topic, 'b', order)).toBe('late');
});
