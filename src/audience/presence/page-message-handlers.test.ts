// What pages say, as the database has it afterwards: nothing of a viewer who was erased.
import { describe, expect, test } from 'bun:test';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import { engines } from '../../../test/support/engines.ts';
import { HeldPageSocket } from '../../../test/support/page-socket.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { type ChatBounds, chatBounds } from '../chat/chat-limits.ts';
import { Connection } from '../connection/page-connection.ts';
import { eraseViewer } from '../records/audience-store.ts';
import { Room } from '../rooms/room.ts';
import { Stages } from '../rooms/stages.ts';
import { type InsideMessage, PageMessageHandlers } from './page-message-handlers.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);

for (const engine of engines) {
  describe(engine.name, () => {
    test('what a viewer says is kept', async () => {
      const { say, kept } = await speaker(await openTestStore(engine));
      say({ type: 'chat', text: 'hello' });
      expect(await kept()).toEqual(['hello']);
    });

    test('a line that follows a new name is said under it', async () => {
      const store = await openTestStore(engine);
      const { say, kept } = await speaker(store);
      say({ type: 'chat', text: 'before' });
      say({ type: 'nick', nick: 'Ann' });
      say({ type: 'chat', text: 'after' });
      expect(await kept()).toEqual(['before', 'after']);
      expect(await store.all('SELECT nick FROM chat_messages ORDER BY id')).toEqual([
        { nick: '' },
        { nick: 'Ann' },
      ]);
    });

    test('a name that a link gave is not changed, and the viewer is told so', async () => {
      const store = await openTestStore(engine);
      const { say, kept, session, socket } = await speaker(store);
      session.visitor.named('Ada', noon);
      say({ type: 'nick', nick: 'Boss' });
      say({ type: 'chat', text: 'hello' });
      expect(await kept()).toEqual(['hello']);
      expect(await store.all('SELECT nick FROM chat_messages')).toEqual([{ nick: 'Ada' }]);
      expect(socket.sent.slice(1)).toEqual([{ type: 'notice', notice: 'fixed_nick' }]);
    });

    test('what nobody sees is neither a line nor a name', async () => {
      const store = await openTestStore(engine);
      const { say, kept, socket } = await speaker(store);
      say({ type: 'chat', text: '\u200B\u202E\u3164' });
      say({ type: 'nick', nick: '\u2800' });
      say({ type: 'nick', nick: '\u202EAda\u200B' });
      say({ type: 'chat', text: '\u2066hi' });
      expect(await kept()).toEqual(['hi']);
      expect(await store.all('SELECT nick FROM chat_messages')).toEqual([{ nick: 'Ada' }]);
      expect(socket.sent.slice(1)).toEqual([{ type: 'nick', nick: 'Ada', fixed: false }]);
    });

    test('lines, names and shares of a network are so many a minute', async () => {
      const store = await openTestStore(engine);
      const { say, kept, socket, refused } = await speaker(store, { messagesPerNetwork: 3 });
      say({ type: 'chat', text: 'one' });
      say({ type: 'nick', nick: 'Ada' });
      say({ type: 'share', how: 'qr' });
      say({ type: 'chat', text: 'two' });
      expect(await kept()).toEqual(['one']);
      expect(socket.sent.at(-1)).toEqual({ type: 'nick', nick: 'Ada', fixed: false });
      expect(socket.sent[1]).toEqual({ type: 'notice', notice: 'slow_down' });
      expect(refused()).toEqual({ messages: 1 });
    });

    test('a line that is one too many is not even looked at', async () => {
      const { say, kept, socket } = await speaker(await openTestStore(engine));
      for (let n = 1; n <= 5; n += 1) say({ type: 'chat', text: `line ${n}` });
      say({ type: 'chat', text: 'x'.repeat(501) });
      say({ type: 'nick', nick: 'x'.repeat(33) });
      expect(await kept()).toHaveLength(5);
      const slowDown = { type: 'notice', notice: 'slow_down' } as const;
      expect(socket.sent.slice(1)).toEqual([slowDown, slowDown]);
    });

    test("while lines of the viewer's network wait in all of its places, more are asked to slow down", async () => {
      const store = await openTestStore(engine);
      const { say, kept, socket, room, refused } = await speaker(store);
      const ofNetwork = chatBounds.chatWaitingMax / 2;
      const leave = Array.from({ length: ofNetwork }, () => room.chat.pace.takePlace(''));
      say({ type: 'chat', text: 'one' });
      expect(socket.sent[1]).toEqual({ type: 'notice', notice: 'slow_down' });
      expect(room.chat.pace.hasPlace('another')).toBe(true);
      leave[0]?.();
      say({ type: 'chat', text: 'two' });
      expect(await kept()).toEqual(['two']);
      // It waits to be told.
      say({ type: 'chat', text: 'three' });
      room.chat.tell();
      say({ type: 'chat', text: 'four' });
      expect(await kept()).toEqual(['two', 'four']);
      expect(refused()).toEqual({ chat: 2 });
    });

    test('what a viewer says who was erased is neither kept nor answered', async () => {
      const { say, kept, session, socket } = await speaker(await openTestStore(engine));
      session.erased();
      say({ type: 'chat', text: 'hello' });
      say({ type: 'chat', text: 'x'.repeat(501) });
      say({ type: 'nick', nick: 'x'.repeat(33) });
      expect(await kept()).toEqual([]);
      expect(socket.sent.map(({ type }) => type)).toEqual(['welcome']);
    });

    test('who is erased while others have their turn does not get one', async () => {
      const store = await openTestStore(engine);
      const { say, kept, session, room } = await speaker(store);
      const others = Promise.withResolvers<void>();
      room.chat.inTurn(() => others.promise);
      say({ type: 'chat', text: 'hello' });
      say({ type: 'nick', nick: 'Ann' });
      session.erased();
      others.resolve();
      expect(await kept()).toEqual([]);
      expect(await store.all('SELECT nick FROM visitors')).toEqual([{ nick: '' }]);
    });

    test('of who was erased by others nothing is kept, and their page is sent away', async () => {
      const store = await openTestStore(engine);
      const { say, kept, room, session, socket } = await speaker(store);
      const { channel_id } = room;
      await store.perform(eraseViewer, { channel_id, viewer_id: 'viewer' });
      say({ type: 'chat', text: 'hello' });
      expect(await kept()).toEqual([]);
      expect([session.isGone, socket.closeCode]).toEqual([true, 4004]);
    });
  });
}

/** A viewer in a room. `kept` is what the chat has once everybody had their turn. */
async function speaker(store: Store, more: Partial<ChatBounds> = {}) {
  const channel_id = await newChannel(store);
  const now = () => noon;
  const bounds = { ...audienceBounds(), ...more };
  const room = new Room({
    ...bounds,
    channel_id,
    heldBy: 1,
    stage: new Stages().of(channel_id, noon),
    sql: store,
    now,
    authorOf: () => 'author',
    publish: () => {},
    onChange: () => {},
    onOver: () => {},
  });
  await room.open();
  const [entered] = await enterAnew(store, channel_id, [entry('viewer', noon)]);
  if (!entered) throw new Error('nobody entered');
  const upgrade = { ip: '', network: '', device: '', browser: '', refusal: undefined };
  const connection = new Connection(upgrade, noon);
  const socket = new HeldPageSocket(connection);
  const viewer = { viewer_id: 'viewer', author: 'author', nick: '', namedAt: 0 };
  const arriving = { connection, instance: '', at: noon };
  const session = room.enter(arriving, { entered, viewer, said: undefined });
  const handlers = new PageMessageHandlers({
    ...bounds,
    store,
    log: startLog('silent'),
    onChange: () => {},
  });
  return {
    refused: bounds.refused,
    room,
    session,
    socket,
    say: (message: InsideMessage) =>
      handlers.hear(message, { connection, session, room, at: noon }),
    kept: async () => {
      await room.chat.inTurn(async () => {});
      const rows = await store.all<{ text: string }>('SELECT text FROM chat_messages ORDER BY id');
      return rows.map(({ text }) => text);
    },
  };
}
