// What came of something that another node was asked to do, as its own caller would have been told.
import { ApiError, catalogue, type ErrorName } from '../api/errors.ts';
import { jsonCodec, type LinkCodec } from './link-topic.ts';

export type Outcome<T> = { done: T } | { refused: ApiError };

/** What is refused becomes a part of the answer, so that whoever asks throws the same. */
export async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof ApiError) return { refused: error };
    throw error;
  }
}

export function doneOr<T>(outcome: Outcome<T>): T {
  if ('refused' in outcome) throw outcome.refused;
  return outcome.done;
}

const refusedMark = 0;
const doneMark = 1;

/** A byte that says which, then the one or the other. */
export function outcomeCodec<T>(done: LinkCodec<T>): LinkCodec<Outcome<T>> {
  return {
    write: (outcome) =>
      'done' in outcome
        ? marked(doneMark, done.write(outcome.done))
        : marked(refusedMark, refusalCodec.write(outcome.refused)),
    read: (bytes) => {
      const rest = bytes.subarray(1);
      if (bytes[0] === doneMark) return { done: done.read(rest) };
      return { refused: refusalCodec.read(rest) };
    },
  };
}

/** One of a kind that only a newer node knows is a refusal for now. */
const refusalCodec: LinkCodec<ApiError> = {
  write: ({ kind, message, headers }) => jsonWords.write({ kind, message, headers }),
  read: (bytes) => refusal(jsonWords.read(bytes)),
};

const jsonWords = jsonCodec((value) => value);

function marked(mark: number, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(1 + bytes.length);
  all[0] = mark;
  all.set(bytes, 1);
  return all;
}

function refusal(value: unknown): ApiError {
  const { kind, message, headers } = (value ?? {}) as Record<string, unknown>;
  if (typeof kind !== 'string' || typeof message !== 'string') throw new Error('no refusal');
  const known = Object.hasOwn(catalogue, kind) ? (kind as ErrorName) : 'unavailable';
  // Where it was refused it is counted, or in the log.
  return new ApiError(known, {
    message,
    headers: headers as Record<string, string>,
    isCounted: true,
  });
}
