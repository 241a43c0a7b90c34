// Work that goes on until none is left, one step after the other: whoever adds some begins it.

export interface UntilEmptyOptions {
  /** Whether nothing is to be done. */
  isEmpty(): boolean;
  /** Does some of it. It must not reject: what fails is given up or put off there. */
  work(): Promise<void>;
}

export class UntilEmpty {
  private readonly options: UntilEmptyOptions;

  private isRunning = false;
  private underWay: Promise<void> | undefined;

  constructor(options: UntilEmptyOptions) {
    this.options = options;
  }

  get isUnderWay(): boolean {
    return this.isRunning;
  }

  /** Something was added. Where work is under way, that comes to it. */
  begin(): void {
    if (this.isRunning || this.options.isEmpty()) return;
    // Before it runs: the work may add some at once.
    this.isRunning = true;
    this.underWay = this.run();
  }

  /** Resolves when no work is under way. */
  async settled(): Promise<void> {
    await this.underWay;
  }

  private async run(): Promise<void> {
    const { isEmpty, work } = this.options;
    try {
      while (!isEmpty()) await work();
    } finally {
      // In the same breath as the last look, so that nothing is added in between and forgotten.
      this.isRunning = false;
      this.underWay = undefined;
    }
  }
}
