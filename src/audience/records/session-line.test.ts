// The times of an imported line, also where the clock goes back.
import { describe, expect, test } from 'bun:test';
import type { ApiError } from '../../base/api/errors.ts';
import { Zone } from '../../base/lib/time.ts';
import { sessionLineReader } from './session-line.ts';

const zone = new Zone('Europe/Berlin');
const now = Date.parse('2026-12-01T12:00:00Z');
const read = sessionLineReader(zone, now);

interface Case {
  what: string;
  first: string;
  last: string | undefined;
  online: string;
  /** When it was seen last, in UTC; undefined where the line is refused. */
  seen: string | undefined;
}

const cases: Case[] = [
  {
    what: 'no time of going offline',
    first: '2026-05-01 10:00:10',
    last: undefined,
    online: '00:01:00',
    seen: '2026-05-01T08:01:10Z',
  },
  {
    what: 'an empty time of going offline',
    first: '2026-05-01 10:00:10',
    last: '',
    online: '00:01:00',
    seen: '2026-05-01T08:01:10Z',
  },
  {
    what: 'a minute that the time online ends in',
    first: '2026-05-01 10:00:10',
    last: '2026-05-01 10:01',
    online: '00:01:00',
    seen: '2026-05-01T08:01:10Z',
  },
  {
    what: 'a minute after the time online',
    first: '2026-05-01 10:00',
    last: '2026-05-01 10:09',
    online: '00:01:00',
    seen: '2026-05-01T08:09:00Z',
  },
  {
    what: 'a second after the time online',
    first: '2026-05-01 10:00:00',
    last: '2026-05-01 10:09:30',
    online: '00:01:00',
    seen: '2026-05-01T08:09:30Z',
  },
  {
    what: 'a minute before the time online ends',
    first: '2026-05-01 10:00',
    last: '2026-05-01 10:09',
    online: '00:10:30',
    seen: undefined,
  },
  {
    what: 'over the end of summer time',
    first: '2026-10-25 02:50',
    last: '2026-10-25 02:10',
    online: '00:20:00',
    seen: '2026-10-25T01:10:00Z',
  },
  {
    what: 'over the end of summer time, to the second',
    first: '2026-10-25 02:50:30',
    last: '2026-10-25 02:10:45',
    online: '00:20:15',
    seen: '2026-10-25T01:10:45Z',
  },
  {
    what: 'in the hour that comes twice, while it comes first',
    first: '2026-10-25 02:10',
    last: '2026-10-25 02:30',
    online: '00:20:00',
    seen: '2026-10-25T00:30:00Z',
  },
  {
    what: 'through the hour that comes twice, longer than it is once',
    first: '2026-10-25 02:10',
    last: '2026-10-25 02:30',
    online: '01:20:20',
    seen: '2026-10-25T01:30:20Z',
  },
  {
    what: 'longer than the hour that comes twice',
    first: '2026-10-25 02:10',
    last: '2026-10-25 02:30',
    online: '01:22:00',
    seen: undefined,
  },
];

describe('when a session was seen last', () => {
  for (const { what, first, last, online, seen } of cases) {
    test(what, () => {
      const line = {
        record_id: 1,
        user_id: 'a',
        first_login_time: first,
        last_online_time: last,
        online_time: online,
        watch_time: '00:00:01',
      };
      if (seen === undefined) expect(() => read(line)).toThrow();
      else {
        const { last_seen_at } = read(line);
        expect(new Date(last_seen_at).toISOString()).toBe(seen.replace('Z', '.000Z'));
        if (last) expect(zone.dateMinute(last_seen_at)).toBe(last.slice(0, 16));
      }
    });
  }
});

test('a line from the future is refused by the field that lies there', () => {
  const line = { record_id: 1, user_id: 'a', watch_time: '00:01:00' };
  // Noon in UTC is one o'clock in Berlin.
  expect(read({ ...line, first_login_time: '2026-12-01 12:59' }).last_seen_at).toBe(now);
  const problemsOf = (times: object) => {
    try {
      read({ ...line, ...times });
    } catch (error) {
      return (error as ApiError).fields.map(({ name }) => name);
    }
    return [];
  };
  expect(problemsOf({ first_login_time: '2026-12-01 13:01' })).toEqual(['first_login_time']);
  expect(problemsOf({ first_login_time: '2026-12-01 12:59:01' })).toEqual(['last_online_time']);
});
