// What holds of a viewer's sums whatever pages, networks and the machine do, judged by counting seconds.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { onlineTicks, tickMs, ticks, watchedTicks } from '../../../test/support/audience-judge.ts';
import { AudienceWorld, type Step } from '../../../test/support/audience-world.ts';

test.each([
  ['forward', [0, 5, 60, 300]],
  ['back', [-1, -5, -60, -3_600]],
  ['either way', [-300, -60, -5, 5, 60, 300]],
])(
  'sums are exactly the seconds that count, after a crash those that were written, with the clock set %s',
  (_, jumps) => {
    fc.assert(
      fc.property(fc.boolean(), stepsWith(jumps), (isLive, steps) => {
        for (const { gotMs, countedMs } of judged(isLive, steps)) expect(gotMs).toBe(countedMs);
      }),
      { numRuns: 400 },
    );
  },
  60_000,
);

/** `jumps`: how many seconds the clock may be set by in a crash. */
function stepsWith(jumps: readonly number[]): fc.Arbitrary<Step[]> {
  const step: fc.Arbitrary<Step> = fc.record({
    // Often near a bound: a beat, a report, a silence, what a visitor remembers, what the channel remembers.
    waitTicks: fc.oneof(
      { weight: 3, arbitrary: fc.nat(ticks(12)) },
      { weight: 1, arbitrary: fc.constantFrom(...[10, 15, 30, 45, 60].map(ticks)) },
      { weight: 1, arbitrary: fc.constantFrom(...[11, 16, 31, 46, 61, 121].map(ticks)) },
    ),
    page: fc.nat(4),
    action: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('report', 'all report', 'all watch a minute') },
      { weight: 3, arbitrary: fc.constantFrom('message', 'close', 'fall silent', 'enter') },
      { weight: 2, arbitrary: fc.constantFrom('resume', 'all resume', 'crowd out') },
      { weight: 2, arbitrary: fc.constantFrom('go live', 'go live', 'end') },
      { weight: 1, arbitrary: fc.constantFrom('clock goes back', 'forget viewer') },
      {
        weight: 2,
        arbitrary: fc.constantFrom('flush', 'flush', 'flush again', 'crash'),
      },
    ),
    played: fc.oneof(
      { weight: 1, arbitrary: fc.constant('all') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'half',
          'tenfold',
          'endless',
          'none',
          'negative',
          'NaN',
          'replay',
        ),
      },
    ),
    clockTicks: fc.constantFrom(...jumps.map(ticks)),
  });
  return fc.array(step, { maxLength: 80, size: 'max' });
}

/** Every sum at the end: what the code has come to, and what the judge counts. */
function judged(isLive: boolean, steps: readonly Step[]): { gotMs: number; countedMs: number }[] {
  const world = new AudienceWorld(isLive);
  for (const one of steps) world.play(one);
  const sessions = world.pages.flatMap(({ sums, told }) => [
    { gotMs: sums.online_ms, countedMs: onlineTicks(told).size * tickMs },
    { gotMs: sums.watch_ms, countedMs: watchedTicks(told, world.air).size * tickMs },
  ]);
  const visitors = world.viewers.map((viewer) => ({
    gotMs: world.time(viewer).watch_ms,
    countedMs: world.coveredTicks(viewer).size * tickMs,
  }));
  return [...sessions, ...visitors];
}
