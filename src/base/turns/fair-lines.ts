// Those who wait, each in the line of whom it belongs to: lines take turns, a line is in order of arrival.

export interface InLine {
  /** Whose line it stands in. */
  readonly whose: string;
}

/** Lines that have their turns in common. */
interface Group<T> {
  /** The line that has the next turn stands first. */
  lines: Map<string, Set<T>>;
  size: number;
}

export class FairLines<T extends InLine> {
  private readonly groupOf: (whose: string) => string;

  /** The line that has the next turn stands first. */
  private readonly groups = new Map<string, Group<T>>();
  private readonly arrived = new Set<T>();

  /** `groupOf`: lines of one group have one turn among them; otherwise each has its own. */
  constructor(groupOf = (whose: string) => whose) {
    this.groupOf = groupOf;
  }

  get size(): number {
    return this.arrived.size;
  }

  /** Who has waited longest of all. */
  get oldest(): T | undefined {
    const [oldest] = this.arrived;
    return oldest;
  }

  waitingOf(whose: string): number {
    return this.groups.get(this.groupOf(whose))?.lines.get(whose)?.size ?? 0;
  }

  waitingIn(group: string): number {
    return this.groups.get(group)?.size ?? 0;
  }

  /** Whether one waits that may go. */
  has(mayGo: (group: string) => boolean): boolean {
    return this.groups.keys().some(mayGo);
  }

  /** One that waits already stays where it is. */
  add(one: T): void {
    if (this.arrived.has(one)) return;
    const name = this.groupOf(one.whose);
    const group = this.groups.get(name) ?? { lines: new Map(), size: 0 };
    const line = group.lines.get(one.whose) ?? new Set<T>();
    this.groups.set(name, group);
    group.lines.set(one.whose, line);
    group.size += 1;
    line.add(one);
    this.arrived.add(one);
  }

  /** The first of the line whose turn it is; of the groups that may go now. */
  take(mayGo: (group: string) => boolean = () => true): T | undefined {
    for (const [name, group] of this.groups) {
      if (!mayGo(name)) continue;
      const [[whose, line]] = group.lines as Iterable<[string, Set<T>]> as [[string, Set<T>]];
      const [first] = line as Iterable<T> as [T];
      this.remove(first);
      if (group.lines.delete(whose)) group.lines.set(whose, line);
      if (this.groups.delete(name)) this.groups.set(name, group);
      return first;
    }
    return undefined;
  }

  takeUpTo(count: number, mayGo?: (group: string) => boolean): T[] {
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
    const name = this.groupOf(one.whose);
    const group = this.groups.get(name);
    const line = group?.lines.get(one.whose);
    if (!group || !line?.delete(one)) return;
    this.arrived.delete(one);
    group.size -= 1;
    if (line.size === 0) group.lines.delete(one.whose);
    if (group.size === 0) this.groups.delete(name);
  }
}
