// How many watch a channel over all nodes: one node counts, the others tell it who came and went.
import { Counts } from '../../base/lib/counts.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
import type { Talking } from '../../base/links/links.ts';

type CensusWords =
  /** Of the node that says it; `isAll`: it has no others. */
  | { type: 'here'; channel_id: number; isAll: boolean; came: number[]; went: number[] }
  /** By the node that counts. */
  | { type: 'count'; channel_id: number; count: number }
  /** Some of your words were lost: say all again. */
  | { type: 'again' };

type Here = Extract<CensusWords, { type: 'here' }>;

/** The question is for channels that the other node counts; it answers with those that have viewers. */
const viewers = linkTopic('viewers', {
  message: jsonCodec(readWords),
  question: jsonCodec(readChannels),
  answer: jsonCodec(readCounts),
});

/** Whoever asks is shown nothing where the answer takes longer. */
const askedWithinMs = 500;
/** Of one question: a list of channels has no more. */
const askedMax = 1_000;

/** Of one node, in all rooms: fifty times as many as it takes pages. Beyond it they are not counted. */
export const viewersToldMax = 1_000_000;

export interface ViewerCensusOptions {
  links: Talking;
  /** The channels that have a room here. */
  channels(): Iterable<number>;
  /** Who is in a room here, each once. */
  viewersIn(channel_id: number): Iterable<string>;
  /** Over all nodes; undefined where that is not known now. */
  onCount(channel_id: number, count: number | undefined): void;
}

/** A channel that is counted here. */
interface Counted {
  readonly byNode: Map<string, Set<number>>;
  /** On how many nodes each viewer is. */
  readonly nodesOf: Map<number, number>;
}

/**
 * Nothing of it is stored, and all of it can be said again: who counts follows from the nodes that there are, and is
 * told everything when that changes. A viewer is a number of 53 bits, so that one with tabs on two nodes is one.
 */
export class ViewerCensus {
  private readonly options: ViewerCensusOptions;

  /** Those that are spoken with; while there are none all this rests. */
  private readonly nodes = new Set<string>();
  /** Who came (true) and went here since the last round. */
  private readonly changes = new Map<number, Map<number, boolean>>();
  /** Who was told of a channel's viewers here. */
  private readonly toldTo = new Map<number, string>();
  private readonly counted = new Map<number, Counted>();
  /** How many of each node's are in `counted`. */
  private readonly told = new Counts<string>();
  /** Channels whose count here may have changed. */
  private readonly moved = new Set<number>();

  constructor(options: ViewerCensusOptions) {
    this.options = options;
    options.links.join(viewers, {
      opened: (node) => {
        this.nodes.add(node);
        this.regroup();
      },
      closed: (node) => this.left(node),
      gap: (node) => this.send(node, { type: 'again' }),
      received: (node, words) => this.heard(node, words),
      asked: (_, channels) => this.countsOf(channels),
    });
  }

  /** A viewer has come to a room here, or has gone from it. */
  note(channel_id: number, viewer_id: string, isHere: boolean): void {
    if (this.nodes.size === 0) return;
    const known = this.changes.get(channel_id) ?? new Map<number, boolean>();
    known.set(numberOf(channel_id, viewer_id), isHere);
    this.changes.set(channel_id, known);
  }

  /** How many watch each, of channels that nobody watches here; of those that no node answers for, none. */
  async elsewhere(channels: readonly number[]): Promise<Map<number, number>> {
    const { links } = this.options;
    if (this.nodes.size === 0) return new Map();
    const byCounter = Map.groupBy(channels, (channel_id) => this.counterOf(channel_id));
    const asked = [...byCounter].map(async ([counter, own]) => {
      if (counter === links.node) return this.countsOf(own);
      return await links.ask(viewers, counter, own, askedWithinMs).catch(() => []);
    });
    return new Map((await Promise.all(asked)).flat());
  }

  private countsOf(channels: readonly number[]): [number, number][] {
    return channels.map((channel_id) => [
      channel_id,
      this.counted.get(channel_id)?.nodesOf.size ?? 0,
    ]);
  }

  /** Tells what has changed since the last. */
  round(): void {
    for (const [channel_id, changed] of this.changes) this.tellChanges(channel_id, changed);
    this.changes.clear();
    for (const channel_id of this.moved) this.tellCount(channel_id);
    this.moved.clear();
  }

  private tellChanges(channel_id: number, changed: ReadonlyMap<number, boolean>): void {
    const counter = this.counterOf(channel_id);
    const isKnown = this.toldTo.get(channel_id) === counter;
    const isEmpty = this.options.viewersIn(channel_id)[Symbol.iterator]().next().done === true;
    const numbers = (isHere: boolean) =>
      [...changed].filter(([, here]) => here === isHere).map(([number]) => number);
    if (!isKnown || isEmpty) this.tellAll(channel_id);
    else {
      const [came, went] = [numbers(true), numbers(false)];
      this.tell(counter, { type: 'here', channel_id, isAll: false, came, went });
    }
  }

  /** To who counts it now; who did before learns that it does no more. */
  private tellAll(channel_id: number): void {
    const counter = this.counterOf(channel_id);
    const before = this.toldTo.get(channel_id);
    if (before !== undefined && before !== counter) {
      this.tell(before, nobodyIn(channel_id));
      this.options.onCount(channel_id, undefined);
    }
    const here = new Set<number>();
    for (const viewer_id of this.options.viewersIn(channel_id))
      here.add(numberOf(channel_id, viewer_id));
    if (here.size > 0) this.toldTo.set(channel_id, counter);
    else {
      // Who has nobody there is not told any more.
      this.toldTo.delete(channel_id);
      this.options.onCount(channel_id, undefined);
    }
    this.tell(counter, { ...nobodyIn(channel_id), came: [...here] });
  }

  /** Nodes have come or gone: another may count. */
  private regroup(): void {
    this.changes.clear();
    for (const channel_id of this.options.channels()) this.tellAll(channel_id);
  }

  private left(node: string): void {
    this.nodes.delete(node);
    for (const [channel_id, counter] of [...this.toldTo]) {
      if (counter !== node) continue;
      this.toldTo.delete(channel_id);
      this.options.onCount(channel_id, undefined);
    }
    for (const [channel_id, { byNode }] of [...this.counted])
      if (byNode.has(node)) this.count(node, nobodyIn(channel_id));
    this.regroup();
  }

  private heard(node: string, words: CensusWords): void {
    if (words.type === 'here') this.count(node, words);
    else if (words.type === 'again') this.sayAgain(node);
    else if (this.toldTo.get(words.channel_id) === node)
      this.options.onCount(words.channel_id, words.count);
  }

  private sayAgain(node: string): void {
    for (const [channel_id, counter] of [...this.toldTo])
      if (counter === node) this.tellAll(channel_id);
    for (const [channel_id, { byNode }] of this.counted)
      if (byNode.has(node)) this.moved.add(channel_id);
  }

  /** This node may be the one that counts. */
  private tell(node: string, words: Here): void {
    if (node === this.options.links.node) this.count(node, words);
    else this.send(node, words);
  }

  private send(node: string, words: CensusWords): void {
    this.options.links.send(viewers, node, words);
  }

  private count(node: string, { channel_id, isAll, came, went }: Here): void {
    const known = this.counted.get(channel_id) ?? { byNode: new Map(), nodesOf: new Map() };
    const here = known.byNode.get(node) ?? new Set<number>();
    const isLeft = isAll ? new Set(came) : undefined;
    for (const number of isLeft ? [...here].filter((one) => !isLeft.has(one)) : went)
      if (here.delete(number)) {
        this.told.remove(node);
        oneNodeLess(known, number);
      }
    for (const number of came) {
      if (here.has(number) || this.told.of(node) >= viewersToldMax) continue;
      this.told.add(node);
      here.add(number);
      known.nodesOf.set(number, (known.nodesOf.get(number) ?? 0) + 1);
    }
    if (here.size > 0) known.byNode.set(node, here);
    else known.byNode.delete(node);
    if (known.byNode.size > 0) this.counted.set(channel_id, known);
    else this.counted.delete(channel_id);
    this.moved.add(channel_id);
  }

  private tellCount(channel_id: number): void {
    const known = this.counted.get(channel_id);
    if (!known) return;
    const count = known.nodesOf.size;
    for (const node of known.byNode.keys()) {
      if (node === this.options.links.node) this.options.onCount(channel_id, count);
      else this.send(node, { type: 'count', channel_id, count });
    }
  }

  /** The same by every node that knows the same others: each has its own weight for each channel. */
  private counterOf(channel_id: number): string {
    let counter = this.options.links.node;
    let most = weightOf(counter, channel_id);
    for (const node of this.nodes) {
      const weight = weightOf(node, channel_id);
      if (weight > most) [counter, most] = [node, weight];
    }
    return counter;
  }
}

function nobodyIn(channel_id: number): Here {
  return { type: 'here', channel_id, isAll: true, came: [], went: [] };
}

function oneNodeLess({ nodesOf }: Counted, number: number): void {
  const left = (nodesOf.get(number) ?? 0) - 1;
  if (left > 0) nodesOf.set(number, left);
  else nodesOf.delete(number);
}

function weightOf(node: string, channel_id: number): bigint {
  return BigInt(Bun.hash(`${node} ${channel_id}`));
}

/** What JSON and a Set take as it is. Of a million viewers two have the same by a chance of one in 18,000. */
const numberBits = 53;

function numberOf(channel_id: number, viewer_id: string): number {
  return Number(BigInt.asUintN(numberBits, BigInt(Bun.hash(`${channel_id} ${viewer_id}`))));
}

function readWords(value: unknown): CensusWords {
  const { type, channel_id, came, went, count } = (value ?? {}) as Record<string, unknown>;
  const areNumbers = (list: unknown) => Array.isArray(list) && list.every(Number.isSafeInteger);
  const isChannel = Number.isSafeInteger(channel_id);
  const isHere = type === 'here' && isChannel && areNumbers(came) && areNumbers(went);
  const isCount = type === 'count' && isChannel && Number.isSafeInteger(count);
  if (!isHere && !isCount && type !== 'again') throw new Error('these are no words of a census');
  return value as CensusWords;
}

function readChannels(value: unknown): number[] {
  if (!Array.isArray(value) || value.length > askedMax || !value.every(Number.isSafeInteger))
    throw new Error('these are no channels');
  return value;
}

function readCounts(value: unknown): [number, number][] {
  const isCount = (one: unknown) => Array.isArray(one) && one.every(Number.isSafeInteger);
  if (!Array.isArray(value) || !value.every(isCount)) throw new Error('these are no counts');
  return value;
}
