import { expect, test } from 'bun:test';
import { sseMessages } from './sse-messages.ts';

async function messagesOf(text: string) {
  async function* lines() {
    yield* text.replace(/\n$/, '').split('\n');
  }
  return await Array.fromAsync(sseMessages(lines()));
}

test('a message has its fields, and keeps the id of the last that had one', async () => {
  const text =
    'retry: 2000\n\nid: 3.1\nevent: channel.live\ndata: {"a":\ndata:1}\n\n: still here\nid: 4.1\n\ndata\n\n';
  expect(await messagesOf(text)).toEqual([
    { event: 'message', data: undefined, lastEventId: undefined, retryMs: 2_000 },
    { event: 'channel.live', data: '{"a":\n1}', lastEventId: '3.1', retryMs: 2_000 },
    { event: 'message', data: undefined, lastEventId: '4.1', retryMs: 2_000 },
    { event: 'message', data: '', lastEventId: '4.1', retryMs: 2_000 },
  ]);
});

test('what is cut is no message, and what is not known is passed over', async () => {
  expect(await messagesOf('data: whole\n\ndata: cut')).toHaveLength(1);
  const [message] = await messagesOf(
    'retry: soon\nid: a\0b\nname: x\nno colon\ndata:  two spaces\n\n',
  );
  expect(message).toEqual({
    event: 'message',
    data: ' two spaces',
    lastEventId: undefined,
    retryMs: undefined,
  });
});

test('an event without an end is not gathered for ever', async () => {
  async function* endless() {
    while (true) yield `data: ${'a'.repeat(1_000_000)}`;
  }
  await expect(Array.fromAsync(sseMessages(endless()))).rejects.toThrow('no end');
});
