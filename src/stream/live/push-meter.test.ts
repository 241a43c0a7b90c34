// What one push may do, by a clock of the test's own: honest encoders go on, others are cut with a counted reason.
import { describe, expect, test } from 'bun:test';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { pushBounds, pushRates } from './push-limits.ts';
import { boundlessMemory, PushesMemory } from './push-memory.ts';
import { PushCut, PushMeters } from './push-meter.ts';
import { pushRefusals } from './push-refusals.ts';

function start({ kbpsMax = 8_000, speedMax = 1, bounds = boundlessMemory } = {}) {
  const clock = { ms: 0 };
  const refusals = new Refusals({ now: () => 0, log: startLog('silent') });
  const memory = new PushesMemory(bounds);
  const meters = new PushMeters({
    rates: pushRates({ ...pushBounds, kbpsMax, speedMax }),
    memory,
    monotonicMs: () => clock.ms,
    refusals: refusals.book('push', pushRefusals),
  });
  const open = () => meters.open({ id: 7, account_id: 3 });
  const counted = () =>
    Object.fromEntries(
      Object.entries(refusals.counts.get('push') ?? {}).filter(([, count]) => count > 0),
    );
  return { clock, meter: open(), memory, open, counted, refusals };
}

/** How often it could be done; it ends with the first refusal. */
function times(most: number, work: () => void): number {
  for (let done = 0; done < most; done++) {
    try {
      work();
    } catch (error) {
      if (error instanceof PushCut) return done;
      throw error;
    }
  }
  return most;
}

test('an encoder at 60 pictures a second for an hour is not cut', () => {
  const { clock, meter, counted } = start();
  for (let ms = 0; ms < 3_600_000; ms += 20) {
    clock.ms = ms;
    meter.arrived(19_000);
    meter.packet();
    meter.packet();
    if (ms % 1_800 === 0) meter.segment(ms);
    if (ms % 4_000 === 0) meter.changed();
  }
  expect(counted()).toEqual({});
});

test('ten seconds that were held up may come at once, again and again', () => {
  const { clock, meter, counted } = start();
  for (let at = 0; at < 60; at++) {
    clock.ms += 10_000;
    for (let n = 0; n < 2_000; n++) {
      meter.arrived(5_000);
      meter.packet();
    }
    for (let n = 0; n < 5; n++) meter.segment(at * 10_000 + n * 2_000);
  }
  expect(counted()).toEqual({});
});

describe('is cut', () => {
  test('for a bit rate beyond its own', () => {
    const { clock, meter, counted } = start({ kbpsMax: 8_000 });
    const seconds = times(1_000, () => {
      clock.ms += 1_000;
      meter.arrived(2_000_000);
    });
    // Each second brings one megabyte too many, and ten are had at once.
    expect(seconds).toBe(9);
    expect(counted()).toEqual({ rate: 1 });
  });

  test('for more packets than any encoder makes', () => {
    const { clock, meter, counted } = start();
    meter.arrived(1);
    expect(times(20_000, () => meter.packet())).toBe(4_000);
    expect(counted()).toEqual({ packets: 1 });
    clock.ms += 2_000;
    meter.arrived(1);
    expect(times(20_000, () => meter.packet())).toBe(999);
  });

  test('for parameters that change too often', () => {
    const { meter, counted } = start();
    expect(times(100, () => meter.changed())).toBe(20);
    expect(counted()).toEqual({ changes: 1 });
  });

  test('for too many segments, with the packet after them', () => {
    const { meter, counted } = start();
    const packets = times(1_000, () => {
      meter.packet();
      meter.segment(0);
    });
    expect(packets).toBe(121);
    expect(counted()).toEqual({ segments: 1 });
  });

  test('for media faster than it plays, which a trial may send where it says so', () => {
    for (const [speedMax, cut] of [
      [1, true],
      [6, false],
    ] as const) {
      const { clock, meter, counted } = start({ speedMax });
      const sent = times(200, () => {
        clock.ms += 500;
        meter.arrived(1_000);
        meter.packet();
        meter.segment(6 * clock.ms);
      });
      expect(sent < 200).toBe(cut);
      expect(counted()).toEqual(cut ? { speed: 1 } : {});
    }
  });

  test('for the memory that it holds', () => {
    const { meter, counted, refusals } = start({ bounds: { ...boundlessMemory, pushBytes: 10 } });
    meter.memory.holder().set(11);
    expect(() => meter.packet()).toThrow(pushRefusals.memory);
    expect(counted()).toEqual({ memory: 1 });
    expect(refusals.recent()[0]?.who).toBe('channel 7');
  });
});

test('who was cut is let in again when half of its allowance is whole, whatever else it tries', () => {
  const { clock, meter, counted } = start();
  times(100, () => meter.changed());
  expect(() => meter.goOn()).toThrow(pushRefusals.changes);
  clock.ms += 4_000 + 10 * 4_000 - 1;
  expect(() => meter.goOn()).toThrow(pushRefusals.changes);
  clock.ms += 1;
  meter.goOn();
  expect(counted()).toEqual({ changes: 3 });
});

test('an encoder beyond its bit rate that tries again every second stays off for some', () => {
  const { clock, meter, counted } = start({ kbpsMax: 8_000 });
  times(1_000, () => {
    clock.ms += 1_000;
    meter.arrived(1_500_000);
  });
  const refused = times(1_000, () => {
    clock.ms += 1_000;
    if (times(1, () => meter.goOn()) === 1) throw new PushCut('rate');
  });
  expect(refused).toBeGreaterThanOrEqual(4);
  expect(refused).toBeLessThan(7);
  expect(counted()).toEqual({ rate: 1 + refused });
});

test('who was not cut goes on at once, however much of it is spent', () => {
  const { meter } = start();
  times(20, () => meter.changed());
  meter.goOn();
});

test('a push for which there is no memory does not begin', () => {
  const { meter, open, counted, refusals } = start({
    bounds: { ...boundlessMemory, accountBytes: 10 },
  });
  meter.memory.holder().set(11);
  expect(open).toThrow(pushRefusals.account_memory);
  expect(counted()).toEqual({ account_memory: 1 });
  expect(refusals.recent()[0]?.who).toBe('account 3');
});
