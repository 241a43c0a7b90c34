import { expect, test } from 'bun:test';
import { Refusals } from '../peers/refusals.ts';
import { Arrivals } from './arrivals.ts';
import { arrivalRates, rtmpLimits } from './limits.ts';
import { rtmpRefusals } from './refusals.ts';

test('a network comes so often at once, then so often a second', () => {
  const { arrivals, clock, refused } = start();
  expect(come(arrivals, 'a', 60)).toBe(50);
  clock.at += 1_000;
  expect(come(arrivals, 'a', 60)).toBe(10);
  expect(come(arrivals, 'b', 10)).toBe(10);
  expect(refused()).toEqual({ connects: 60 });
});

test('of a crowd of networks a new one still comes in, a few times', () => {
  const { arrivals, clock, refused } = start();
  const crowd = Array.from({ length: 10 }, (_, at) => `of the crowd ${at}`);
  for (const network of crowd) come(arrivals, network, 20);
  // A hundred were for all; then each of the others had its four.
  expect(refused()).toEqual({ crowd: 5 * 16 });
  expect(come(arrivals, 'honest', 1)).toBe(1);
  clock.at += 10;
  // One place more for all, whoever is first.
  expect(crowd.map((network) => come(arrivals, network, 1))).toEqual([
    ...[1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
  ]);
});

test('a network that is allowed more comes as often as it likes', () => {
  const { arrivals, refused } = start();
  expect(come(arrivals, 'allowed', 1_000)).toBe(1_000);
  expect(refused()).toEqual({});
});

test('who is turned away is told of', () => {
  const { arrivals, told } = start();
  come(arrivals, 'a', 52);
  expect(told).toEqual(['a', 'a']);
});

test('a turn that is full is told of once, and the next one anew', async () => {
  const { arrivals, told } = start();
  for (const turn of [1, 2]) {
    expect(come(arrivals, 'allowed', 1_000)).toBe(1_000);
    expect(told).toHaveLength(turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
});

function start() {
  const clock = { at: 0 };
  const told: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error() {}, request() {}, flush() {} };
  const refusals = new Refusals({ now: () => 0, log });
  const arrivals = new Arrivals({
    limits: { ...rtmpLimits, ...arrivalRates(10) },
    isAllowed: (network) => network === 'allowed',
    refusals: refusals.book('rtmp', rtmpRefusals),
    monotonicMs: () => clock.at,
    onRefused: (network) => told.push(network),
    onTurnFull: () => told.push('the turn is full'),
  });
  const refused = () =>
    Object.fromEntries(
      Object.entries(refusals.counts.get('rtmp') ?? {}).filter(([, count]) => count > 0),
    );
  return { arrivals, clock, told, refused };
}

/** How many of so many were let in. */
function come(arrivals: Arrivals, network: string, times: number): number {
  return Array.from({ length: times }, () => arrivals.take(network)).filter(Boolean).length;
}
