import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type AskedRange, askedRange } from './byte-range.ts';

const whole = 'whole';
const unsatisfiable = 'unsatisfiable';

test.each<[string | null, number, AskedRange]>([
  [null, 100, whole],
  ['', 100, whole],
  ['bytes=0-99', 100, { from: 0, to: 99 }],
  ['bytes=0-0', 100, { from: 0, to: 0 }],
  ['bytes=10-19', 100, { from: 10, to: 19 }],
  ['bytes=10-', 100, { from: 10, to: 99 }],
  ['bytes=99-', 100, { from: 99, to: 99 }],
  ['bytes=-1', 100, { from: 99, to: 99 }],
  ['bytes=-100', 100, { from: 0, to: 99 }],
  ['bytes=-101', 100, { from: 0, to: 99 }],
  ['bytes=50-999', 100, { from: 50, to: 99 }],
  ['bytes=0-999999999999999', 100, { from: 0, to: 99 }],
  ['bytes=5-99999999999999999999', 100, { from: 5, to: 99 }],
  [`bytes=0-${'9'.repeat(400)}`, 100, { from: 0, to: 99 }],
  [`bytes=-${'9'.repeat(400)}`, 100, { from: 0, to: 99 }],
  [' bytes=0-9 ', 100, { from: 0, to: 9 }],
  ['bytes=100-', 100, unsatisfiable],
  ['bytes=100-200', 100, unsatisfiable],
  ['bytes=999999999999999-', 100, unsatisfiable],
  ['bytes=99999999999999999999-', 100, unsatisfiable],
  [`bytes=${'9'.repeat(400)}-`, 100, unsatisfiable],
  ['bytes=-0', 100, unsatisfiable],
  ['bytes=0-', 0, unsatisfiable],
  ['bytes=0-0', 0, unsatisfiable],
  ['bytes=-5', 0, unsatisfiable],
  ['bytes=20-10', 100, whole],
  ['bytes=-', 100, whole],
  ['bytes=', 100, whole],
  ['bytes', 100, whole],
  ['bytes=0-1,5-6', 100, whole],
  ['bytes=a-b', 100, whole],
  ['bytes=1.5-3', 100, whole],
  ['bytes=--5', 100, whole],
  ['bytes=0x1-5', 100, whole],
  ['items=0-5', 100, whole],
])('%j of %d bytes is %j', (header, size, asked) => {
  expect(askedRange(header, size)).toEqual(asked);
});

test('whatever is asked, a range lies within the file and is never empty', () => {
  const number = fc.oneof(fc.constant(''), fc.bigInt({ min: 0n, max: 10n ** 320n }).map(String));
  const header = fc.oneof(
    fc.tuple(number, number).map(([from, to]) => `bytes=${from}-${to}`),
    fc.string(),
  );
  const size = fc.oneof(fc.nat(10), fc.nat(2 ** 31), fc.constant(5_000_000_000));
  fc.assert(
    fc.property(header, size, (text, bytes) => {
      const asked = askedRange(text, bytes);
      if (typeof asked === 'string') return;
      expect(asked.from).toBeGreaterThanOrEqual(0);
      expect(asked.to).toBeGreaterThanOrEqual(asked.from);
      expect(asked.to).toBeLessThan(bytes);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});
