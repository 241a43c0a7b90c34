// What an address says of a channel's audience, and what the service is then asked.
import { expect, test } from 'bun:test';
import { audiencePath, readAudiencePlace, writeAudiencePlace } from './audience-place.ts';

const all = { list: 'visitors', q: '', isAll: true, period: { kind: 'all' }, p: 1 } as const;

test('an address says the same when it is written again', () => {
  const place = {
    list: 'sessions',
    q: '张 & +86',
    isAll: false,
    period: { kind: 'all' },
    p: 3,
  } as const;
  expect(readAudiencePlace(writeAudiencePlace(place))).toEqual(place);
  expect(writeAudiencePlace(all)).toBe('');
});

test.each(['', '?list=others', '?p=0', '?p=x', '?watched=2'])('%s is all of them', (query) => {
  expect(readAudiencePlace(query)).toEqual(all);
});

test('each list is asked with its own filter', () => {
  expect(audiencePath(7, all, {})).toBe('/manage/v1/channels/7/visitors?p=1&filter=0');
  const visits = { ...all, list: 'sessions', q: 'a b', isAll: false, p: 2 } as const;
  expect(audiencePath(7, visits, {})).toBe(
    '/manage/v1/channels/7/sessions?p=2&q=a+b&filter_watch_time=1',
  );
  expect(audiencePath(7, visits, { start_time: '2026-05-01 00:00:00' })).toBe(
    '/manage/v1/channels/7/sessions?p=2&q=a+b&filter_watch_time=1&start_time=2026-05-01+00%3A00%3A00',
  );
});
