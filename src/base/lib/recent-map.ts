// A map with a bound: what has been used longest ago leaves first.

export interface RecentMapOptions<Value> {
  /** How much is kept: so many entries, or of what `weigh` tells of them. */
  max: number;
  /** Of a value as it is set; it must not change while the value is kept. */
  weigh?: (value: Value) => number;
}

export class RecentMap<Key, Value> {
  private readonly max: number;
  private readonly weigh: (value: Value) => number;

  /** What has been used longest ago first. */
  private readonly kept = new Map<Key, Value>();
  private weight = 0;

  constructor({ max, weigh = () => 1 }: RecentMapOptions<Value>) {
    this.max = max;
    this.weigh = weigh;
  }

  /** What is found counts as used. */
  get(key: Key): Value | undefined {
    const value = this.kept.get(key);
    if (value === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, value);
    return value;
  }

  /** What is found keeps its place: it leaves as if nobody had asked. */
  peek(key: Key): Value | undefined {
    return this.kept.get(key);
  }

  /** A value that weighs more than all may is not kept, and nothing else is then. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.kept.set(key, value);
    this.weight += this.weigh(value);
    if (this.weight <= this.max) return;
    for (const oldest of this.kept.keys()) {
      this.delete(oldest);
      if (this.weight <= this.max) return;
    }
  }

  delete(key: Key): void {
    const value = this.kept.get(key);
    if (this.kept.delete(key)) this.weight -= this.weigh(value as Value);
  }

  /** Lets go of what was used longest ago, while it is as old as that. */
  forgetWhile(isOld: (value: Value) => boolean): void {
    for (const [key, value] of this.kept) {
      if (!isOld(value)) return;
      this.delete(key);
    }
  }

  /** What has been used longest ago first. */
  values(): MapIterator<Value> {
    return this.kept.values();
  }
}
