// Censuses on nodes with real links, held against a naive union.
import { afterEach, expect, test } from 'bun:test';
import { introduce, type LinkNode, startLinkNode } from '../../../test/support/link-node.ts';
import { seeded } from '../../../test/support/random.ts';
import { ViewerCensus } from './viewer-census.ts';

const started: { stop(): void }[] = [];
afterEach(() => {
  for (const one of started.splice(0)) one.stop();
});

interface CountingNode {
  link: LinkNode;
  census: ViewerCensus;
  rooms: Map<number, Set<string>>;
  /** As its rooms would show it. */
  shown: Map<number, number | undefined>;
  come(channel_id: number, viewer_id: string): void;
  go(channel_id: number, viewer_id: string): void;
}

function startCounting(name: string): CountingNode {
  const link = startLinkNode(name);
  const rooms = new Map<number, Set<string>>();
  const shown = new Map<number, number | undefined>();
  const census = new ViewerCensus({
    links: link.links,
    channels: () => rooms.keys(),
    viewersIn: (channel_id) => rooms.get(channel_id) ?? [],
    onCount: (channel_id, count) => shown.set(channel_id, count),
  });
  const timer = setInterval(() => census.round(), 5);
  started.push({
    stop: () => {
      clearInterval(timer);
      link.stop();
    },
  });
  return {
    link,
    census,
    rooms,
    shown,
    come: (channel_id, viewer_id) => {
      const here = rooms.get(channel_id) ?? new Set();
      rooms.set(channel_id, here);
      if (here.has(viewer_id)) return;
      here.add(viewer_id);
      census.note(channel_id, viewer_id, true);
    },
    go: (channel_id, viewer_id) => {
      if (rooms.get(channel_id)?.delete(viewer_id)) census.note(channel_id, viewer_id, false);
    },
  };
}

function union(nodes: readonly CountingNode[], channel_id: number): number {
  return new Set(nodes.flatMap(({ rooms }) => [...(rooms.get(channel_id) ?? [])])).size;
}

/** What each node that has somebody in a channel's room would show there. */
async function agreed(nodes: readonly CountingNode[], channels: readonly number[]): Promise<void> {
  const wrong = () =>
    nodes.flatMap((node) =>
      channels
        .filter((channel_id) => (node.rooms.get(channel_id)?.size ?? 0) > 0)
        .filter((channel_id) => node.shown.get(channel_id) !== union(nodes, channel_id))
        .map((channel_id) => `${node.link.node} ${channel_id}`),
    );
  const until = performance.now() + 10_000;
  while (wrong().length > 0 && performance.now() < until) await Bun.sleep(5);
  expect(wrong()).toEqual([]);
}

test('whoever comes and goes on whichever node, all show the union, also after cuts and restarts', async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const random = seeded(seed);
  const pick = (count: number) => random.whole(0, count - 1);
  let nodes = ['a', 'b', 'c'].map(startCounting);
  introduce(...nodes.map(({ link }) => link));
  const channels = [1, 2, 3, 4, 5, 6];
  for (let step = 0; step < 12; step += 1) {
    for (let move = 0; move < 200; move += 1) {
      const node = nodes[pick(nodes.length)];
      const [channel_id, viewer_id] = [channels[pick(6)] ?? 1, `v${pick(40)}`];
      if (random.next() < 0.6) node?.come(channel_id, viewer_id);
      else node?.go(channel_id, viewer_id);
    }
    if (step % 4 === 3) {
      // One is killed; its pages come back elsewhere, and it comes back empty.
      const [dead] = nodes.splice(pick(nodes.length), 1);
      if (!dead) throw new Error('nobody is left');
      for (const [channel_id, here] of dead.rooms)
        for (const viewer_id of here) nodes[pick(nodes.length)]?.come(channel_id, viewer_id);
      dead.link.stop();
      nodes = [...nodes, startCounting(dead.link.node)];
      introduce(...nodes.map(({ link }) => link));
    }
    await agreed(nodes, channels).catch((error) => {
      throw new Error(`the seed was ${seed}`, { cause: error });
    });
  }
}, 60_000);

test('a node that is alone counts nothing: its own rooms know', () => {
  const alone = startCounting('a');
  alone.come(1, 'ada');
  alone.census.round();
  expect(alone.shown.size).toBe(0);
});
