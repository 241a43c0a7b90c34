// Units behind start codes become units behind lengths.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { annexBUnits, withLengths } from './annex-b.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const hexes = (units: readonly Uint8Array[]) =>
  units.map((unit) => Buffer.from(unit).toString('hex'));

test.each([
  ['000001 6742', ['6742']],
  ['00000001 6742 00000001 68ce 000001 6588', ['6742', '68ce', '6588']],
  // Zeros behind a unit are not its own.
  ['000001 6742 0000 00000001 68', ['6742', '68']],
  ['ffff 000001 65', ['65']],
  ['000001 000001 65', ['65']],
  ['000001', []],
  ['', []],
  ['000002 65', []],
  ['000001 65 01 0001 01', ['6501000101']],
])('%s holds %j', (bytes, units) => {
  expect(hexes(annexBUnits(hex(bytes)))).toEqual(units);
});

test('each has its length before it', () => {
  expect(hexes([withLengths([hex('6742'), hex('65')])])).toEqual(['00000002674200000001' + '65']);
});

test('whatever comes, no unit holds a start code, and none is empty', () => {
  const byte = fc.oneof(fc.constantFrom(0, 0, 0, 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 200 }), (bytes) => {
      for (const unit of annexBUnits(Uint8Array.from(bytes))) {
        expect(unit.length).toBeGreaterThan(0);
        expect(Buffer.from(unit).includes(hex('000001'))).toBe(false);
      }
    }),
  );
});
