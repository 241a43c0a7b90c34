// Captions in another form of a language are better than none.
import { expect, test } from 'bun:test';
import { languageFor } from './language-match.ts';

const of = ['de', 'en-GB', 'en-US', 'zh-Hant'].map((language) => ({ language }));

test.each([
  ['the very same', ['en-US'], 'en-US'],
  ['another form of it', ['zh'], 'zh-Hant'],
  ['the first of several forms', ['en'], 'en-GB'],
  ['the first that is liked and there', ['fr', 'de', 'en'], 'de'],
  ['none', ['fr', 'd'], undefined],
  ['none where nothing is liked', [], undefined],
])('%s', (_, liked, wanted) => {
  expect(languageFor(of, liked)).toBe(wanted as string);
});
