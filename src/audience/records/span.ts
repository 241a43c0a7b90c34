// What a session watched and when: spans, and the short text that a row keeps them in.

/** A stretch of one show that was watched without a break. */
export interface Span {
  /** The show, by its beginning. */
  show: number;
  /** `(from, to]`, epoch milliseconds of the service's clock. */
  from: number;
  to: number;
  /** Where in the show's media, in milliseconds, the picture was at `from`; it went on with the clock. */
  position: number;
}

/**
 * Four numbers a span, each as what it differs from what is to be expected: the show from the one before, `from`
 * from the end before, `to` from `from`, the position from going on with the clock; in a new show all count from
 * its beginning. Of a session's first span they take some 22 characters, of the others 8 to 10. Text and not bytes:
 * on its way to the writer's thread an array of bytes costs more than writing it.
 */
export function spanText(spans: readonly Span[]): string {
  let text = '';
  let before = noSpan;
  for (const span of spans) {
    const { show, from, to, position } = span;
    const expected = expectedAfter(before, show);
    text +=
      signedText(show - before.show) +
      signedText(from - expected.from) +
      numberText(to - from) +
      signedText(position - expected.position(from));
    before = span;
  }
  return text;
}

export function readSpans(text: string): Span[] {
  const numbers = readNumbers(text);
  const spans: Span[] = [];
  let before = noSpan;
  for (let i = 0; i + numbersPerSpan <= numbers.length; i += numbersPerSpan) {
    const [showStep, fromStep, length, positionStep] = numbers.slice(i, i + numbersPerSpan) as Four;
    const show = before.show + signed(showStep);
    const expected = expectedAfter(before, show);
    const from = expected.from + signed(fromStep);
    const position = expected.position(from) + signed(positionStep);
    before = { show, from, to: from + length, position };
    spans.push(before);
  }
  return spans;
}

const numbersPerSpan = 4;
type Four = [number, number, number, number];
const noSpan: Span = { show: 0, from: 0, to: 0, position: 0 };

function expectedAfter(before: Span, show: number) {
  const known = before.show === show ? before : { from: show, to: show, position: 0 };
  return { from: known.to, position: (from: number) => known.position + from - known.from };
}

/** As source maps write numbers: five bits a character, the lowest first; the upper half says that more follow. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base = 32;
const values = new Map(Array.from(digits, (digit, value) => [digit.charCodeAt(0), value]));

function numberText(value: number): string {
  let text = '';
  let left = value;
  for (; left >= base; left = Math.floor(left / base)) text += digits[(left % base) + base];
  return text + digits[left];
}

/** The sign is the lowest bit. */
function signedText(value: number): string {
  return numberText(value < 0 ? -2 * value - 1 : 2 * value);
}

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function readNumbers(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let worth = 1;
  for (let i = 0; i < text.length; i++) {
    const digit = values.get(text.charCodeAt(i)) ?? 0;
    value += (digit % base) * worth;
    worth *= base;
    if (digit >= base) continue;
    numbers.push(value);
    value = 0;
    worth = 1;
  }
  return numbers;
}
