import { expect, test } from 'bun:test';
import { KeptTexts } from './kept-texts.ts';

/** A text that counts as ten bytes. */
const ten = () => ({ text: 'x'.repeat(6), gzip: new Uint8Array(4) });

const held = (texts: KeptTexts<ReturnType<typeof ten>>, names: string) =>
  [...names].filter((name) => texts.get(name)).join('');

test('texts are kept up to the bound, the longest unused leaving first', () => {
  const texts = new KeptTexts(30);
  for (const name of 'abc') texts.set(name, ten());
  texts.get('a');
  texts.set('d', ten());
  expect(held(texts, 'abcd')).toBe('acd');
});

test('a text that is made twice counts once', () => {
  const texts = new KeptTexts(30);
  for (let n = 0; n < 100; n++) texts.set('a', ten());
  for (const name of 'bc') texts.set(name, ten());
  expect(held(texts, 'abc')).toBe('abc');
});

test('one larger than the bound is not kept, and drives nothing into ruin', () => {
  const texts = new KeptTexts(30);
  texts.set('big', { text: 'x'.repeat(1_000), gzip: new Uint8Array(10) });
  expect(texts.get('big')).toBeUndefined();
  for (const name of 'abc') texts.set(name, ten());
  expect(held(texts, 'abc')).toBe('abc');
});
