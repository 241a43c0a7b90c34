import { expect, test } from 'bun:test';
import { NetworkShare } from './network-share.ts';

test('one network has half of the places, the next half of what is left', () => {
  const share = new NetworkShare({ placesMax: 100 });
  expect(fill(share, 'a')).toEqual({ taken: 50, refusal: 'network' });
  expect(fill(share, 'b')).toEqual({ taken: 25, refusal: 'network' });
  expect(fill(share, 'c')).toEqual({ taken: 13, refusal: 'network' });
  expect(share.refusal('newcomer')).toBeUndefined();
});

test('what a network leaves, others may have', () => {
  const share = new NetworkShare({ placesMax: 10 });
  fill(share, 'a');
  fill(share, 'b');
  expect(share.refusal('b')).toBe('network');
  share.leave('a');
  share.leave('a');
  expect(share.refusal('b')).toBeUndefined();
  expect(share.takenBy('a')).toBe(3);
});

test('an allowed network may have them all, and then there are none', () => {
  const share = new NetworkShare({ placesMax: 4, isAllowed: (network) => network === 'venue' });
  expect(fill(share, 'venue')).toEqual({ taken: 4, refusal: 'full' });
  expect(share.refusal('other')).toBe('full');
  expect(share.greediest).toBe('venue');
});

test('the last place goes to who has none', () => {
  const share = new NetworkShare({ placesMax: 1 });
  expect(fill(share, 'a')).toEqual({ taken: 1, refusal: 'full' });
});

test('a place that nobody had cannot be left', () => {
  expect(() => new NetworkShare({ placesMax: 1 }).leave('a')).toThrow('nobody had');
});

/** Takes as many as the network may have. */
function fill(share: NetworkShare, network: string) {
  let refusal = share.refusal(network);
  for (; refusal === undefined; refusal = share.refusal(network)) share.take(network);
  return { taken: share.takenBy(network), refusal };
}
