import { expect, test } from 'bun:test';
import { introduce, startLinkNode } from '../../../test/support/link-node.ts';
import { joinKeyNews } from './key-news.ts';

test('a changed key has every node look, here and elsewhere, and a new link does', async () => {
  const nodes = [startLinkNode('a'), startLinkNode('b'), startLinkNode('c')];
  const looks = new Map(nodes.map(({ node }) => [node, 0]));
  let onLook = () => {};
  const changed = nodes.map(({ node, links }) =>
    joinKeyNews({
      links,
      look: () => {
        looks.set(node, (looks.get(node) ?? 0) + 1);
        onLook();
      },
    }),
  );
  const each = (count: number) =>
    new Promise<void>((resolve) => {
      onLook = () => {
        if ([...looks.values()].every((looked) => looked >= count)) resolve();
      };
      onLook();
    });
  introduce(...nodes);
  // One for each of the two links of a node.
  await each(2);
  changed[0]?.();
  await each(3);
  expect([...looks.values()]).toEqual([3, 3, 3]);
  for (const node of nodes) node.stop();
});
