import { expect, test } from 'bun:test';
import { GrowingBytes } from './growing-bytes.ts';

test('a short length is allocated once', () => {
  const growing = new GrowingBytes(20_000);
  expect(growing.capacity).toBe(20_000);
  expect(growing.append(new Uint8Array(20_000))).toBe(true);
  expect([growing.isFull, growing.capacity]).toEqual([true, 20_000]);
});

test('a long one grows with its bytes, and ends exact', () => {
  const length = 300_000;
  const growing = new GrowingBytes(length);
  const piece = new Uint8Array(30_000);
  for (let count = 1; count <= 10; count += 1) {
    expect(growing.append(piece.fill(count))).toBe(true);
    expect(growing.capacity).toBeLessThanOrEqual(Math.max(65_536, 2 * growing.length));
  }
  expect([growing.isFull, growing.capacity]).toEqual([true, length]);
  expect(growing.bytes.every((byte, at) => byte === 1 + Math.floor(at / 30_000))).toBe(true);
});

test('what does not fit is not taken', () => {
  const growing = new GrowingBytes(4);
  growing.append(Uint8Array.of(1, 2, 3));
  expect(growing.append(Uint8Array.of(4, 5))).toBe(false);
  expect([...growing.bytes]).toEqual([1, 2, 3]);
});
