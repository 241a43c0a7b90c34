import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { textLines } from './text-lines.ts';

function streamOf(pieces: readonly Uint8Array[], onCancel = () => {}): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull: (to) => {
      const next = left.shift();
      if (next) to.enqueue(next);
      else to.close();
    },
    cancel: onCancel,
  });
}

test('however a text is cut into pieces, its lines are the same', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '名', '𝒏', '\n', '\r', '\r\n') });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(7)), async (whole, cuts) => {
      const bytes = new TextEncoder().encode(whole);
      const pieces: Uint8Array[] = [];
      let from = 0;
      for (const cut of cuts) {
        pieces.push(bytes.subarray(from, from + cut));
        from += cut;
      }
      pieces.push(bytes.subarray(from));
      const expected = whole.split(/\r\n|\n|\r/);
      if (expected.at(-1) === '') expected.pop();
      expect(await Array.fromAsync(textLines(streamOf(pieces)))).toEqual(expected);
    }),
  );
});

test('who stops reading ends the stream', async () => {
  let isCancelled = false;
  const pieces = ['a\nb\n', 'c\n', 'd\n'].map((piece) => new TextEncoder().encode(piece));
  for await (const line of textLines(streamOf(pieces, () => (isCancelled = true)))) {
    if (line === 'a') break;
  }
  expect(isCancelled).toBe(true);
});

test('a line without an end is not gathered for ever', async () => {
  const endless = Array(6).fill(new Uint8Array(1_048_576).fill(97));
  await expect(Array.fromAsync(textLines(streamOf(endless)))).rejects.toThrow('has no end');
});
