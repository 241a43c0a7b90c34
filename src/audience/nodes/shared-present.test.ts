// Who is here over three linked nodes: each page of the list is that of the naive union, whatever tabs there are where.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { introduce, type LinkNode, startLinkNode } from '../../../test/support/link-node.ts';
import { Asking } from '../../base/links/asking.ts';
import { latestFirst, type PresentViewer, SharedPresent } from './shared-present.ts';

const names = ['a', 'b', 'c'];
const channel_id = 7;

/** By node, who is there. */
const rooms = new Map<string, PresentViewer[]>();
/** Whether the census knows how many there are. */
const census = { isKnown: true };
let all: { node: LinkNode; present: SharedPresent }[] = [];

beforeAll(async () => {
  all = names.map((name) => {
    const node = startLinkNode(name);
    const here = () => rooms.get(name) ?? [];
    const present = new SharedPresent({
      asking: new Asking(node.links),
      here: {
        newest: (_, count) => {
          const viewers = here().map(({ viewer_id, since }): [string, number] => [
            viewer_id,
            since,
          ]);
          return { total: viewers.length, viewers: viewers.sort(latestFirst).slice(0, count) };
        },
        viewersOf: (_, ids) => here().filter(({ viewer_id }) => ids.includes(viewer_id)),
      },
      countOf: async () => (census.isKnown ? naive().length : undefined),
    });
    return { node, present };
  });
  introduce(...all.map(({ node }) => node));
  for (const { node } of all)
    for (const other of names) if (other !== node.node) await node.hears(`opened ${other}`);
});
afterAll(() => {
  for (const { node } of all) node.stop();
});

/** Each once: where they stand, and all that they have. */
function naive(): (PresentViewer & { last: number })[] {
  const byId = Map.groupBy([...rooms.values()].flat(), ({ viewer_id }) => viewer_id);
  return [...byId.values()]
    .map((own) => ({
      viewer_id: own[0]?.viewer_id ?? '',
      nick: own[0]?.viewer_id ?? '',
      since: Math.min(...own.map(({ since }) => since)),
      last: Math.max(...own.map(({ since }) => since)),
      pages: own.reduce((sum, { pages }) => sum + pages, 0),
      isPlaying: own.some(({ isPlaying }) => isPlaying),
    }))
    .sort((one, other) => latestFirst([one.viewer_id, one.last], [other.viewer_id, other.last]));
}

const someone = fc.record({
  viewer_id: fc.nat(20).map((n) => `v${n}`),
  since: fc.nat(12),
  pages: fc.integer({ min: 1, max: 3 }),
  isPlaying: fc.boolean(),
});
const room = fc
  .uniqueArray(someone, { selector: ({ viewer_id }) => viewer_id, maxLength: 15 })
  .map((list) => list.map((one) => ({ ...one, nick: one.viewer_id })));

test('its pages are those of all viewers, each once, at whichever node', async () => {
  const given = fc.tuple(room, room, room, fc.integer({ min: 1, max: 6 }), fc.nat(2));
  const judged = fc.asyncProperty(given, async ([a, b, c, limit, asked]) => {
    rooms.clear();
    for (const [at, list] of [a, b, c].entries()) rooms.set(names[at] ?? '', list);
    const wanted = naive();
    const { present } = all[asked] as (typeof all)[number];
    const listed: PresentViewer[] = [];
    for (let offset = 0; offset <= wanted.length; offset += limit) {
      const page = await present.page(channel_id, { limit, offset, whose: 'account 1' });
      expect(page.total).toBe(wanted.length);
      listed.push(...page.viewers);
    }
    expect(listed).toEqual(wanted.map(({ last: _, ...one }) => one));
  });
  await fc.assert(judged, { numRuns: 60 });
});

test('where nobody has counted them there are as many as at the fullest node, at least', async () => {
  const list = (count: number, from: number): PresentViewer[] =>
    Array.from({ length: count }, (_, at) => {
      const viewer_id = `v${from + at}`;
      return { viewer_id, nick: '', since: from + at, pages: 1, isPlaying: false };
    });
  rooms.set('a', list(5, 0)).set('b', list(5, 3)).set('c', []);
  census.isKnown = false;
  const { present } = all[0] as (typeof all)[number];
  const page = await present.page(channel_id, { limit: 2, offset: 0, whose: 'account 1' });
  expect(page.viewers.map(({ viewer_id }) => viewer_id)).toEqual(['v7', 'v6']);
  expect(page.total).toBe(5);
  census.isKnown = true;
});
