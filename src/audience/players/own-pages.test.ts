// Which referrers are pages of ours.
import { expect, test } from 'bun:test';
import { OwnPages } from './own-pages.ts';

const host = 'live.example.com:8443';
const pages = new OwnPages('https://public.example/shows');

test.each([
  ['the watch page', `https://${host}/watch/7`, true],
  ['the mobile page', `https://${host}/m/7?uid=u`, true],
  ['an embed', `https://${host}/embed/7`, true],
  ['a video page', `https://${host}/videos/7`, true],
  ['the host in other letters', 'https://LIVE.example.com:8443/watch/7', true],
  ['the public host, behind a path', 'https://public.example/shows/watch/7', true],
  ['another page of ours', `https://${host}/docs`, false],
  ['our host alone', `https://${host}/`, false],
  ['another port', 'https://live.example.com/watch/7', false],
  ['another site with a page like ours', 'https://other.example/watch/7', false],
  ['a site that has our address in its query', `https://other.example/?${host}/watch/7`, false],
  ['a path that only begins like ours', `https://${host}/watching/7`, false],
  ['no address', 'watch', false],
  ['nothing', null, false],
])('%s', (_, referer, isOwn) => {
  expect(pages.have(referer, host)).toBe(isOwn);
});

test('without a host only the public one is ours', () => {
  expect(pages.have('https://public.example/watch/7', null)).toBe(true);
  expect(new OwnPages('').have('https://public.example/watch/7', null)).toBe(false);
});
