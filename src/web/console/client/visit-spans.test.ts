// Strips of what a viewer watched: by show, and what was open in two tabs once.
import { expect, test } from 'bun:test';
import { stripsOf } from './visit-spans.ts';

const session = {
  record_id: 1,
  user_id: 'u',
  nick: '',
  addr: '',
  online_time: '',
  watch_time: '',
  phone: '',
  first_login_time: '',
  last_online_time: '',
  device: '',
  browser: '',
  origin: '',
  entered: '',
  left: '',
};

test('each show has what was watched of it, two tabs at once counted once', () => {
  const visits = {
    shows: [
      { id: 2, begin: '5000', end: '' },
      { id: 1, begin: '0', end: '1000' },
    ],
    sessions: [
      {
        ...session,
        watched: [
          { show: 1, from_ms: 500, to_ms: 900 },
          { show: 2, from_ms: 0, to_ms: 100 },
        ],
      },
      { ...session, watched: [{ show: 1, from_ms: -20, to_ms: 600 }] },
      { ...session, watched: null },
    ],
  };
  const now = 7_000;
  expect(stripsOf(visits, (text) => (text === '' ? now : Number(text)))).toEqual([
    { show: 2, beginAt: 5_000, lengthMs: 2_000, watchedMs: 100, stretches: [{ from: 0, to: 100 }] },
    { show: 1, beginAt: 0, lengthMs: 1_000, watchedMs: 900, stretches: [{ from: 0, to: 900 }] },
  ]);
});

test('what was watched behind its end makes the strip longer', () => {
  const visits = {
    shows: [{ id: 1, begin: '0', end: '1000' }],
    sessions: [{ ...session, watched: [{ show: 1, from_ms: 900, to_ms: 1_200 }] }],
  };
  expect(stripsOf(visits, Number)[0]?.lengthMs).toBe(1_200);
});
