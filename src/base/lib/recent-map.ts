// A map with a bound: what has been used longest ago leaves first.

export interface RecentMapOptions<Value> {
  /** How much is kept: so many entries, or of what `weigh` tells of them. */
  max: number;
  /** Of a value as it is set; it must not change while the value is kept. */
  weigh?: (value: Value) => number;
}

/** In the order of use. */
interface Node<Key, Value> {
  readonly key: Key;
  readonly value: Value;
  readonly weight: number;
  older: Node<Key, Value> | undefined;
  newer: Node<Key, Value> | undefined;
}

/**
 * The order is kept in a list of its own. A Map's order would do, but to find its first key the runtime steps over all
 * that were deleted before it: with ten thousand keys, each new one took 20 µs.
 */
export class RecentMap<Key, Value> {
  private readonly max: number;
  private readonly weigh: (value: Value) => number;

  private readonly nodes = new Map<Key, Node<Key, Value>>();
  private oldest: Node<Key, Value> | undefined;
  private newest: Node<Key, Value> | undefined;
  private weight = 0;

  constructor({ max, weigh = () => 1 }: RecentMapOptions<Value>) {
    this.max = max;
    this.weigh = weigh;
  }

  /** What is found counts as used. */
  get(key: Key): Value | undefined {
    const node = this.nodes.get(key);
    if (!node) return undefined;
    this.unlink(node);
    this.link(node);
    return node.value;
  }

  /** What is found keeps its place: it leaves as if nobody had asked. */
  peek(key: Key): Value | undefined {
    return this.nodes.get(key)?.value;
  }

  /** A value that weighs more than all may is not kept, and nothing else is then. */
  set(key: Key, value: Value): void {
    const known = this.nodes.get(key);
    if (known) this.unlink(known);
    const weight = this.weigh(value);
    const node = { key, value, weight, older: undefined, newer: undefined };
    this.nodes.set(key, node);
    this.link(node);
    while (this.weight > this.max && this.oldest) this.delete(this.oldest.key);
  }

  delete(key: Key): void {
    const node = this.nodes.get(key);
    if (!node) return;
    this.nodes.delete(key);
    this.unlink(node);
  }

  /** Lets go of what was used longest ago, while it is as old as that. */
  forgetWhile(isOld: (value: Value) => boolean): void {
    while (this.oldest && isOld(this.oldest.value)) this.delete(this.oldest.key);
  }

  /** What has been used longest ago first. */
  *values(): Generator<Value> {
    for (let node = this.oldest; node; node = node.newer) yield node.value;
  }

  private link(node: Node<Key, Value>): void {
    node.older = this.newest;
    node.newer = undefined;
    if (this.newest) this.newest.newer = node;
    else this.oldest = node;
    this.newest = node;
    this.weight += node.weight;
  }

  private unlink(node: Node<Key, Value>): void {
    if (node.older) node.older.newer = node.newer;
    else this.oldest = node.newer;
    if (node.newer) node.newer.older = node.older;
    else this.newest = node.older;
    this.weight -= node.weight;
  }
}
