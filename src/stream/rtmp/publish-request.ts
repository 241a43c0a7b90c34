// What a publisher asks for, and how it is refused.
import type { RtmpReason } from './rtmp-refusals.ts';

/** What a publisher asks for. */
export interface PublicationRequest {
  key: string;
  address: string;
  /** Ends the connection; the encoder is told why. */
  abort(reason: string): void;
  /** Asks for what the key opens, a few peers at once; rejects with PeerLeft where this one is gone when its turn comes. */
  lookUp<T>(ask: () => Promise<T>): Promise<T>;
}

/** Nobody waits for the answer any more. */
export class PeerLeft extends Error {}

/** The peer may not do what it asks; the sentence is shown to it. */
export class Refused extends Error {
  /** Undefined where somebody else has counted it. */
  readonly refusal: RtmpReason | undefined;

  constructor(sentence: string, refusal?: RtmpReason) {
    super(sentence);
    this.refusal = refusal;
  }
}
