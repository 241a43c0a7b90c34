import { expect, test } from 'bun:test';
import { Share } from './share.ts';

test('one network has half of the places, the next half of what is left', () => {
  const share = new Share({ placesMax: 100 });
  expect(fill(share, 'a')).toEqual({ taken: 50, refusal: 'share' });
  expect(fill(share, 'b')).toEqual({ taken: 25, refusal: 'share' });
  expect(fill(share, 'c')).toEqual({ taken: 13, refusal: 'share' });
  expect(share.refusal('newcomer')).toBeUndefined();
});

test('what one leaves, others may have', () => {
  const share = new Share({ placesMax: 10 });
  fill(share, 'a');
  fill(share, 'b');
  expect(share.refusal('b')).toBe('share');
  share.leave('a');
  share.leave('a');
  expect(share.refusal('b')).toBeUndefined();
  expect(share.takenBy('a')).toBe(3);
});

test('an allowed network may have them all, and then there are none', () => {
  const share = new Share({ placesMax: 4, isAllowed: (whose) => whose === 'venue' });
  expect(fill(share, 'venue')).toEqual({ taken: 4, refusal: 'full' });
  expect(share.refusal('other')).toBe('full');
  expect(share.greediest).toBe('venue');
});

test('the last place goes to who has none', () => {
  const share = new Share({ placesMax: 1 });
  expect(fill(share, 'a')).toEqual({ taken: 1, refusal: 'full' });
});

test('a place that nobody had cannot be left', () => {
  expect(() => new Share({ placesMax: 1 }).leave('a')).toThrow('more were removed than there were');
});

/** Takes as many as it may have. */
function fill(share: Share, whose: string) {
  let refusal = share.refusal(whose);
  for (; refusal === undefined; refusal = share.refusal(whose)) share.take(whose);
  return { taken: share.takenBy(whose), refusal };
}
