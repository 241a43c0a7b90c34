// Those who wait, each in the line of whom it belongs to: lines take turns, a line is in order of arrival.

export interface InLine {
  /** Whose line it stands in. */
  readonly whose: string;
}

export class FairLines<T extends InLine> {
  /** Whose turn is next stands first. */
  private readonly lines = new Map<string, Set<T>>();
  private readonly arrived = new Set<T>();

  get size(): number {
    return this.arrived.size;
  }

  /** Who has waited longest of all. */
  get oldest(): T | undefined {
    const [oldest] = this.arrived;
    return oldest;
  }

  waitingOf(whose: string): number {
    return this.lines.get(whose)?.size ?? 0;
  }

  /** Whether one waits that may go. */
  has(mayGo: (whose: string) => boolean): boolean {
    return this.lines.keys().some(mayGo);
  }

  add(one: T): void {
    const line = this.lines.get(one.whose) ?? new Set<T>();
    this.lines.set(one.whose, line);
    line.add(one);
    this.arrived.add(one);
  }

  /** The first of the line whose turn it is; of those that may go now. */
  take(mayGo: (whose: string) => boolean = () => true): T | undefined {
    for (const [whose, line] of this.lines) {
      if (!mayGo(whose)) continue;
      const [first] = line as Iterable<T> as [T];
      this.remove(first);
      if (this.lines.delete(whose)) this.lines.set(whose, line);
      return first;
    }
    return undefined;
  }

  takeUpTo(count: number, mayGo?: (whose: string) => boolean): T[] {
    const taken: T[] = [];
    while (taken.length < count) {
      const next = this.take(mayGo);
      if (!next) break;
      taken.push(next);
    }
    return taken;
  }

  /** Leaves its line, wherever it stands. */
  remove(one: T): void {
    const line = this.lines.get(one.whose);
    if (!line?.delete(one)) return;
    this.arrived.delete(one);
    if (line.size === 0) this.lines.delete(one.whose);
  }
}
