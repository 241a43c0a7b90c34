// A room's chat beside other services on the same database.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../test/support/engines.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../test/support/store.ts';
import { addMessage } from '../chat/chat-store.ts';
import { RoomChat } from './room-chat.ts';
import type { ServiceMessage } from './wire.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);

for (const engine of engines) {
  describe(engine.name, () => {
    test('a line of another service is told, also where it is older than the last of our own', async () => {
      const store = await openTestStore(engine);
      const channel_id = await newChannel(store);
      await enterAnew(store, channel_id, [entry('viewer', noon)]);
      const told: ServiceMessage[] = [];
      const chat = new RoomChat({
        channel_id,
        sql: store,
        now: () => noon,
        authorOf: (viewer_id) => viewer_id,
        publish: (message) => told.push(message),
        evict: () => {},
      });
      await chat.open();
      const said = async (text: string) => {
        const order = { channel_id, viewer_id: 'viewer', nick: '', text, at: noon };
        const message = await store.perform(addMessage, order);
        if (typeof message === 'string') throw new Error(message);
        return message;
      };
      await said('elsewhere');
      chat.said(await said('here'));
      chat.tell();
      await chat.look();
      chat.tell();
      await chat.look();
      chat.tell();
      const lines = told.flatMap((one) => (one.type === 'chat' ? [one.messages] : []));
      expect(lines.map((some) => some.map(({ text }) => text))).toEqual([['here'], ['elsewhere']]);
      const shown = JSON.parse(chat.stateText).messages as { text: string }[];
      expect(shown.map(({ text }) => text)).toEqual(['elsewhere', 'here']);
    });
  });
}
