// Colours as people write them, and contrasts that others have worked out.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Colour, contrast, over, readColour, writeColour } from './colour.ts';

const black = { red: 0, green: 0, blue: 0, alpha: 1 };
const white = { red: 255, green: 255, blue: 255, alpha: 1 };

describe('reading', () => {
  test.each([
    ['#fff', white],
    ['#FFFFFF', white],
    ['#0000', { ...black, alpha: 0 }],
    ['#00000080', { ...black, alpha: 128 / 255 }],
    ['rgb(255,255,255,1)', white],
    ['rgba(12, 34, 56, .25)', { red: 12, green: 34, blue: 56, alpha: 0.25 }],
    ['RGB( 1,2,3 )', { red: 1, green: 2, blue: 3, alpha: 1 }],
  ])('%s is a colour', (text, colour) => {
    expect(readColour(text)).toEqual(colour);
  });

  test.each([
    '',
    'red',
    '#ff',
    '#fffff',
    '#fffffff',
    'rgb(1,2)',
    'rgb(1,2,3,4,5)',
    'rgb(256,0,0)',
    'rgb(0,0,0,2)',
    'rgb(1..2,0,0)',
    'rgb(1,2,3);color:red',
    '#fff}body{display:none',
    'url(//evil.example)',
  ])('%p is none', (text) => {
    expect(readColour(text)).toBeUndefined();
  });
});

test('what is written is read as the same colour, and is nothing but a colour', () => {
  const level = fc.integer({ min: 0, max: 255 });
  const alpha = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
  fc.assert(
    fc.property(fc.record({ red: level, green: level, blue: level, alpha }), (colour: Colour) => {
      const text = writeColour(colour);
      expect(text).toMatch(/^(?:#[0-9a-f]{6}|rgba\(\d+,\d+,\d+,[\d.]+\))$/);
      expect(readColour(text)).toEqual(colour);
    }),
  );
});

test('contrasts are those of WCAG', () => {
  expect(contrast(black, white)).toBe(21);
  expect(contrast(white, white)).toBe(1);
  // The lightest grey that passes on white, as every checker says.
  expect(contrast(readColour('#767676') ?? black, white)).toBeCloseTo(4.54, 2);
  expect(contrast(white, readColour('#777777') ?? black)).toBeCloseTo(4.48, 2);
});

test('a half-transparent colour takes half of what is under it', () => {
  expect(over({ ...black, alpha: 0.5 }, white)).toEqual({
    red: 127.5,
    green: 127.5,
    blue: 127.5,
    alpha: 1,
  });
});
