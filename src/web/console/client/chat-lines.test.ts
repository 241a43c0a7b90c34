// Lines of a chat from several answers: each once, in order.
import { describe, expect, test } from 'bun:test';
import { chatAfter, type ShownChat, withLine, withoutLines } from './chat-lines.ts';
import type { Chat, ChatLine } from './service-answers.ts';

const line = (id: number): ChatLine => ({
  id,
  viewer_id: 'u',
  nick: 'Ann',
  text: `line ${id}`,
  sent_at: '2026-05-01 19:31:02',
  host: false,
  reply_to: null,
  quoted: null,
});

const answer = (ids: number[], more: Partial<Chat> = {}): Chat => ({
  open: true,
  slow_seconds: 0,
  pinned: null,
  messages: ids.map(line),
  next_before: null,
  next_after: Math.max(0, ...ids),
  ...more,
});

const idsOf = ({ lines }: ShownChat) => lines.map(({ id }) => id);

describe('a chat', () => {
  test('is shown with the oldest line first, whichever way it came', () => {
    expect(idsOf(chatAfter(undefined, answer([3, 2, 1])))).toEqual([1, 2, 3]);
  });

  test('goes on with what is new, each line once', () => {
    const first = chatAfter(undefined, answer([2, 1]));
    const second = chatAfter(first, answer([2, 3, 4]));
    expect(idsOf(second)).toEqual([1, 2, 3, 4]);
    expect(second.nextAfter).toBe(4);
    expect(chatAfter(second, answer([])).nextAfter).toBe(4);
  });

  test('read whole shows no line that is gone', () => {
    expect(idsOf(chatAfter(undefined, answer([4, 2])))).toEqual([2, 4]);
  });

  test('asks again for what was said between its last answer and a line of our own', () => {
    const own = withLine(chatAfter(undefined, answer([1])), line(5));
    expect(own.nextAfter).toBe(1);
    expect(idsOf(chatAfter(own, answer([2, 5])))).toEqual([1, 2, 5]);
  });

  test('loses a pin with its line', () => {
    const pinned = chatAfter(undefined, answer([2, 1], { pinned: line(1) }));
    expect(withoutLines(pinned, [2]).pinned?.id).toBe(1);
    expect(withoutLines(pinned, [1])).toMatchObject({ pinned: null, lines: [{ id: 2 }] });
  });

  test('keeps the latest of very many', () => {
    const ids = Array.from({ length: 600 }, (_, at) => at + 1);
    const shown = idsOf(chatAfter(undefined, answer(ids)));
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([500, 101, 600]);
  });
});
