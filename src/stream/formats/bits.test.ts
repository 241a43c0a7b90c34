// Bits and exp-Golomb numbers.
import { describe, expect, test } from 'bun:test';
import { BitReader } from './bits.ts';
import { MediaError } from './packet.ts';

describe('exp-Golomb numbers', () => {
  // ISO 14496-10 tables 9-2 and 9-3.
  test.each([
    ['1', 0, 0],
    ['010', 1, 1],
    ['011', 2, -1],
    ['00100', 3, 2],
    ['00101', 4, -2],
    ['00111', 6, -3],
    ['0001000', 7, 4],
    ['000000001 00000000', 255, 128],
    [`${'0'.repeat(31)}1${'1'.repeat(31)}`, 2 ** 32 - 2, -(2 ** 31) + 1],
  ])('%s is %d, signed %d', (bits, unsigned, signed) => {
    expect(reader(bits).unsigned()).toBe(unsigned);
    expect(reader(bits).signed()).toBe(signed);
  });

  test('one of more than 32 bits is refused', () => {
    const tooLong = () => reader(`${'0'.repeat(32)}1${'0'.repeat(32)}`).unsigned();
    expect(tooLong).toThrow(new MediaError('The test bits are broken: a number is too long'));
  });

  test('one that is cut short is refused', () => {
    const cut = () => reader('00000001').unsigned();
    expect(cut).toThrow(new MediaError('The test bits are broken: they end too early'));
  });
});

test('bits are read from the highest to the lowest, across bytes', () => {
  const bits = reader('1 0110 11111111 00000001 010');
  expect(bits.flag()).toBe(true);
  expect(bits.bits(4)).toBe(0b0110);
  expect(bits.bits(16)).toBe(0xff01);
  expect(bits.flag()).toBe(false);
  expect(bits.bits(2)).toBe(0b10);
  expect(() => bits.flag()).toThrow(MediaError);
});

test('32 bits have no sign', () => {
  expect(reader('1'.repeat(32)).bits(32)).toBe(2 ** 32 - 1);
});

/** Of bits as text; those that fill the last byte are zeros. */
function reader(text: string): BitReader {
  const bytes = text.replaceAll(' ', '').match(/.{1,8}/g) ?? [];
  const numbers = bytes.map((bits) => Number.parseInt(bits.padEnd(8, '0'), 2));
  return new BitReader(Uint8Array.from(numbers), 'The test bits');
}
