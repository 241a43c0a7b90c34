import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { duration, durationMs, Zone } from './time.ts';

const zones = [
  'UTC',
  'Asia/Shanghai',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  'Pacific/Apia',
];

describe('Zone', () => {
  test('shows and reads a time in its zone', () => {
    const berlin = new Zone('Europe/Berlin');
    const at = Date.UTC(2026, 6, 1, 10, 20, 30);
    expect(berlin.dateTime(at)).toBe('2026-07-01 12:20:30');
    expect(berlin.dateMinute(at)).toBe('2026-07-01 12:20');
    expect(berlin.date(at)).toBe('2026-07-01');
    expect(berlin.instant('2026-07-01 12:20:30')).toBe(at);
  });

  test('a time that the change to summer skips does not exist', () => {
    const berlin = new Zone('Europe/Berlin');
    expect(berlin.instant('2026-03-29 02:30:00')).toBeUndefined();
    expect(berlin.instant('2026-03-29 03:00:00')).toBe(Date.UTC(2026, 2, 29, 1, 0, 0));
  });

  test('a time that occurs twice is the earlier or the later as asked', () => {
    const berlin = new Zone('Europe/Berlin');
    expect(berlin.instant('2026-10-25 02:30:00', 'earlier')).toBe(Date.UTC(2026, 9, 25, 0, 30, 0));
    expect(berlin.instant('2026-10-25 02:30:00', 'later')).toBe(Date.UTC(2026, 9, 25, 1, 30, 0));
  });

  test.each([
    ['Europe/Berlin', Date.UTC(2026, 2, 29, 0, 30), Date.UTC(2026, 2, 29, 22, 0)],
    ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 23, 0)],
    ['America/Sao_Paulo', Date.UTC(2018, 10, 4, 1, 0), Date.UTC(2018, 10, 4, 3, 0)],
    ['Pacific/Apia', Date.UTC(2011, 11, 30, 9, 0), Date.UTC(2011, 11, 30, 10, 0)],
  ])('in %s the next day starts where the date changes', (name, at, next) => {
    const zone = new Zone(name);
    expect(zone.nextDay(at)).toBe(next);
    expect(zone.date(next)).not.toBe(zone.date(next - 1));
  });

  test.each([
    '2026-02-29 10:00:00',
    '2026-13-01 00:00:00',
    '2026-01-01 24:00:00',
    '2026-01-01 10:60:00',
    '2026-01-01T10:00:00',
    '26-01-01 10:00:00',
    ' 2026-01-01 10:00:00',
    '2026-01-01 10:00',
    '0000-01-01 00:00:00',
    '',
  ])('%j is no time', (text) => {
    expect(new Zone('UTC').instant(text)).toBeUndefined();
  });

  test('every string is refused or reads back as it was written, in every zone', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
    const written = fc
      .tuple(
        fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0')),
        two(13),
        two(32),
        two(24),
        two(60),
        two(60),
      )
      .map(([y, m, d, h, i, s]) => `${y}-${m}-${d} ${h}:${i}:${s}`);
    for (const name of zones) {
      const zone = new Zone(name);
      fc.assert(
        fc.property(
          written,
          fc.constantFrom<'earlier' | 'later'>('earlier', 'later'),
          (text, side) => {
            const at = zone.instant(text, side);
            if (at !== undefined) expect(zone.dateTime(at)).toBe(text);
          },
        ),
        { numRuns: 300 },
      );
    }
  });

  test('every instant that is shown is read back to its second', () => {
    for (const name of zones) {
      const zone = new Zone(name);
      fc.assert(
        fc.property(
          fc.integer({ min: Date.UTC(1, 1, 2) - 62e12, max: Date.UTC(9999, 11, 1) }),
          (at) => {
            if (at < Date.parse('0001-01-03T00:00:00Z')) return;
            const text = zone.dateTime(at);
            const second = Math.floor(at / 1000) * 1000;
            expect([zone.instant(text, 'earlier'), zone.instant(text, 'later')]).toContain(second);
          },
        ),
        { numRuns: 300 },
      );
    }
  });

  test('a name that is no zone is refused', () => {
    expect(() => new Zone('Mars/Olympus')).toThrow(RangeError);
  });
});

test('durations are whole seconds and their hours may pass 24', () => {
  expect(duration(0)).toBe('00:00:00');
  expect(duration(59_999)).toBe('00:00:59');
  expect(duration(100 * 3_600_000 + 61_000)).toBe('100:01:01');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_000_000_000 }), (ms) => {
      expect(durationMs(duration(ms))).toBe(Math.floor(ms / 1000) * 1000);
    }),
  );
});
