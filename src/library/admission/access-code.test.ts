// Codes and names of a list as people type them.
import { expect, test } from 'bun:test';
import { keyOfListed, readCode } from './access-code.ts';

test.each([
  ['ABCDE-23456', 'ABCDE23456'],
  [' abcde 23456 ', 'ABCDE23456'],
  ['ＡＢＣＤＥ－２３４５６', 'ABCDE23456'],
  ['abcde–٢٣٤٥٦', 'ABCDE23456'],
  ['\u202Aabcde\u2011۲۳۴۵۶\u202C', 'ABCDE23456'],
  ['ABCDE-2345', undefined],
  ['ABCDE-2345!', undefined],
  ['ABCDE-23401', undefined],
])('%j is the code %s', (typed, code) => {
  expect(readCode(typed)).toBe(code);
});

test.each([
  ['138 0000 0000', '13800000000'],
  ['+٩٦٦ (٥٠) ١٢٣', '+96650123'],
  ['１３８－００００', '1380000'],
  ['\u202A+966\u00A050\u2011123\u202C', '+96650123'],
  [' U-42 ', 'u-42'],
  ['u-٤٢', 'u-٤٢'],
])('%j is %s on a list', (typed, listed) => {
  expect(keyOfListed(typed)).toBe(`listed ${listed}`);
});
