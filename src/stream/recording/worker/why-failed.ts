// Why a worker that decodes could not do what it was asked.
import { TooLarge } from './picture-check.ts';
import { MissingTranscoder } from './transcoder.ts';

/** `no_decoder` and `too_large`: another try would end like this one. */
export type WhyFailed = 'failed' | 'no_decoder' | 'too_large';

export interface Failure {
  why: WhyFailed;
  problem: string;
}

export function failureOf(error: unknown): Failure {
  return { why: whyOf(error), problem: error instanceof Error ? error.message : String(error) };
}

function whyOf(error: unknown): WhyFailed {
  if (error instanceof MissingTranscoder) return 'no_decoder';
  return error instanceof TooLarge ? 'too_large' : 'failed';
}
