// Reads NDJSON line by line, whatever the file's size.

export interface Line {
  /** Counted from 1. */
  number: number;
  /** The line's object, or what is wrong with it. */
  value: Record<string, unknown> | undefined;
  problem: string | undefined;
}

/** A longer line is refused without being kept. */
const lineCharactersMax = 65_536;
/** No line of so many characters has more bytes: UTF-8 takes three for one of UTF-16 at most. */
const lineBytesMax = 3 * lineCharactersMax;
const newline = 0x0a;

/** Lines in batches as they arrive; empty lines are passed over but counted. */
export async function* ndjsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  let number = 0;
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  const read = (end: Uint8Array): Line[] => {
    const lines: Line[] = [];
    for (const text of textsOf(Buffer.concat([...rest, end]))) {
      number += 1;
      // A byte order mark may open the file.
      const isMarked = number === 1 && typeof text === 'string' && text.startsWith('\uFEFF');
      const parsed = parse(isMarked ? text.slice(1) : text);
      if (parsed) lines.push({ number, ...parsed });
    }
    rest = [];
    restBytes = 0;
    return lines;
  };
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(newline);
    const lines = end < 0 ? [] : read(chunk.subarray(0, end));
    // A line that is too long already grows no more.
    if (restBytes <= lineBytesMax) {
      rest.push(chunk.subarray(end + 1));
      restBytes += chunk.length - end - 1;
    }
    if (lines.length > 0) yield lines;
  }
  const last = restBytes === 0 ? [] : read(new Uint8Array());
  if (last.length > 0) yield last;
}

interface Bad {
  value: undefined;
  problem: string;
}

const tooLong: Bad = {
  value: undefined,
  problem: `the line is longer than ${lineCharactersMax} characters`,
};
const notUtf8: Bad = { value: undefined, problem: 'the line is not UTF-8' };
const notObject: Bad = { value: undefined, problem: 'the line is not a JSON object' };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of each line, or why it has none. All are decoded at once where all are good. */
function textsOf(bytes: Uint8Array): (string | Bad)[] {
  const whole = decoded(bytes);
  if (whole !== undefined) return whole.split('\n');
  const texts: (string | Bad)[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(newline, from);
    const end = found < 0 ? bytes.length : found;
    // Of a line that is too long the middle may be missing, so it is not decoded.
    const isTooLong = end - from > lineBytesMax;
    texts.push(isTooLong ? tooLong : (decoded(bytes.subarray(from, end)) ?? notUtf8));
    from = end + 1;
  }
  return texts;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a line holds; undefined for an empty one. */
function parse(text: string | Bad): Omit<Line, 'number'> | undefined {
  if (typeof text !== 'string') return text;
  if (text.length > lineCharactersMax) return tooLong;
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown>, problem: undefined };
    }
  } catch {
    // Told below, as for any other text that is no object.
  }
  return notObject;
}
