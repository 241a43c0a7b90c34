import { expect, test } from 'bun:test';
import { authorsSignedWith } from './author.ts';

const authorOf = authorsSignedWith('secret');

test('an author is the same in all of a channel, and does not tell the viewer id', () => {
  expect(authorOf(7, 'ada')).toBe(authorOf(7, 'ada'));
  expect(authorOf(7, 'ada')).toMatch(/^[\w-]{10}$/);
  expect(authorOf(7, 'ada')).not.toContain('ada');
});

test('a viewer cannot be matched by it in another channel, by another viewer or without the secret', () => {
  const others = [authorOf(8, 'ada'), authorOf(7, 'bob'), authorsSignedWith('other')(7, 'ada')];
  expect(others).not.toContain(authorOf(7, 'ada'));
  expect(new Set(others).size).toBe(3);
});
