import { expect, test } from 'bun:test';
import { MemoryPool, PooledBytes } from './pooled-bytes.ts';

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
