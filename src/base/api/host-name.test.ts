import { expect, test } from 'bun:test';
import { isHost } from './host-name.ts';

test.each([
  'localhost',
  'live.example.com',
  'live.example.com.',
  'LIVE.Example.com:8080',
  'a_b.local',
  'xn--bcher-kva.example',
  '192.0.2.7',
  '192.0.2.7:80',
  '[::1]',
  '[2001:db8::7]:65535',
  '[::ffff:192.0.2.7]',
  `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
])('%p is a host', (text) => expect(isHost(text)).toBe(true));

test.each([
  '',
  'a, b',
  'a,a',
  'a b',
  'a@b',
  'a/b',
  'a?b',
  'a..b',
  '.a',
  '-a',
  'a-',
  'a:',
  'a:x',
  'a:123456',
  'a:80:80',
  '::1',
  '[::1',
  '[]',
  '[::1]x',
  '\u00e9.example',
  'a\u0000',
  'a'.repeat(64),
  `${'a.'.repeat(127)}`,
  `${'a.'.repeat(5_000)}a`,
])('%p is none', (text) => expect(isHost(text)).toBe(false));
