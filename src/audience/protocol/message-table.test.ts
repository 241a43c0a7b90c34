// A message reaches the handler of its type, and no other text of a stranger reaches anything.
import { expect, test } from 'bun:test';
import { handle, isTypeIn, type MessageHandlers } from './message-table.ts';

type Message = { type: 'add'; by: number } | { type: 'name'; name: string };

const handlers: MessageHandlers<Message, { sum: number }, string> = {
  add: ({ by }, { sum }) => String(sum + by),
  name: ({ name }) => name,
};

test('each handler gets its own message, and where it came from', () => {
  expect(handle(handlers, { type: 'add', by: 2 }, { sum: 1 })).toBe('3');
  expect(handle(handlers, { type: 'name', name: 'Ada' }, { sum: 1 })).toBe('Ada');
});

test.each(['later', 'constructor', '__proto__', 'toString', ''])(
  'a message of type %j is nobody’s',
  (type) => {
    const came: Message = JSON.parse(JSON.stringify({ type, by: 1 }));
    expect(handle(handlers, came, { sum: 1 })).toBeUndefined();
  },
);

test.each([[undefined], [null], [0], [['add']], [{ add: 1 }]])('%p is no type', (type) => {
  expect(isTypeIn(handlers, type)).toBe(false);
});
