// Places for uploads: an account has its share, and gives it back also where its upload fails.
import { expect, test } from 'bun:test';
import type { HttpReason } from './http-refusals.ts';
import { UploadPlaces } from './upload-places.ts';

const placesMax = 12;

test('one account leaves places for others, and all together have a bound', async () => {
  const noted: [HttpReason, string][] = [];
  const places = new UploadPlaces({
    refusals: { note: (reason, who) => void noted.push([reason, who]) },
    placesMax,
  });
  const open = Promise.withResolvers<void>();
  const start = (account: number) =>
    places
      .run(account, () => open.promise)
      .then(
        () => 'done',
        (error) => error.kind,
      );
  const first = Array.from({ length: placesMax / 2 }, () => start(1));
  expect(await start(1)).toBe('unavailable');
  const others = Array.from({ length: placesMax / 2 }, (_, at) => start(2 + at));
  expect(await start(99)).toBe('unavailable');
  expect(noted).toEqual([
    ['upload_account', 'account 1'],
    ['upload', 'account 99'],
  ]);
  open.resolve();
  expect(new Set(await Promise.all([...first, ...others]))).toEqual(new Set(['done']));
  expect(await start(1)).toBe('done');
});

test('a place is free again where its upload fails', async () => {
  const places = new UploadPlaces({ refusals: { note: () => {} }, placesMax });
  const fail = () => places.run(1, () => Promise.reject(new Error('cut'))).catch(String);
  for (let n = 0; n < 2 * placesMax; n += 1) expect(await fail()).toBe('Error: cut');
});
