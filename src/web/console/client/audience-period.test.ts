// The period of visits: in the address, and as the interface is asked for it.
import { describe, expect, test } from 'bun:test';
import { type AudiencePeriod, periodTimes, readPeriod, writePeriod } from './audience-period.ts';
import { readAudiencePlace, writeAudiencePlace } from './audience-place.ts';
import { Times } from './times.ts';

/** The service in Shanghai, the person in Berlin, where 29 March 2026 has 23 hours. */
const times = new Times('en', 'Asia/Shanghai', { locale: 'en-GB', zoneName: 'Europe/Berlin' });
const now = Date.parse('2026-03-30T12:00:00+02:00');

test.each<[string, AudiencePeriod]>([
  ['', { kind: 'all' }],
  ['period=nonsense', { kind: 'all' }],
  ['from=yesterday', { kind: 'all' }],
  ['period=today', { kind: 'today' }],
  ['period=7d', { kind: '7d' }],
  ['period=between', { kind: 'between', from: '', to: '' }],
  ['from=2026-03-01', { kind: 'between', from: '2026-03-01', to: '' }],
  ['from=2026-03-01&to=2026-03-29', { kind: 'between', from: '2026-03-01', to: '2026-03-29' }],
])('%p', (text, period) => {
  expect(readPeriod(new URLSearchParams(text))).toEqual(period);
  const query = new URLSearchParams();
  writePeriod(period, query);
  expect(readPeriod(query)).toEqual(period);
});

test('is of visits alone', () => {
  const place = readAudiencePlace('?list=sessions&period=7d');
  expect(place.period).toEqual({ kind: '7d' });
  expect(writeAudiencePlace(place)).toBe('?list=sessions&period=7d');
  expect(writeAudiencePlace({ ...place, list: 'visitors' })).toBe('');
  expect(readAudiencePlace('?period=7d').period).toEqual({ kind: 'all' });
});

describe('the interface is asked for', () => {
  test.each<[AudiencePeriod, object]>([
    [{ kind: 'all' }, {}],
    [{ kind: 'today' }, { start_time: '2026-03-30 06:00:00' }],
    // Seven days with today, of which one is an hour short.
    [{ kind: '7d' }, { start_time: '2026-03-24 07:00:00' }],
    [{ kind: '30d' }, { start_time: '2026-03-01 07:00:00' }],
    [{ kind: 'between', from: '', to: '' }, {}],
    [
      { kind: 'between', from: '2026-03-29', to: '2026-03-29' },
      { start_time: '2026-03-29 07:00:00', end_time: '2026-03-30 05:59:59' },
    ],
    [{ kind: 'between', from: '', to: '2026-03-28' }, { end_time: '2026-03-29 06:59:59' }],
    [{ kind: 'between', from: '2026-02-30', to: '' }, {}],
  ])('%p', (period, asked) => {
    expect(periodTimes(period, times, now)).toEqual(asked);
  });
});
