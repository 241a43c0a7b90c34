// How many there are of each of many: what none is left of is forgotten, so that it holds no more than what is counted now.

export class Counts<Key> {
  private readonly counts = new Map<Key, number>();

  of(key: Key): number {
    return this.counts.get(key) ?? 0;
  }

  has(key: Key): boolean {
    return this.counts.has(key);
  }

  add(key: Key, count = 1): void {
    this.set(key, this.of(key) + count);
  }

  remove(key: Key, count = 1): void {
    this.set(key, this.of(key) - count);
  }

  /** How many there were; none is left. */
  take(key: Key): number {
    const count = this.of(key);
    this.counts.delete(key);
    return count;
  }

  [Symbol.iterator](): MapIterator<[Key, number]> {
    return this.counts.entries();
  }

  private set(key: Key, count: number): void {
    if (count < 0) throw new Error('more were removed than there were');
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
  }
}
