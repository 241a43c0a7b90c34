// A room's chat: what is told and shown of it, how much at once, and beside other services on the same database.
import { describe, expect, test } from 'bun:test';
import { audienceBounds } from '../../../test/support/audience-bounds.ts';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Sql, Store, Value } from '../../base/db/sql.ts';
import type { ServiceMessage, ShownMessage } from '../protocol/messages.ts';
import { chatBounds } from './chat-limits.ts';
import { addMessage, removeMessages, setChatOpen } from './chat-store.ts';
import { ShownChat } from './shown-chat.ts';

const noon = Date.UTC(2026, 4, 4, 12, 0, 0);

for (const engine of engines) {
  describe(engine.name, () => {
    test('a line of another service is told, also where it is older than the last of our own', async () => {
      const { chat, said, told, shown } = await newChat(engine);
      await said('elsewhere');
      chat.tellLater(await said('here'));
      chat.tell();
      await chat.refreshFromDatabase();
      chat.tell();
      await chat.refreshFromDatabase();
      chat.tell();
      expect(told()).toEqual([['here'], ['elsewhere']]);
      expect(shown()).toEqual(['elsewhere', 'here']);
    });

    test('what is told at once is bounded in bytes, and the rest told next, in its order', async () => {
      const { chat, said, told } = await newChat(engine);
      const texts = ['a', 'b', 'c'].map((letter) => letter + '👍'.repeat(499));
      for (const text of texts) chat.tellLater(await said(text));
      const tells: string[][][] = [];
      for (let n = 0; n < 4; n += 1) {
        chat.tell();
        tells.push(told());
      }
      expect(tells.map((all) => all.length)).toEqual([1, 2, 3, 3]);
      expect(told().flat()).toEqual(texts);
    });

    test('a newcomer is shown the newest lines that are short enough together', async () => {
      const { chat, said, shown, told, again } = await newChat(engine);
      const texts = Array.from(
        { length: 12 },
        (_, n) => String(n).padStart(2, '0') + '👍'.repeat(498),
      );
      for (const text of texts) chat.tellLater(await said(text));
      for (const _ of texts) chat.tell();
      expect(shown()).toEqual(texts.slice(-7));
      expect(Buffer.byteLength(chat.stateText)).toBeLessThan(16_500);
      // Those that are not shown any more are not taken for new ones.
      await chat.refreshFromDatabase();
      chat.tell();
      expect(told()).toHaveLength(12);
      const later = await again();
      expect(later.shown()).toEqual(texts.slice(-7));
    });

    test('what is removed is quoted no more, also where the command line removed it', async () => {
      const { chat, said, quotes, remove, told } = await newChat(engine);
      const long = 'x'.repeat(150);
      const [one, two] = [await said(long), await said('two')];
      for (const line of [one, two, await said('to one', one.id), await said('to two', two.id)])
        chat.tellLater(line);
      chat.tell();
      expect(told()).toHaveLength(1);
      expect(quotes()).toEqual([`${'x'.repeat(99)}…`, 'two']);
      chat.removed([one.id]);
      expect(quotes()).toEqual([undefined, 'two']);
      await remove([one.id, two.id]);
      await chat.refreshFromDatabase();
      expect(quotes()).toEqual([undefined, undefined]);
    });

    test('what a moderator does while the database is read is not undone by what was read', async () => {
      const { chat, store, channel_id, said, shown, duringNextRead } = await newChat(engine);
      const { id } = await said('regretted');
      await chat.refreshFromDatabase();
      chat.tell();
      duringNextRead(async () => {
        await store.perform(removeMessages, { account_id: 1, channel_id, ids: [id] });
        chat.removed([id]);
        await store.perform(setChatOpen, { account_id: 1, channel_id, open: false });
        chat.setOpen(false);
      });
      await chat.refreshFromDatabase();
      chat.tell();
      expect({ open: chat.isOpen, shown: shown() }).toEqual({ open: false, shown: [] });
    });

    test('a line that is removed before it was told leaves its place', async () => {
      const { chat, said } = await newChat(engine);
      const ofNetwork = chatBounds.chatWaitingMax / 2;
      const leave = Array.from({ length: ofNetwork - 1 }, () => chat.pace.takePlace('a'));
      const line = await said('regretted');
      chat.tellLater(line, chat.pace.takePlace('a'));
      expect(chat.pace.hasPlace('a')).toBe(false);
      chat.removed([line.id]);
      expect(chat.pace.hasPlace('a')).toBe(true);
      for (const one of leave) one();
    });
  });
}

async function newChat(engine: Engine) {
  const store = await openTestStore(engine);
  const channel_id = await newChannel(store);
  await enterAnew(store, channel_id, [entry('viewer', noon)]);
  const again = () => openChat(store, channel_id);
  return { ...(await again()), store, channel_id, again };
}

async function openChat(store: Store, channel_id: number) {
  const came: ServiceMessage[] = [];
  let meanwhile = async () => {};
  const sql: Sql = {
    dialect: store.dialect,
    one: (text, params) => store.one(text, params),
    run: (text, params) => store.run(text, params),
    all: async <Row>(text: string, params?: readonly Value[]) => {
      const rows = await store.all<Row>(text, params);
      const happens = meanwhile;
      meanwhile = async () => {};
      await happens();
      return rows;
    },
  };
  const chat = new ShownChat({
    ...audienceBounds(),
    channel_id,
    sql,
    now: () => noon,
    authorOf: (viewer_id) => viewer_id,
    publish: (message) => came.push(message),
    evict: () => {},
    tellMuted: () => {},
  });
  await chat.open();
  return {
    chat,
    said: async (text: string, reply_to?: number) => {
      const order = { channel_id, viewer_id: 'viewer', nick: '', text, reply_to, at: noon };
      const message = await store.perform(addMessage, order);
      if (typeof message === 'string' || !('id' in message)) throw new Error('it was not said');
      return message;
    },
    /** It happens when something was read, and more is to be. */
    duringNextRead: (happens: () => Promise<void>) => {
      meanwhile = happens;
    },
    remove: (ids: readonly number[]) =>
      store.perform(removeMessages, { account_id: 1, channel_id, ids }),
    /** Of the answers that newcomers are shown. */
    quotes: () =>
      (JSON.parse(chat.stateText).messages as ShownMessage[]).flatMap(({ reply }) =>
        reply ? [reply.quote?.text] : [],
      ),
    /** What was told, each time. */
    told: () => came.flatMap((one) => (one.type === 'chat' ? [textsOf(one.messages)] : [])),
    shown: () => textsOf(JSON.parse(chat.stateText).messages),
  };
}

function textsOf(messages: readonly { text: string }[]): string[] {
  return messages.map(({ text }) => text);
}
