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

/** Lines in batches as they arrive; empty lines are passed over but counted. */
export async function* ndjsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder();
  let number = 0;
  let rest = '';
  let isSkipping = false;
  const read = (text: string): Line | undefined => {
    number += 1;
    if (isSkipping) {
      isSkipping = false;
      return { number, value: undefined, problem: tooLong };
    }
    return text.trim() === '' ? undefined : { number, ...parsed(text) };
  };
  for await (const chunk of bytes) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = texts.pop() ?? '';
    const lines = texts.map(read).filter((line) => line !== undefined);
    if (rest.length > lineCharactersMax) {
      rest = '';
      isSkipping = true;
    }
    if (lines.length > 0) yield lines;
  }
  const last = rest === '' && !isSkipping ? undefined : read(rest);
  if (last) yield [last];
}

const tooLong = `the line is longer than ${lineCharactersMax} characters`;

function parsed(text: string): Omit<Line, 'number'> {
  if (text.length > lineCharactersMax) return { value: undefined, problem: tooLong };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown>, problem: undefined };
    }
  } catch {
    // Told below, as for any other text that is no object.
  }
  return { value: undefined, problem: 'the line is not a JSON object' };
}
