// What is kept for later: copies, bounded for one and for all.
import { expect, test } from 'bun:test';
import { Backlog, BytesInAll } from './backlog.ts';

test('what was kept comes back in its order, though the bytes themselves are gone', () => {
  const backlog = new Backlog({ bytesMax: 4, inAll: new BytesInAll(1) });
  const bytes = Uint8Array.of(1, 2);
  expect(backlog.append(bytes)).toBe(true);
  bytes.fill(0);
  expect(backlog.append(Uint8Array.of(3, 4))).toBe(true);
  expect(backlog.append(Uint8Array.of(5))).toBe(false);
  expect([...backlog.take()]).toEqual([1, 2, 3, 4]);
  expect(backlog.take()).toHaveLength(0);
});

test('all keep so much, and a little is always kept', () => {
  const inAll = new BytesInAll(10_000);
  const [first, second] = [0, 1].map(() => new Backlog({ bytesMax: 20_000, inAll }));
  first?.append(new Uint8Array(8_000));
  expect(first?.count(1_000)).toBe(true);
  second?.append(new Uint8Array(3_000));
  expect(second?.count(0)).toBe(true);
  expect(second?.count(2_000)).toBe(false);
  first?.clear();
  expect([second?.count(2_000), inAll.bytes]).toEqual([true, 5_000]);
});
