// What a page that was away takes out of its log, and the colours of names.
import { describe, expect, test } from 'bun:test';
import { goneIds, hueOf } from './chat-log.ts';

const messages = (...ids: number[]) => ids.map((id) => ({ id }));

describe('messages that were removed while the page was away', () => {
  test.each([
    ['nothing was removed', [1, 2, 3], messages(2, 3, 4), []],
    ['one in the middle was', [1, 2, 3, 4], messages(2, 4), [3]],
    ['older ones than the newest are left alone', [1, 2, 7], messages(8, 9), []],
    ['all of them were', [1, 2], [], [1, 2]],
    ['nothing was shown', [], messages(1), []],
  ])('%s', (_, shown, newest, gone) => {
    expect(goneIds(shown, newest)).toEqual(gone);
  });
});

describe('the colour of a name', () => {
  test('stays the same and is one of eight', () => {
    const authors = Array.from({ length: 500 }, (_, at) => `author-${at}`);
    for (const author of authors) {
      expect(hueOf(author)).toBe(hueOf(author));
      expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(hueOf(author));
    }
  });

  test('differs between people', () => {
    const authors = Array.from({ length: 80 }, (_, at) => `author-${at}`);
    expect(new Set(authors.map(hueOf)).size).toBe(8);
  });
});
