// Lines of a text that comes in pieces.

/** A line is a row of an export or a part of an event; one that is longer is no answer of Footlight. */
const lineCharactersMax = 4_194_304;

/** Each without its end: a line feed, a carriage return or both. What follows the last end is a line too, unless empty. */
export async function* textLines(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    while (true) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A carriage return at the end of a piece may have its line feed in the next.
      const whole = rest.split(done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?=[\s\S])/);
      rest = whole.pop() ?? '';
      if (rest.length > lineCharactersMax) throw new Error('A line of the answer has no end');
      yield* whole;
      if (!done) continue;
      if (rest !== '') yield rest;
      return;
    }
  } finally {
    // Who stops reading wants no more of it.
    await reader.cancel().catch(() => {});
  }
}
