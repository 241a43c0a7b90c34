import { expect, test } from 'bun:test';
import { UnreadBytes } from './unread-bytes.ts';

const megabyte = 1_048_576;

test('a network may leave half of what the others do, and more only when it has read', () => {
  const unread = new UnreadBytes({ bytesMax: 16 * megabyte });
  const first = unread.holder('192.0.2.1');
  const second = unread.holder('192.0.2.1');
  first.set(4 * megabyte);
  expect(unread.isFull('192.0.2.1')).toBe(false);
  second.set(4 * megabyte);
  expect(unread.isFull('192.0.2.1')).toBe(true);
  expect(unread.isFull('192.0.2.2')).toBe(false);
  first.set(megabyte);
  expect(unread.isFull('192.0.2.1')).toBe(false);
  first.set(0);
  second.set(0);
  expect(unread.bytes).toBe(0);
});

test('what waits for a moment is not counted', () => {
  const unread = new UnreadBytes({ bytesMax: megabyte });
  unread.holder('192.0.2.1').set(65_536);
  expect(unread.bytes).toBe(0);
});
