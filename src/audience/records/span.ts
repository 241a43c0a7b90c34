// What a session watched and when: spans, and the few bytes that a row keeps them in.

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
 * its beginning. Of a session's first span they take some 15 bytes, of the others 6 to 8.
 */
export function spanBytes(spans: readonly Span[]): Uint8Array {
  const bytes: number[] = [];
  let before = noSpan;
  for (const span of spans) {
    const { show, from, to, position } = span;
    const expected = expectedAfter(before, show);
    pushSigned(bytes, show - before.show);
    pushSigned(bytes, from - expected.from);
    pushNumber(bytes, to - from);
    pushSigned(bytes, position - expected.position(from));
    before = span;
  }
  return Uint8Array.from(bytes);
}

export function readSpans(bytes: Uint8Array): Span[] {
  const numbers = readNumbers(bytes);
  const spans: Span[] = [];
  let before = noSpan;
  for (let i = 0; i + numbersPerSpan <= numbers.length; i += numbersPerSpan) {
    const [showStep, fromStep, length, positionStep] = numbers.slice(i) as Four;
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

/** Seven bits a byte, the lowest first; the eighth says that more follow. */
function pushNumber(bytes: number[], value: number): void {
  let left = value;
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  bytes.push(left);
}

/** The sign is the lowest bit. */
function pushSigned(bytes: number[], value: number): void {
  pushNumber(bytes, value < 0 ? -2 * value - 1 : 2 * value);
}

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function readNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let value = 0;
  let worth = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * worth;
    worth *= 0x80;
    if (byte & 0x80) continue;
    numbers.push(value);
    value = 0;
    worth = 1;
  }
  return numbers;
}
