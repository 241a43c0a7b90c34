// What a channel is about now, and where its encoder sends to.
import { expect, test } from 'bun:test';
import { type AirState, airState } from './air-state.ts';
import { publishParts } from './publish-parts.ts';

const now = 1_000;

test.each<[number, number | undefined, AirState]>([
  [1, undefined, 'on_air'],
  [1, 2_000, 'on_air'],
  [0, 2_000, 'upcoming'],
  [0, 1_000, 'off_air'],
  [0, undefined, 'off_air'],
])('live_status %p with a start at %p is %p', (live_status, startsAt, state) => {
  expect(airState({ live_status }, { startsAt, now })).toBe(state);
});

test('an address is a server and a key', () => {
  expect(publishParts('rtmp://live.example.com:1935/live/K-e_y')).toEqual({
    server: 'rtmp://live.example.com:1935/live',
    key: 'K-e_y',
  });
});
