// That a password is right, told to the other nodes, also to one that comes later.
import { afterAll, expect, test } from 'bun:test';
import { type LinkNode, startLinkNode } from '../../../test/support/link-node.ts';
import type { RightPassword } from './doorkeeper.ts';
import { joinPasswordNews } from './password-news.ts';

const nodes: LinkNode[] = [];
afterAll(() => {
  for (const node of nodes) node.stop();
});

/** A node, what it knew when it started, and what it learns first. */
function start(name: string, ...known: RightPassword[]) {
  const node = startLinkNode(name);
  nodes.push(node);
  const { promise: learnt, resolve: learn } = Promise.withResolvers<RightPassword>();
  const tell = joinPasswordNews({ links: node.links, doorkeeper: { known, learn } });
  return { node, learnt, tell };
}

test('each node learns what was right at another, and what another knew before it came', async () => {
  const [old, next] = ['old', 'next'].map((hash) => ({ hash, digest: `of ${hash}` }));
  if (!old || !next) throw new Error('no passwords');
  const [a, b] = [start('a', old), start('b')];
  for (const { node } of [a, b]) node.directory.set([a.node.known, b.node.known]);
  expect(await b.learnt).toEqual(old);
  b.tell(next);
  expect(await a.learnt).toEqual(next);
});
