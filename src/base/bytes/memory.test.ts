import { expect, test } from 'bun:test';
import { GrowingBytes, keep, MemoryPool, PooledBytes } from './memory.ts';

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
  expect(keep(growing.bytes).every((byte, at) => byte === 1 + Math.floor(at / 30_000))).toBe(true);
});

test('what does not fit is not taken', () => {
  const growing = new GrowingBytes(4);
  growing.append(Uint8Array.of(1, 2, 3));
  expect(growing.append(Uint8Array.of(4, 5))).toBe(false);
  expect([...keep(growing.bytes)]).toEqual([1, 2, 3]);
});

test('it can begin again in the same memory, for another length', () => {
  const growing = new GrowingBytes(100_000);
  growing.append(new Uint8Array(100_000).fill(1));
  growing.restart(5);
  expect([growing.length, growing.capacity]).toEqual([0, 100_000]);
  expect(growing.append(Uint8Array.of(7, 8, 9))).toBe(true);
  expect(growing.append(Uint8Array.of(1, 2, 3))).toBe(false);
  expect(growing.isFull).toBe(false);
  growing.append(Uint8Array.of(4, 5));
  expect([growing.isFull, ...keep(growing.bytes)]).toEqual([true, 7, 8, 9, 4, 5]);
});

test('what is dropped from its front makes room at its end, and the rest stays', () => {
  const growing = new GrowingBytes(6);
  growing.append(Uint8Array.of(1, 2, 3, 4, 5));
  growing.drop(3);
  expect(growing.append(Uint8Array.of(6, 7, 8, 9))).toBe(true);
  expect([growing.isFull, ...keep(growing.bytes)]).toEqual([true, 4, 5, 6, 7, 8, 9]);
});

test('memory that was needed once is given back while some is still in it', () => {
  const growing = new GrowingBytes(Infinity);
  growing.append(new Uint8Array(1_000_000));
  growing.drop(999_990);
  growing.append(Uint8Array.of(1, 2, 3));
  growing.drop(10);
  expect([growing.capacity, ...keep(growing.bytes)]).toEqual([500_000, 1, 2, 3]);
});

test('what it has outgrown goes back at once, and all of it when it is freed', () => {
  const growing = new GrowingBytes(Infinity);
  growing.append(Uint8Array.of(1, 2, 3));
  const outgrown = growing.bytes;
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
    growing.restart(Infinity);
    growing.append(new Uint8Array(100));
    seen.push(growing.capacity);
  }
  expect(seen).toEqual([1_000_000, 500_000, 250_000, 125_000, 62_500, 62_500]);
});

function counted(length: number, first: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (first + at) % 251);
}

test('what was appended is copied out again, across pieces too', () => {
  const bytes = new PooledBytes(new MemoryPool());
  const whole = counted(200_000, 0);
  for (const [from, to] of [
    [0, 1],
    [1, 40_000],
    [40_000, 65_536],
    [65_536, 65_536],
    [65_536, 200_000],
  ] as const)
    bytes.append(whole.subarray(from, to));
  expect(bytes.length).toBe(200_000);
  for (const [from, to] of [
    [0, 200_000],
    [0, 0],
    [32_768, 65_536],
    [32_767, 32_769],
    [199_999, 200_000],
  ] as const)
    expect(bytes.copy(from, to)).toEqual(whole.slice(from, to));
});

test('a copy stays what it was when the memory is used again', () => {
  const pool = new MemoryPool();
  const one = new PooledBytes(pool);
  one.append(counted(50_000, 3));
  const copy = one.copy(10, 40_000);
  one.clear();
  expect(one.length).toBe(0);
  const other = new PooledBytes(pool);
  other.append(new Uint8Array(100_000).fill(255));
  expect(copy).toEqual(counted(50_000, 3).slice(10, 40_000));
});

test('memory that was cleared serves the next, up to a bound', () => {
  const pool = new MemoryPool();
  const piece = pool.take();
  pool.give([piece]);
  expect(pool.take()).toBe(piece);
  pool.give(Array.from({ length: 1_000 }, () => new Uint8Array(1)));
  for (let count = 0; count < 256; count += 1) expect(pool.take().length).toBe(1);
  expect(pool.take().length).toBeGreaterThan(1);
});

test('memory beyond the bound goes back at once, what serves the next does not', () => {
  const pieces = Array.from({ length: 257 }, () => new Uint8Array(1));
  new MemoryPool().give(pieces);
  expect(pieces.filter(({ length }) => length === 0)).toEqual(pieces.slice(256));
});
