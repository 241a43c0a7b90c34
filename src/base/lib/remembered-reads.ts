// What many ask for in the same minute: read once for all of them, and remembered while there is room.
import { RecentMap } from './recent-map.ts';

/** A key stands for the same value for ever, or for none any more. */
export class RememberedReads<Value> {
  private readonly known: RecentMap<string, Value>;
  private readonly underWay = new Map<string, Promise<Value | undefined>>();

  constructor(options: { max: number; weigh(value: Value): number }) {
    this.known = new RecentMap(options);
  }

  /** What is not there is looked for again the next time. */
  async find(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const reading = this.underWay.get(key) ?? read();
    this.underWay.set(key, reading);
    try {
      const value = await reading;
      if (value !== undefined) this.known.set(key, value);
      return value;
    } finally {
      this.underWay.delete(key);
    }
  }
}
