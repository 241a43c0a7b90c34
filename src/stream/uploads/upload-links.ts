// What nodes say to each other of an upload: bytes for the node on whose disk it lies, and what became of them.
import { ApiError, type ErrorName } from '../../base/api/errors.ts';
import { jsonCodec, linkTopic } from '../../base/links/link-topic.ts';
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

export interface UploadAnswer {
  /** How much has come, or the number of what is being brought. */
  number: number;
  /** Why it was not done, as whoever asks over HTTP is told. */
  problem?: { kind: ErrorName; message: string; headers: Record<string, string> };
}

/** What is being brought is not taken any more: whoever brings it may be waiting for its next piece. */
export interface UploadNews {
  writing: number;
  problem: NonNullable<UploadAnswer['problem']>;
}

export const uploadsTopic = linkTopic<UploadNews, UploadQuestion, UploadAnswer>('uploads', {
  message: jsonCodec((value) => value as UploadNews),
  /** Four bytes say how long the words are; then the words, then the piece. */
  question: {
    write: ({ words, bytes }) => {
      const text = encoder.encode(JSON.stringify(words));
      const whole = new Uint8Array(4 + text.length + bytes.length);
      new DataView(whole.buffer).setUint32(0, text.length);
      whole.set(text, 4);
      whole.set(bytes, 4 + text.length);
      return whole;
    },
    read: (whole) => {
      const length = new DataView(whole.buffer, whole.byteOffset, whole.length).getUint32(0);
      const words: UploadWords = JSON.parse(decoder.decode(whole.subarray(4, 4 + length)));
      return { words, bytes: whole.subarray(4 + length) };
    },
  },
  answer: {
    write: (answer) => encoder.encode(JSON.stringify(answer)),
    read: (bytes) => JSON.parse(decoder.decode(bytes)),
  },
});

/** What is thrown becomes a part of the answer, so that whoever asks throws the same. */
export async function answerOf(work: () => Promise<number>): Promise<UploadAnswer> {
  try {
    return { number: await work() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { kind, message, headers } = error;
    return { number: 0, problem: { kind, message, headers } };
  }
}

export function numberIn({ number, problem }: UploadAnswer): number {
  if (problem) throw errorOf(problem);
  return number;
}

/** The node that refused it has counted it. */
export function errorOf({ kind, message, headers }: UploadNews['problem']): ApiError {
  return new ApiError(kind, { message, headers, isCounted: true });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
