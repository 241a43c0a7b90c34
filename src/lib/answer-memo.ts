// Answers to reads, remembered until the database changes.

export interface Remembered {
  text: string;
  tag: string;
  /** When the token that asked ends. */
  expires_at: number | null;
}

/** What is remembered at most: the answers people poll for, not a copy of the database. */
const answersMax = 1_000;
const charactersMax = 4_000_000;

/**
 * An answer is a function of the request and the database alone, so it holds while the database's
 * version does. One cheap look at the version replaces the queries; any write forgets everything.
 */
export class AnswerMemo {
  private version: number | undefined;
  private readonly answers = new Map<string, Remembered>();
  private characters = 0;

  get(version: number, key: string): Remembered | undefined {
    return version === this.version ? this.answers.get(key) : undefined;
  }

  /** `version` was read before the answer was made, so a write in between only makes it forgotten early. */
  set(version: number, key: string, answer: Remembered): void {
    const isFull = this.answers.size >= answersMax || this.characters > charactersMax;
    if (version !== this.version || isFull) {
      this.version = version;
      this.answers.clear();
      this.characters = 0;
    }
    this.answers.set(key, answer);
    this.characters += key.length + answer.text.length;
  }
}
