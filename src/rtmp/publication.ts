// What a publisher asks for, and how it is refused.

/** What a publisher asks for. */
export interface PublicationRequest {
  key: string;
  address: string;
  /** Ends the connection; the encoder is told why. */
  abort(reason: string): void;
}

/** The peer may not do what it asks; the sentence is shown to it. */
export class Refused extends Error {
  /** A guess is slowed down; a right key at a wrong time is not. */
  readonly isGuess: boolean;

  constructor(sentence: string, { isGuess = true } = {}) {
    super(sentence);
    this.isGuess = isGuess;
  }
}
