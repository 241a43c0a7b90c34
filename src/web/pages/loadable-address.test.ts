// Addresses that a page may load, and those that only look like it.
import { expect, test } from 'bun:test';
import { absolute, loadable } from './loadable-address.ts';

test.each([
  'https://a.example/x.png',
  'HTTP://a.example',
  '//a.example/x.png',
  '/x.png',
  '/标志.png',
])('%s is loaded as it stands', (address) => {
  expect(loadable(address)).toBe(address);
});

test.each([
  '',
  'x.png',
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:image/png;base64,AAAA',
  'https://',
  'https:///x',
  '/\\evil.example',
  '/a b',
  '/a"onerror=alert(1)',
  '/a<script>',
  'java\nscript:alert(1)',
])('%p is not', (address) => {
  expect(loadable(address)).toBe('');
  expect(absolute(address, 'https://live.example.com')).toBe('');
});

test('a shared address is whole', () => {
  const base = 'https://live.example.com';
  expect(absolute('/x.png', base)).toBe('https://live.example.com/x.png');
  expect(absolute('//cdn.example.com/x.png', base)).toBe('https://cdn.example.com/x.png');
  expect(absolute('http://cdn.example.com/x.png', base)).toBe('http://cdn.example.com/x.png');
});
