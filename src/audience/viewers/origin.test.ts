import { expect, test } from 'bun:test';
import { originOf } from './origin.ts';

test.each([
  ['https://www.Example.com:8443/a?b', false, 'www.example.com'],
  ['https://example.com/', true, 'embed:example.com'],
  ['https://例子.中国/x', false, 'xn--fsqu00a.xn--fiqs8s'],
  ['http://[2001:db8::1]:80/', false, '[2001:db8::1]'],
  ['android-app://com.tencent.mm/', false, 'com.tencent.mm'],
  ['https://live.example.net/watch/8', false, 'direct'],
  ['http://LIVE.example.net:9000/watch/8', true, 'direct'],
  ['', false, 'direct'],
  [null, true, 'direct'],
  ['about:blank', false, 'direct'],
  ['example.com/no-scheme', false, 'direct'],
  ['https://', false, 'direct'],
  [`foo://${'h'.repeat(300)}/`, false, 'direct'],
])('%j, embedded %p, is %s', (referer, isEmbed, origin) => {
  expect(originOf(referer, { host: 'live.example.net:8080', isEmbed })).toBe(origin);
});
