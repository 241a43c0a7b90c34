// Times as a person reads them who is not where the service is.
import { describe, expect, test } from 'bun:test';
import { lengthText, Times } from './times.ts';

const at = Date.UTC(2026, 4, 1, 11, 30);
const now = Date.UTC(2026, 3, 30, 11, 0);
const times = new Times('en', 'Asia/Shanghai', { locale: 'en-GB', zoneName: 'Europe/Berlin' });

describe('an instant', () => {
  test('is read from the text of the service, in its zone', () => {
    expect(times.instant('2026-05-01 19:30:00')).toBe(at);
    expect(times.text(at)).toBe('2026-05-01 19:30:00');
    expect(times.instant('')).toBeUndefined();
  });

  test('is shown in the zone of the person, and in that of the service beside it', () => {
    expect(times.short(at, now)).toBe('Fri 1 May, 13:30');
    expect(times.inServiceZone(at)).toBe('01/05/2026, 19:30 (Asia/Shanghai)');
    expect(times.there(at)).toEqual({ time: '19:30', zone: 'Asia/Shanghai' });
    expect(times.there(at + 6 * 3_600_000)?.time).toBe('Sat 2 May, 01:30');
  });

  test('is shown once where the two are the same', () => {
    const same = new Times('en', 'Asia/Shanghai', { locale: 'en-GB', zoneName: 'Asia/Shanghai' });
    expect(same.inServiceZone(at)).toBeUndefined();
    expect(same.there(at)).toBeUndefined();
  });

  test('of another year says which', () => {
    expect(times.short(at, Date.UTC(2027, 0, 2))).toContain('2026');
  });

  test('is near or far', () => {
    expect(times.relative(at, now)).toBe('tomorrow');
    expect(times.relative(now, at)).toBe('yesterday');
    expect(times.relative(at + 7_200_000, at)).toBe('in 2 hours');
    expect(times.relative(at, at)).toBe('now');
  });
});

describe('the field of a time', () => {
  test('holds it as the clock of the person shows it, and gives it back', () => {
    expect(times.toField(at)).toBe('2026-05-01T13:30');
    expect(times.fromField('2026-05-01T13:30')).toBe(at);
    expect(times.fromField('2026-05-01T13:30:00')).toBe(at);
  });

  test('that is empty, or names a time that no clock shows, holds none', () => {
    expect(times.fromField('')).toBeUndefined();
    // The clocks go from two to three.
    expect(times.fromField('2026-03-29T02:30')).toBeUndefined();
  });
});

test.each([
  [0, '00:00'],
  [59.9, '00:59'],
  [61, '01:01'],
  [3_723, '1:02:03'],
  [-5, '00:00'],
])('a length of %p seconds is %p', (seconds, text) => {
  expect(lengthText(seconds)).toBe(text);
});
