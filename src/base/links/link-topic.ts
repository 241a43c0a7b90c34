// A topic of the links: what a feature's parts on several nodes say to each other, by a name and the shape of what is said.

/** How something is written for the wire, and read again. */
export interface LinkCodec<T> {
  write(value: T): Uint8Array;
  /** Throws where the bytes are none of it: another version may have written them. */
  read(bytes: Uint8Array): T;
}

/** `Question` and `Answer` are of what is asked, or followed: a follower asks once, and each part is an answer. */
export interface LinkTopic<Message, Question = never, Answer = never> {
  readonly name: string;
  readonly message: LinkCodec<Message>;
  readonly question: LinkCodec<Question>;
  readonly answer: LinkCodec<Answer>;
}

/** Names are the same on every node, whatever its version. */
export function linkTopic<Message, Question = never, Answer = never>(
  name: string,
  codecs: {
    message?: LinkCodec<Message>;
    question?: LinkCodec<Question>;
    answer?: LinkCodec<Answer>;
  },
): LinkTopic<Message, Question, Answer> {
  const { message = never(name), question = never(name), answer = never(name) } = codecs;
  return { name, message, question, answer };
}

/** `check` throws where it is something else. */
export function jsonCodec<T>(check: (value: unknown) => T): LinkCodec<T> {
  return {
    write: (value) => encoder.encode(JSON.stringify(value)),
    read: (bytes) => check(JSON.parse(decoder.decode(bytes))),
  };
}

/** As they are; what is read is good while it is worked on. */
export const bytesCodec: LinkCodec<Uint8Array> = {
  write: (bytes) => bytes,
  read: (bytes) => bytes,
};

/** Words, then bytes as they are: the first four say how long the words are. */
export function writeWords(words: unknown, parts: readonly Uint8Array[]): Uint8Array {
  const text = encoder.encode(JSON.stringify(words));
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const whole = new Uint8Array(4 + text.length + size);
  new DataView(whole.buffer).setUint32(0, text.length);
  whole.set(text, 4);
  let at = 4 + text.length;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes are those of the message. */
export function readWords(whole: Uint8Array): { words: unknown; bytes: Uint8Array } {
  const length = new DataView(whole.buffer, whole.byteOffset, whole.length).getUint32(0);
  const words: unknown = JSON.parse(decoder.decode(whole.subarray(4, 4 + length)));
  return { words, bytes: whole.subarray(4 + length) };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

function never<T>(name: string): LinkCodec<T> {
  const fail = () => {
    throw new Error(`nothing of this kind is said on the topic ${name}`);
  };
  return { write: fail, read: fail };
}
