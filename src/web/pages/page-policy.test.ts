// What the headers of a page allow, and that nothing from outside can loosen them.
import { expect, test } from 'bun:test';
import { pageHeaders } from './page-policy.ts';

const usual = {
  nonce: 'abc',
  framedBy: 'nobody' as const,
  host: 'live.example.com:8080',
  media: [],
};

function policyOf(options: Partial<Parameters<typeof pageHeaders>[0]>): Record<string, string> {
  const text = pageHeaders({ ...usual, ...options })['content-security-policy'] ?? '';
  return Object.fromEntries(text.split('; ').map((rule) => rule.split(/ (.*)/s).slice(0, 2)));
}

test('a page runs our own scripts, one style and nothing else', () => {
  expect(policyOf({})).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self' 'nonce-abc'",
    'img-src': "'self' http: https: data:",
    'media-src': "'self' blob:",
    'connect-src': "'self' ws://live.example.com:8080 wss://live.example.com:8080",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  });
});

test('only an embed page may stand in a frame', () => {
  expect(pageHeaders(usual)['x-frame-options']).toBe('DENY');
  expect(pageHeaders({ ...usual, framedBy: 'anybody' })).not.toHaveProperty('x-frame-options');
  expect(policyOf({ framedBy: 'anybody' })['frame-ancestors']).toBe('*');
});

test('what the console shows within itself stands in a frame of ours alone', () => {
  expect(pageHeaders({ ...usual, framedBy: 'us' })['x-frame-options']).toBe('SAMEORIGIN');
  expect(policyOf({ framedBy: 'us' })['frame-ancestors']).toBe("'self'");
  expect(policyOf({ hasFrames: true })).toMatchObject({
    'frame-src': "'self'",
    'frame-ancestors': "'none'",
  });
});

test('a video elsewhere opens its own host and no other', () => {
  const media = [
    'https://cdn.example.com/a/b.m3u8',
    '/recordings/1/index.m3u8',
    '',
    '//other.example/x',
  ];
  expect(policyOf({ media })['media-src']).toBe(
    "'self' blob: https://cdn.example.com other.example",
  );
  expect(policyOf({ media })['connect-src']).toEndWith(' https://cdn.example.com other.example');
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'https://a.example;script-src *',
  'https:// *',
  'not an address',
])('%p opens nothing', (address) => {
  expect(policyOf({ media: [address] })['media-src']).toBe("'self' blob:");
});

test.each(['x; script-src *', 'a b', "'unsafe-inline'", ''])(
  'the host %p is not repeated',
  (host) => {
    expect(policyOf({ host })['connect-src']).toBe("'self'");
  },
);

test('pages are kept by nobody and tell other sites only our name', () => {
  expect(pageHeaders(usual)).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  });
});
