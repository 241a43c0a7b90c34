import { expect, test } from 'bun:test';
import { hashToken, looksLikeToken, makeToken } from './token.ts';

test('a token has a prefix, 256 bits and a checksum, and no two are alike', () => {
  const tokens = Array.from({ length: 1_000 }, makeToken);
  expect(new Set(tokens).size).toBe(1_000);
  for (const token of tokens) {
    expect(token).toMatch(/^footlight_[0-9A-Za-z]{49}$/);
    expect(looksLikeToken(token)).toBe(true);
  }
});

test('a mistyped token is known for one without the database', () => {
  const token = makeToken();
  for (let at = 0; at < token.length; at++) {
    const typed = token[at] === 'x' ? 'y' : 'x';
    expect(looksLikeToken(token.slice(0, at) + typed + token.slice(at + 1))).toBe(false);
  }
  expect(looksLikeToken(token.slice(1))).toBe(false);
  expect(looksLikeToken(`${token}0`)).toBe(false);
});

test('what is kept of a token does not hold it', () => {
  const token = makeToken();
  expect(hashToken(token)).toHaveLength(43);
  expect(hashToken(token)).toBe(hashToken(token));
  expect(token).not.toContain(hashToken(token));
});
