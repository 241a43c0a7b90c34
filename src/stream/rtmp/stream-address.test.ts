import { describe, expect, test } from 'bun:test';
import { streamAddress, streamName } from './stream-address.ts';

describe('connect', () => {
  test.each([
    ['live', 'rtmp://host/live', 'live', ''],
    ['live/', 'rtmp://host/live/', 'live', ''],
    ['/live', '', 'live', ''],
    ['live?token=x', '', 'live', ''],
    ['live/KEY', 'rtmp://host/live/KEY', 'live', 'KEY'],
    ['live/KEY?a=b/c', '', 'live', 'KEY'],
    ['live', 'rtmp://host:1935/live/KEY', 'live', 'KEY'],
    ['live', 'rtmp://host/play/KEY', 'live', ''],
    ['', 'rtmp://host/live/KEY', 'live', 'KEY'],
    ['', 'rtmp://[::1]:1935/play', 'play', ''],
    ['', '', '', ''],
    [7, null, '', ''],
  ])('with app %p and tcUrl %p leads to %p and %p', (app, tcUrl, wantedApp, name) => {
    expect(streamAddress({ app, tcUrl })).toEqual({ app: wantedApp, name });
  });
});

describe('publish', () => {
  test.each([
    ['KEY', 'KEY'],
    ['/KEY', 'KEY'],
    ['KEY?a=b', 'KEY'],
    ['', 'OTHER'],
    ['?a=b', 'OTHER'],
  ])('to %p behind /live/OTHER means %p', (given, name) => {
    expect(streamName(given, { app: 'live', name: 'OTHER' })).toBe(name);
  });
});
