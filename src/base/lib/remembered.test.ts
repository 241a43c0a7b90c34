import { expect, test } from 'bun:test';
import { remembered } from './remembered.ts';

test('an answer is made once, and again when others have driven it out', () => {
  const made: string[] = [];
  const twice = remembered(2, (text) => {
    made.push(text);
    return text + text;
  });
  expect([twice('a'), twice('a'), twice('b'), twice('a')]).toEqual(['aa', 'aa', 'bb', 'aa']);
  expect(made).toEqual(['a', 'b']);
  twice('c');
  expect([twice('b'), twice('a')]).toEqual(['bb', 'aa']);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
