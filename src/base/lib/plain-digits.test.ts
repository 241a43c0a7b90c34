import { expect, test } from 'bun:test';
import { plainDigits } from './plain-digits.ts';

test.each([
  ['0123456789', '0123456789'],
  ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
  ['۰۱۲۳۴۵۶۷۸۹', '0123456789'],
  ['०१२३४५६७८९', '0123456789'],
  ['๐๑๒๓๔๕๖๗๘๙', '0123456789'],
  ['𞥐𞥑𞥒𞥓𞥔𞥕𞥖𞥗𞥘𞥙', '0123456789'],
  ['０１２３４５６７８９', '0123456789'],
  ['𝟎𝟗𝟘𝟡𝟬𝟵', '090909'],
  ['−٣٫٥', '-3.5'],
  ['＋٩٦٦ ٥٠–١٢٣', '+966 50-123'],
  ['abc 一二三 Ⅷ', 'abc 一二三 VIII'],
])('%s', (typed, plain) => {
  expect(plainDigits(typed)).toBe(plain);
});

test('every digit that Unicode has is one of ours', () => {
  const digits: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const text = String.fromCodePoint(point);
    if (/^\p{Nd}$/u.test(text)) digits.push(plainDigits(text));
  }
  expect(digits.length % 10).toBe(0);
  expect(digits.join('')).toBe('0123456789'.repeat(digits.length / 10));
});
