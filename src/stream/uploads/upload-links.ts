// What nodes say to each other of an upload: bytes for the node on whose disk it lies, and what became of them.
import { jsonCodec, linkTopic, readWords, writeWords } from '../../base/links/link-topic.ts';
import { type Outcome, outcomeCodec } from '../../base/links/outcome.ts';
import type { UploadRow } from './upload.ts';

/** A body is brought by one node from `open` to `end`, its pieces by the number that was answered. */
export type UploadWords =
  | { what: 'settled'; row: UploadRow }
  | { what: 'open'; row: UploadRow; offset: number; declaredBytes: number | null }
  | { what: 'piece'; writing: number }
  /** `isBroken`: no more of the body will come. */
  | { what: 'end'; writing: number; isBroken: boolean }
  /** The row says so by now. */
  | { what: 'whole'; row: UploadRow }
  /** Nobody shall read it any more: its row goes. */
  | { what: 'stop'; row: UploadRow }
  | { what: 'drop'; row: UploadRow };

export interface UploadQuestion {
  words: UploadWords;
  /** Of a piece. */
  bytes: Uint8Array;
}

/** What is being brought is over: whoever brings it may be waiting for its next piece. */
export interface UploadNews {
  writing: number;
  came: Outcome<number>;
}

const number = outcomeCodec(jsonCodec(readNumber));

/** What is answered is how much has come, or the number of what is being brought. */
export const uploadsTopic = linkTopic<UploadNews, UploadQuestion, Outcome<number>>('uploads', {
  message: {
    write: ({ writing, came }) => writeWords({ writing }, [number.write(came)]),
    read: (whole) => {
      const { words, bytes } = readWords(whole);
      return { writing: (words as UploadNews).writing, came: number.read(bytes) };
    },
  },
  question: {
    write: ({ words, bytes }) => writeWords(words, [bytes]),
    read: (whole) => {
      const { words, bytes } = readWords(whole);
      return { words: words as UploadWords, bytes };
    },
  },
  answer: number,
});

function readNumber(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error('this is no number of an upload');
  return value as number;
}
