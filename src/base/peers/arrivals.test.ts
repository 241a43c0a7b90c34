import { expect, test } from 'bun:test';
import { Arrivals } from './arrivals.ts';
import { Refusals } from './refusals.ts';

test('a network comes so often at once, then so often a second', () => {
  const { arrivals, clock, refused } = start();
  expect(come(arrivals, 'a', 12)).toBe(10);
  clock.at += 500;
  expect(come(arrivals, 'a', 12)).toBe(5);
  expect(come(arrivals, 'b', 10)).toBe(10);
  expect(refused()).toEqual({ connects: 9 });
});

test('of a crowd of networks a new one still comes in, a few times', () => {
  const { arrivals, clock, refused } = start();
  const crowd = Array.from({ length: 8 }, (_, at) => `of the crowd ${at}`);
  for (const network of crowd) come(arrivals, network, 8);
  // Forty were for all; then each of the others had its four.
  expect(refused()).toEqual({ crowd: 3 * 4 });
  expect(come(arrivals, 'honest', 1)).toBe(1);
  clock.at += 25;
  // One place more for all, whoever is first; those that were before the crowd have their four left.
  expect(crowd.map((network) => come(arrivals, network, 1))).toEqual([1, 1, 1, 1, 1, 0, 0, 0]);
});

test('a network that is allowed more comes as often as it likes', () => {
  const { arrivals, refused } = start();
  expect(come(arrivals, 'allowed', 1_000)).toBe(1_000);
  expect(refused()).toEqual({});
});

test('who comes too often is told of before it is turned away: the system can make it wait', () => {
  const { arrivals, told, refused } = start();
  expect(come(arrivals, 'a', 8)).toBe(8);
  expect(told).toEqual([]);
  expect(come(arrivals, 'a', 2)).toBe(2);
  expect(told).toEqual(['a almost', 'a almost']);
  expect(refused()).toEqual({});
  expect(come(arrivals, 'a', 1)).toBe(0);
  expect(told.slice(2)).toEqual(['a too often']);
  expect(refused()).toEqual({ connects: 1 });
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
    limits: {
      networkArrivals: { atOnce: 10, everyMs: 100 },
      arrivals: { atOnce: 40, everyMs: 25 },
      crowdArrivals: { atOnce: 4, everyMs: 1_000 },
      turnArrivalsMax: 500,
    },
    isAllowed: (network) => network === 'allowed',
    refusals: refusals.book('rtmp', { connects: '', crowd: '' }),
    monotonicMs: () => clock.at,
    onOften: (network) => told.push(`${network} too often`),
    onLast: (network) => told.push(`${network} almost`),
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
