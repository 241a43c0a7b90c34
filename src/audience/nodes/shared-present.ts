// Who is in a channel's room over all nodes: each lists its own, whoever asks puts them together, each viewer once.
import type { Asking } from '../../base/links/asking.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';

/** A part of those who are there. */
export interface PresentPage {
  total: number;
  viewers: PresentViewer[];
}

export interface PresentViewer {
  viewer_id: string;
  nick: string;
  /** Epoch milliseconds: when the oldest of their pages that is open came in. */
  since: number;
  /** Pages that are open. */
  pages: number;
  isPlaying: boolean;
}

/** A viewer, and when the oldest of the pages that they have at one node came in. */
export type CameIn = [viewer_id: string, since: number];

/** Of those who came in at once the order is the same on every page. */
export function latestFirst([id, since]: CameIn, [otherId, other]: CameIn): number {
  return other - since || (id < otherId ? -1 : 1);
}

/** Those of a node, who came last first; where there are more than were asked for, not all. */
export interface Newest {
  total: number;
  viewers: CameIn[];
}

/** What one node knows of a room. */
export interface PresentHere {
  newest(channel_id: number, count: number): Newest;
  /** Of these, those who are there. */
  viewersOf(channel_id: number, viewer_ids: readonly string[]): PresentViewer[];
}

interface AskedNewest {
  channel_id: number;
  count: number;
}

interface AskedViewers {
  channel_id: number;
  viewer_ids: string[];
}

const newest = linkTopic('present', {
  question: jsonCodec(readAskedNewest),
  answer: jsonCodec(readNewest),
});

const viewers = linkTopic('present-viewers', {
  question: jsonCodec(readAskedViewers),
  answer: jsonCodec(readViewers),
});

/** Whoever asks sees those of the nodes that answer by then. */
const askedWithinMs = 2_000;
/** Of a node: a page lies among the newest of each, so what is beyond cannot be turned to. Of the longest ids as many fill a message. */
const listedMax = 5_000;
/** A page of the list has no more. */
const shownMax = 100;

export interface SharedPresentOptions {
  asking: Asking;
  here: PresentHere;
  /** How many viewers there are over all nodes, as far as this one knows. */
  countOf(channel_id: number): Promise<number | undefined>;
}

export class SharedPresent {
  private readonly options: SharedPresentOptions;

  constructor(options: SharedPresentOptions) {
    this.options = options;
    const { asking, here } = options;
    asking.links.join(newest, {
      asked: (_, { channel_id, count }) => here.newest(channel_id, count),
    });
    asking.links.join(viewers, {
      asked: (_, { channel_id, viewer_ids }) => here.viewersOf(channel_id, viewer_ids),
    });
  }

  /** Who came last first; a viewer with pages at several nodes stands where they came in last. */
  async page(
    channel_id: number,
    { limit, offset, whose }: { limit: number; offset: number; whose: string },
  ): Promise<PresentPage> {
    const { asking, here } = this.options;
    const isOne = asking.links.linked.length === 0;
    const count = isOne ? offset + limit : Math.min(offset + limit, listedMax);
    const order = { whose, withinMs: askedWithinMs };
    const question = { channel_id, count };
    const others = await asking.all(newest, { question, ...order });
    const lists = [here.newest(channel_id, count), ...others.values()];
    const ids = inOrder(lists);
    const asked = ids.slice(0, count).slice(offset, offset + limit);
    const isElsewhere = others.values().some(({ total }) => total > 0);
    const told = isElsewhere && asked.length > 0;
    const elsewhere = told
      ? await asking.all(viewers, { question: { channel_id, viewer_ids: asked }, ...order })
      : new Map<string, PresentViewer[]>();
    const found = [here.viewersOf(channel_id, asked), ...elsewhere.values()].flat();
    return { total: await this.totalOf(channel_id, lists), viewers: joined(asked, found) };
  }

  /** Where a node has told of a part of its viewers, nobody knows who of the others is elsewhere, too; but that is counted. */
  private async totalOf(channel_id: number, lists: readonly Newest[]): Promise<number> {
    const distinct = new Set(lists.flatMap((list) => list.viewers.map(([id]) => id))).size;
    if (lists.every((list) => list.viewers.length >= list.total)) return distinct;
    const atLeast = Math.max(distinct, ...lists.map(({ total }) => total));
    if (lists.length === 1) return atLeast;
    return Math.max(atLeast, (await this.options.countOf(channel_id)) ?? 0);
  }
}

/** Each viewer once. Of so many of each node's newest the first so many are those of all nodes. */
function inOrder(lists: readonly Newest[]): string[] {
  if (lists.length === 1) return lists.flatMap((list) => list.viewers.map(([id]) => id));
  const latest = new Map<string, number>();
  for (const [id, since] of lists.flatMap((list) => list.viewers))
    latest.set(id, Math.max(latest.get(id) ?? since, since));
  return [...latest].toSorted(latestFirst).map(([id]) => id);
}

/** As asked for, each with all that they have at the nodes; none of who has left meanwhile. */
function joined(asked: readonly string[], found: readonly PresentViewer[]): PresentViewer[] {
  const byId = Map.groupBy(found, ({ viewer_id }) => viewer_id);
  return asked.flatMap((viewer_id) => {
    const [first, ...others] = byId.get(viewer_id) ?? [];
    return first ? [others.reduce(both, first)] : [];
  });
}

function both(one: PresentViewer, other: PresentViewer): PresentViewer {
  return {
    ...one,
    since: Math.min(one.since, other.since),
    pages: one.pages + other.pages,
    isPlaying: one.isPlaying || other.isPlaying,
  };
}

function readAskedNewest(value: unknown): AskedNewest {
  const { channel_id, count } = (value ?? {}) as Record<string, unknown>;
  const isCount = isNumber(count) && count >= 0 && count <= listedMax;
  if (!isNumber(channel_id) || !isCount) throw new Error('this asks for no viewers');
  return { channel_id, count };
}

function readNewest(value: unknown): Newest {
  const { total, viewers } = (value ?? {}) as Record<string, unknown>;
  const isOne = (one: unknown) =>
    Array.isArray(one) && typeof one[0] === 'string' && isNumber(one[1]);
  if (!isNumber(total) || !Array.isArray(viewers) || !viewers.every(isOne))
    throw new Error('this is no list of who is there');
  return value as Newest;
}

function readAskedViewers(value: unknown): AskedViewers {
  const { channel_id, viewer_ids } = (value ?? {}) as Record<string, unknown>;
  const areIds = Array.isArray(viewer_ids) && viewer_ids.every((one) => typeof one === 'string');
  if (!isNumber(channel_id) || !areIds || viewer_ids.length > shownMax)
    throw new Error('this asks for no viewers');
  return { channel_id, viewer_ids };
}

function readViewers(value: unknown): PresentViewer[] {
  const isOne = (one: PresentViewer) =>
    typeof one?.viewer_id === 'string' &&
    typeof one.nick === 'string' &&
    typeof one.isPlaying === 'boolean' &&
    isNumber(one.since) &&
    isNumber(one.pages);
  if (!Array.isArray(value) || !value.every(isOne)) throw new Error('these are no viewers');
  return value;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
