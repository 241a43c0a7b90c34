// The latest answers of the service by path: who comes back to a view sees it at once, and then anew.

/** A person goes back through some views, not through hundreds. */
const answersMax = 40;

export class AnswerMemory {
  private readonly answers = new Map<string, unknown>();

  get<T>(path: string): T | undefined {
    return this.answers.get(path) as T | undefined;
  }

  set(path: string, answer: unknown): void {
    this.answers.delete(path);
    this.answers.set(path, answer);
    const [oldest] = this.answers.keys();
    if (this.answers.size > answersMax && oldest !== undefined) this.answers.delete(oldest);
  }

  /** Of another person. */
  clear(): void {
    this.answers.clear();
  }
}
