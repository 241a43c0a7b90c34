// Work that is done once at a time: whoever asks while it is under way waits for the same.

export class JoinedWork<T> {
  private readonly work: () => Promise<T>;

  private underWay: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.work = work;
  }

  run(): Promise<T> {
    this.underWay ??= this.work().finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  /** Resolves when it is not under way; begins nothing. */
  async settled(): Promise<void> {
    await this.underWay;
  }
}
