import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DatabaseClock } from './database-clock.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);

/** A node and the database, whose clocks are moved by hand. */
function world({ skewMs = 0 } = {}) {
  const time = { monotonic: 1_000, database: noon };
  const pass = (ms: number) => {
    time.monotonic += ms;
    time.database += ms;
  };
  const clock = new DatabaseClock({
    startsAt: noon + skewMs,
    monotonicMs: () => time.monotonic,
  });
  /** Asks the database, whose answer takes so long, and says how long of that the way there was. */
  const ask = (takesMs: number, there = 0.5) => {
    const askedMs = time.monotonic;
    pass(takesMs * there);
    const databaseAt = Math.floor(time.database);
    pass(takesMs * (1 - there));
    return { askedMs, answeredMs: time.monotonic, databaseAt };
  };
  return { clock, time, pass, ask };
}

test('a clock that has heard of no database goes on by itself', () => {
  const { clock, pass } = world();
  expect(clock.now()).toBe(noon);
  pass(1_234.5);
  expect(clock.now()).toBe(noon + 1_234);
  expect(clock.aheadMs).toBe(0);
});

test('the first answer is gone by at once, however wrong the machine was', () => {
  const { clock, time, ask } = world({ skewMs: 5_000 });
  clock.begin(ask(4), 0);
  expect(Math.abs(clock.now() - time.database)).toBeLessThan(3);
});

test('who comes among nodes that are ahead of the database goes by their time, and comes back with them', () => {
  const { clock, time, pass, ask } = world();
  clock.begin(ask(2), 3_000);
  expect(Math.abs(clock.now() - time.database - 3_000)).toBeLessThan(3);
  expect(clock.aheadMs).toBeGreaterThan(2_990);
  for (let i = 0; i < 310; i += 1) {
    pass(1_000);
    clock.heard(ask(2));
  }
  expect(Math.abs(clock.now() - time.database)).toBeLessThan(4);
});

test('one slow answer among quick ones is not believed', () => {
  const { clock, time, pass, ask } = world();
  clock.begin(ask(2), 0);
  for (let i = 0; i < 5; i += 1) {
    pass(1_000);
    clock.heard(ask(i === 2 ? 900 : 2, 0.01));
  }
  expect(Math.abs(clock.now() - time.database)).toBeLessThan(4);
});

test('it never goes back, nor much faster than time, whatever the database says', () => {
  const steps = fc.array(
    fc.record({
      passMs: fc.integer({ min: 0, max: 5_000 }),
      stepMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: -100, max: 100 }),
        fc.integer({ min: -4_000_000, max: 4_000_000 }),
      ),
      takesMs: fc.integer({ min: 0, max: 3_000 }),
      there: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const { clock, time, pass, ask } = world();
      clock.begin(ask(2), 0);
      let last = { shown: clock.now(), at: time.monotonic };
      for (const { passMs, stepMs, takesMs, there } of all) {
        pass(passMs);
        time.database += stepMs;
        clock.heard(ask(takesMs, there));
        const passed = time.monotonic - last.at;
        const shown = clock.now();
        expect(shown).toBeGreaterThanOrEqual(last.shown);
        expect(Math.abs(shown - last.shown - passed)).toBeLessThanOrEqual(passed * 0.01 + 2);
        last = { shown, at: time.monotonic };
      }
    }),
  );
});

test('two nodes stay together while the database steps', () => {
  const { time, pass, ask, clock } = world();
  const other = new DatabaseClock({ startsAt: 0, monotonicMs: () => time.monotonic + 77_777 });
  const heard = () => {
    const sample = ask(2);
    clock.heard(sample);
    const { askedMs, answeredMs, databaseAt } = sample;
    other.heard({ askedMs: askedMs + 77_777, answeredMs: answeredMs + 77_777, databaseAt });
  };
  clock.begin(ask(2), 0);
  const first = ask(2);
  const shifted = { askedMs: first.askedMs + 77_777, answeredMs: first.answeredMs + 77_777 };
  other.begin({ ...shifted, databaseAt: first.databaseAt }, clock.aheadMs);
  for (const stepMs of [0, 60_000, 0, -3_600_000, 0, 5_000]) {
    time.database += stepMs;
    for (let i = 0; i < 20; i += 1) {
      pass(1_000);
      heard();
      expect(Math.abs(clock.now() - other.now())).toBeLessThan(5);
    }
  }
});
