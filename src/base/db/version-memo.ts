// What was read from the database, remembered until the database changes.

/**
 * Something that follows from the database alone holds while the database's version does: one cheap
 * look at the version replaces the queries, and any write forgets everything. When it is full it
 * stays as it is, so that a caller who reads everything once does not drive out what others poll.
 */
export class VersionMemo<T> {
  private readonly options: { entriesMax: number; weightMax: number; weigh(value: T): number };

  private version: number | undefined;
  private readonly values = new Map<string, T>();
  private weight = 0;

  constructor(options: { entriesMax: number; weightMax: number; weigh(value: T): number }) {
    this.options = options;
  }

  /** `version` is undefined where the database has none: then nothing is known. */
  get(version: number | undefined, key: string): T | undefined {
    return version !== undefined && version === this.version ? this.values.get(key) : undefined;
  }

  /** `version` was read before the value, so a write in between only makes it forgotten early. */
  set(version: number | undefined, key: string, value: T): void {
    if (version === undefined) return;
    if (version !== this.version) {
      this.version = version;
      this.values.clear();
      this.weight = 0;
    }
    const { entriesMax, weightMax, weigh } = this.options;
    const weight = weigh(value);
    if (this.values.size >= entriesMax || this.weight + weight > weightMax) return;
    this.values.set(key, value);
    this.weight += weight;
  }
}
