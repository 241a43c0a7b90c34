// Places of those who follow events: an account has its share, a manager a part of that, and each gives it back once.
import { expect, test } from 'bun:test';
import { FollowerPlaces } from './follower-places.ts';
import type { HttpReason } from './http-refusals.ts';

test('an account leaves places for others, and a manager leaves some for the account', () => {
  const noted: HttpReason[] = [];
  const refusals = { note: (reason: HttpReason) => void noted.push(reason) };
  const places = new FollowerPlaces({ refusals, placesMax: 8 });
  const take = (account_id: number, manager_id = 0) => places.take({ account_id, manager_id });
  const ofManager = [take(1, 5), take(1, 5)];
  expect(() => take(1, 5)).toThrow('its share');
  const own = [take(1), take(1)];
  expect(() => take(1)).toThrow('its share');
  for (const account of [2, 2, 3, 4]) take(account);
  expect(() => take(9)).toThrow('As many follow');
  expect(noted).toEqual(['follower_account', 'follower_account', 'follower']);
  ofManager[0]?.();
  ofManager[0]?.();
  take(9);
  expect(() => take(9)).toThrow('As many follow');
  for (const leave of [...own, ...ofManager]) leave();
  take(1, 5);
});
