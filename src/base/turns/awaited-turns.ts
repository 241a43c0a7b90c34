// Those who wait in a line until their turn comes, or until they give up.

export class AwaitedTurns<Asker> {
  private readonly line: { add(asker: Asker): void; remove(asker: Asker): void };

  private readonly answers = new Map<Asker, (isTurn: boolean) => void>();

  constructor(line: AwaitedTurns<Asker>['line']) {
    this.line = line;
  }

  /** Whether its turn has come; false where it gave up before. An asker waits once at a time. */
  wait(asker: Asker): Promise<boolean> {
    return new Promise((resolve) => {
      this.answers.set(asker, resolve);
      this.line.add(asker);
    });
  }

  /** It was taken out of the line. */
  begin(asker: Asker): void {
    this.answer(asker, true);
  }

  /** It has left: nobody is held up by it, and nothing of it is kept. */
  giveUp(asker: Asker): void {
    if (!this.answers.has(asker)) return;
    this.line.remove(asker);
    this.answer(asker, false);
  }

  private answer(asker: Asker, isTurn: boolean): void {
    const answer = this.answers.get(asker);
    this.answers.delete(asker);
    answer?.(isTurn);
  }
}
