// Which user names are the same.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { foldedUserName } from './user-name.ts';

describe('a user name', () => {
  test.each([
    ['Ada@Example.com', 'ada@example.com'],
    ['\uff21\uff24\uff21', 'ada'],
    ['Caf\u00e9', 'cafe\u0301'],
    ['  ada ', 'ada'],
    ['a\u200bd\u200ea', 'ada'],
    ['\u674e\u4f1f', '\u674e\u4f1f'],
  ])('%p is %p', (one, other) => {
    expect(foldedUserName(one)).toBe(foldedUserName(other));
  });

  test.each([
    ['ada', 'adam'],
    ['ada lovelace', 'adalovelace'],
    ['ada.', 'ada'],
  ])('%p is not %p', (one, other) => {
    expect(foldedUserName(one)).not.toBe(foldedUserName(other));
  });

  test('folded again is the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (name) => {
        const folded = foldedUserName(name);
        expect(foldedUserName(folded)).toBe(folded);
      }),
    );
  });
});
