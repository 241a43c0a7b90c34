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

test('it can begin again in the same memory, for another length', () => {
  const growing = new GrowingBytes(100_000);
  growing.append(new Uint8Array(100_000).fill(1));
  growing.restart(5);
  expect([growing.length, growing.capacity]).toEqual([0, 100_000]);
  expect(growing.append(Uint8Array.of(7, 8, 9))).toBe(true);
  expect(growing.append(Uint8Array.of(1, 2, 3))).toBe(false);
  expect([...growing.last(2)]).toEqual([8, 9]);
  expect(growing.isFull).toBe(false);
  growing.append(Uint8Array.of(4, 5));
  expect([growing.isFull, ...growing.bytes]).toEqual([true, 7, 8, 9, 4, 5]);
});

test('what it gave stays whole when it grows, where views are kept', () => {
  const growing = new GrowingBytes(Infinity, { areViewsKept: true });
  growing.append(Uint8Array.of(1, 2, 3));
  const before = growing.last(2);
  growing.append(new Uint8Array(70_000));
  expect([...before]).toEqual([2, 3]);
});

test('what it has outgrown goes back at once, and all of it when it is freed', () => {
  const growing = new GrowingBytes(Infinity);
  growing.append(Uint8Array.of(1, 2, 3));
  const outgrown = growing.last(2);
  growing.append(new Uint8Array(70_000));
  expect(outgrown).toHaveLength(0);
  const { bytes } = growing;
  expect(bytes).toHaveLength(70_003);
  growing.free();
  expect([bytes.length, growing.length, growing.capacity]).toEqual([0, 0, 0]);
});

test('memory that was needed once is given back little by little', () => {
  const growing = new GrowingBytes(Infinity);
  growing.append(new Uint8Array(1_000_000));
  const seen: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    growing.restart();
    growing.append(new Uint8Array(100));
    seen.push(growing.capacity);
  }
  expect(seen).toEqual([1_000_000, 500_000, 250_000, 125_000, 62_500, 62_500]);
});
