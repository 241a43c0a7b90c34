// Which address shows which view, and that nobody is led out of the console.
import { describe, expect, test } from 'bun:test';
import { type ChannelPlace, type Place, paths, placeOf, videosAsked } from './console-place.ts';

const all: Place = { view: 'channels', state: 'all', q: '', p: 1 };

test.each<[string, Place]>([
  ['/console', all],
  ['/console/', all],
  ['/console/channels', all],
  ['/console/channels/', all],
  ['/console/channels?state=on_air&q=a%26b&p=3', { ...all, state: 'on_air', q: 'a&b', p: 3 }],
  ['/console/channels?state=deleted&p=2', { ...all, state: 'deleted', p: 2 }],
  ['/console/channels?state=nonsense&p=-1', all],
  ['/console/channels?p=1.5', all],
  ['/console/channels/12', { view: 'channel', id: 12, tab: 'control' }],
  ['/console/channels/12/page', { view: 'channel', id: 12, tab: 'page' }],
  ['/console/channels/12/page/more', { view: 'absent' }],
  ['/console/channels/012', { view: 'absent' }],
  ['/console/channels/12/nonsense', { view: 'absent' }],
  ['/console/channels/12/shows', { view: 'channel', id: 12, tab: 'shows' }],
  [
    '/console/channels/12/shows/40?left=3',
    { view: 'channel', id: 12, tab: 'shows', item: '40', query: '?left=3' },
  ],
  ['/console/channels/12/shows/x', { view: 'absent' }],
  ['/console/channels/12/shows/40/more', { view: 'absent' }],
  [
    '/console/channels/12/audience/a%2Fb',
    { view: 'channel', id: 12, tab: 'audience', item: 'a/b' },
  ],
  ['/console/channels/12/audience/%', { view: 'absent' }],
  ['/console/link', { view: 'link' }],
  ['/console/nonsense', { view: 'absent' }],
])('%s', (address, place) => {
  expect(placeOf(address)).toEqual(place);
});

describe('an address', () => {
  test('leads back to its place', () => {
    const place: Place = { view: 'channels', state: 'past', q: '春 & 秋', p: 2 };
    expect(placeOf(paths.channels(place))).toEqual(place);
    const asked = { state: 'failed', q: 'a&b', p: 3 } as const;
    expect(placeOf(paths.videos(asked))).toEqual({ view: 'videos', asked });
    const ofChannel = placeOf(paths.channelVideos(7, asked));
    expect(ofChannel).toMatchObject({ view: 'channel', id: 7, tab: 'videos' });
    const { query } = ofChannel as ChannelPlace;
    expect(videosAsked(new URLSearchParams(query))).toEqual(asked);
    expect(paths.channel(7, 'videos')).toBe(paths.channelVideos(7));
    expect(paths.channel(7)).toBe('/console/channels/7');
  });

  test('of signing in knows where one was', () => {
    expect(placeOf(paths.signIn('/console/channels/7/page'))).toEqual({
      view: 'sign-in',
      to: '/console/channels/7/page',
    });
    expect(paths.signIn('/console/channels')).toBe('/console/sign-in');
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/console/../v1/videos',
    '/console/sign-in',
    '/console/link',
    '/v1/activities',
  ])('of signing in does not lead to %s', (to) => {
    const leads = placeOf(`/console/sign-in?to=${encodeURIComponent(to)}`);
    const url = new URL('to' in leads ? leads.to : '', 'https://ours.example');
    expect(url.origin).toBe('https://ours.example');
    expect(url.pathname).toMatch(/^\/console\//);
    expect(url.pathname).not.toMatch(/sign-in|link/);
  });
});

test('the two lists of the storage have a page each', () => {
  const place = { p: 2, jobs: 3 };
  expect(paths.storage(place)).toBe('/console/account/storage?p=2&jobs=3');
  expect(placeOf(paths.storage(place))).toMatchObject({ section: 'storage', ...place });
  expect(paths.storage({ p: 1, jobs: 1 })).toBe(paths.account('storage'));
});
