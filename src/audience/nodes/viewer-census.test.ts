// Censuses on nodes with real links, held against a naive union.
import { afterEach, expect, test } from 'bun:test';
import { introduce, type LinkNode, startLinkNode } from '../../../test/support/link-node.ts';
import { until } from '../../../test/support/live-channel.ts';
import { seeded } from '../../../test/support/random.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import { ViewerCensus, viewersToldMax } from './viewer-census.ts';

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

test('a node that tells of viewers without end has so many counted, and again when they have gone', async () => {
  const words = linkTopic('viewers', {
    message: jsonCodec<unknown>(String),
    question: jsonCodec((value) => value as number[]),
    answer: jsonCodec((value) => value as [number, number][]),
  });
  const liar = startLinkNode('a');
  started.push(liar);
  liar.links.join(words, {});
  const b = startCounting('b');
  introduce(liar, b.link);
  await liar.hears('opened b');
  const numbers = Array.from({ length: (viewersToldMax * 2) / 5 }, (_, n) => n);
  const tell = (channel_id: number, came: number[]) =>
    liar.links.send(words, 'b', { type: 'here', channel_id, isAll: true, came, went: [] });
  const countOf = async (channel_id: number) => {
    const [[, count] = []] = await liar.links.ask(words, 'b', [channel_id], 5_000);
    return count ?? 0;
  };
  const heard = async (channel_id: number, isAny: boolean) => {
    const isSo = async () => (await countOf(channel_id)) > 0 === isAny;
    await until(isSo, { withinMs: 10_000, otherwise: 'it is not heard' });
    return await countOf(channel_id);
  };
  for (const [at, wanted] of [numbers.length, numbers.length, numbers.length / 2].entries()) {
    tell(at + 1, numbers);
    expect(await heard(at + 1, true)).toBe(wanted);
  }
  tell(1, []);
  await heard(1, false);
  tell(4, numbers);
  expect(await heard(4, true)).toBe(numbers.length);
});
