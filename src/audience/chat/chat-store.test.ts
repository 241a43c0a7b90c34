// Chat in the database, on both engines: what is kept and counted, who is kept from it, what is taken away.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import { placeholders } from '../../base/db/sql.ts';
import { eraseViewer } from '../records/audience-store.ts';
import type { SilenceKind } from './chat-message.ts';
import {
  addMessage,
  lastMessages,
  readChatState,
  removedMax,
  removeMessages,
  setChatOpen,
  setChatSlow,
  silence,
  silencesMax,
  silencesOf,
  unsilence,
} from './chat-store.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    const settings = await engine.fresh();
    const sameDatabase = { ...engine, fresh: async () => settings };
    const store = await openTestStore(sameDatabase);
    // On SQLite there is one service; two stores on one thread would wait for each other.
    const beside = engine.name === 'postgres' ? await openTestStore(sameDatabase) : store;
    afterAll(async () => {
      for (const one of new Set([store, beside])) await one.close();
    });
    let channel_id = 0;
    beforeEach(async () => {
      channel_id = await newChannel(store);
      await enterAnew(store, channel_id, [entry('a', 1_000), entry('b', 1_000)]);
    });

    const say = (viewer_id: string, text: string, at = 5_000, by = store) =>
      by.perform(addMessage, { channel_id, viewer_id, nick: `nick of ${viewer_id}`, text, at });
    const mute = (viewer_id: string, until: number | null, kind: SilenceKind = 'mute') =>
      store.perform(silence, { account_id: 1, channel_id, viewer_id, kind, until, now: 4_000 });
    const texts = async () =>
      (await lastMessages(store, channel_id, 50)).map(({ id, text }) => `${id} ${text}`);
    const commentCounts = async () =>
      Object.fromEntries(
        (
          await store.all<{ viewer_id: string; comment_count: number }>(
            'SELECT viewer_id, comment_count FROM visitors WHERE channel_id = $1',
            [channel_id],
          )
        ).map((row) => [row.viewer_id, row.comment_count]),
      );

    test('an answer is kept by the number of what it answers, and quotes it for as long as it is there', async () => {
      await say('a', 'when does it begin?');
      const answer = { channel_id, viewer_id: 'b', nick: '', text: 'at eight', at: 5_000 };
      const line = { viewer_id: 'a', nick: 'nick of a', text: 'when does it begin?', host: false };
      const said = await store.perform(addMessage, { ...answer, reply_to: 1 });
      expect(said).toMatchObject({ id: 2, reply: { id: 1, line } });
      const newest = async () => (await lastMessages(store, channel_id, 1))[0]?.reply;
      expect(await newest()).toEqual({ id: 1, line });
      await store.perform(removeMessages, { account_id: 1, channel_id, ids: [1] });
      expect(await newest()).toEqual({ id: 1 });
      // What was gone before is answered by a line like any other.
      await store.perform(addMessage, { ...answer, reply_to: 1 });
      expect(await newest()).toBeUndefined();
    });

    test('a message is kept as it was said, and counted with its visitor', async () => {
      const said = { viewer_id: 'a', nick: 'nick of a', sent_at: 5_000, host: false };
      expect(await say('a', 'hello')).toEqual({ id: 1, text: 'hello', ...said });
      await say('b', 'hi');
      await say('a', '"; 🎉');
      expect(await lastMessages(store, channel_id, 2)).toEqual([
        { ...said, id: 2, text: 'hi', viewer_id: 'b', nick: 'nick of b' },
        { id: 3, text: '"; 🎉', ...said },
      ]);
      expect(await commentCounts()).toEqual({ a: 2, b: 1 });
    });

    test('each channel numbers its messages by itself', async () => {
      await say('a', 'here');
      const other = await newChannel(store);
      await enterAnew(store, other, [entry('a', 1_000)]);
      const message = { channel_id: other, viewer_id: 'a', nick: '', text: 'there', at: 1 };
      expect(await store.perform(addMessage, message)).toMatchObject({ id: 1 });
      expect(await lastMessages(store, other, 50)).toHaveLength(1);
      expect(await texts()).toEqual(['1 here']);
    });

    test('messages that are written at once have numbers of their own, without a hole', async () => {
      const said = Array.from({ length: 20 }, (_, at) =>
        say(at % 2 === 0 ? 'a' : 'b', `${at}`, 5_000, at % 3 === 0 ? beside : store),
      );
      const ids = (await Promise.all(said)).map((one) =>
        typeof one === 'object' && 'id' in one ? one.id : 0,
      );
      expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
      expect(await commentCounts()).toEqual({ a: 10, b: 10 });
    });

    test.each<[string, number | null, SilenceKind, boolean]>([
      ['muted for ever', null, 'mute', true],
      ['muted until a moment later', 5_001, 'mute', true],
      ['muted until just now', 5_000, 'mute', false],
      ['banned', null, 'ban', true],
    ])('a viewer who is %s', async (_, until, kind, isSilent) => {
      await mute('a', until, kind);
      expect((await say('a', 'hello')) === 'muted').toBe(isSilent);
      expect(await say('b', 'hello')).toMatchObject({ viewer_id: 'b' });
      expect(await commentCounts()).toEqual({ a: isSilent ? 0 : 1, b: 1 });
    });

    test('nothing is kept while chat is closed, or where there is no such channel', async () => {
      await store.perform(setChatOpen, { account_id: 1, channel_id, open: false });
      expect(await readChatState(store, channel_id)).toEqual({ open: false, slow_seconds: 0 });
      expect(await say('a', 'hello')).toBe('closed');
      await store.perform(setChatOpen, { account_id: 1, channel_id, open: true });
      expect(await say('a', 'hello')).toMatchObject({ id: 1 });
      channel_id = 987_654;
      expect(await readChatState(store, channel_id)).toBeUndefined();
      expect(await say('a', 'hello')).toBe('closed');
    });

    const slow = (slow_seconds: number) =>
      store.perform(setChatSlow, { account_id: 1, channel_id, slow_seconds });

    test('in a slow chat each viewer waits between two lines, also where the first was removed', async () => {
      await say('a', 'before');
      await slow(30);
      expect(await readChatState(store, channel_id)).toEqual({ open: true, slow_seconds: 30 });
      expect(await say('a', 'too soon', 5_001)).toEqual({ wait_ms: 29_999 });
      expect(await say('b', 'another viewer', 5_001)).toMatchObject({ id: 2 });
      await store.perform(removeMessages, { account_id: 1, channel_id, ids: [1] });
      expect(await say('a', 'still', 34_999)).toEqual({ wait_ms: 1 });
      expect(await say('a', 'now', 35_000)).toMatchObject({ id: 3 });
      await slow(0);
      expect(await say('a', 'as they like', 35_000)).toMatchObject({ id: 4 });
      expect(await commentCounts()).toEqual({ a: 3, b: 1 });
    });

    test('a line of a clock that was set back since keeps nobody waiting', async () => {
      await slow(30);
      await say('a', 'an hour ahead', 3_600_000);
      expect(await say('a', 'of a node that is a second behind', 3_599_000)).toEqual({
        wait_ms: 30_000,
      });
      expect(await say('a', 'set back', 5_000)).toMatchObject({ text: 'set back' });
    });

    test('of lines that come at once, by whichever node, a slow chat takes one', async () => {
      await slow(30);
      const said = Array.from({ length: 12 }, (_, at) =>
        say('a', `${at}`, 5_000, at % 2 === 0 ? beside : store),
      );
      const taken = (await Promise.all(said)).filter(
        (one) => typeof one === 'object' && 'id' in one,
      );
      expect(taken).toHaveLength(1);
      expect(await commentCounts()).toEqual({ a: 1, b: 0 });
    });

    test('nothing is kept of a viewer who was erased', async () => {
      await store.perform(eraseViewer, { channel_id, viewer_id: 'a' });
      expect(await say('a', 'hello')).toBe('gone');
      expect(await texts()).toEqual([]);
      expect(await say('b', 'hello')).toMatchObject({ viewer_id: 'b' });
    });

    test('removing tells which messages there were; a number is not used again', async () => {
      for (const text of ['one', 'two', 'three']) await say('a', text);
      const ids = [3, 2, 2, 77];
      expect(await store.perform(removeMessages, { account_id: 1, channel_id, ids })).toEqual([
        2, 3,
      ]);
      expect(await store.perform(removeMessages, { account_id: 1, channel_id, ids })).toEqual([]);
      expect(await store.perform(removeMessages, { account_id: 1, channel_id, ids: [] })).toEqual(
        [],
      );
      await say('a', 'four');
      expect(await texts()).toEqual(['1 one', '4 four']);
      expect(await commentCounts()).toEqual({ a: 4, b: 0 });
      const tooMany = Array.from({ length: removedMax + 1 }, (_, at) => at);
      expect(
        store.perform(removeMessages, { account_id: 1, channel_id, ids: tooMany }),
      ).rejects.toThrow();
    });

    test('a second mute changes until when; lifting one kind leaves the other', async () => {
      await mute('a', 9_000);
      await mute('a', null);
      await mute('a', 8_000, 'ban');
      const created_at = 4_000;
      expect(await silencesOf(store, channel_id)).toEqual([
        { viewer_id: 'a', kind: 'ban', until: 8_000, created_at },
        { viewer_id: 'a', kind: 'mute', until: null, created_at },
      ]);
      const lift = () =>
        store.perform(unsilence, { account_id: 1, channel_id, viewer_id: 'a', kind: 'mute' });
      expect(await lift()).toBe(true);
      expect(await lift()).toBe(false);
      expect(await silencesOf(store, channel_id)).toHaveLength(1);
    });

    test('a silence beyond the bound is refused, and those that are over do not count', async () => {
      const rowsAtOnce = 1_000;
      for (let from = 0; from < silencesMax; from += rowsAtOnce) {
        await store.run(
          `INSERT INTO chat_silences (channel_id, viewer_id, kind, until, created_at)
           VALUES ${placeholders(rowsAtOnce, 5)}`,
          Array.from({ length: rowsAtOnce }, (_, at) => [
            channel_id,
            `v${from + at}`,
            'mute',
            6_000,
            0,
          ]).flat(),
        );
      }
      expect(mute('a', null)).rejects.toThrow('lift some first');
      await mute('v7', null);
      expect(await silencesOf(store, channel_id)).toHaveLength(silencesMax);
      await store.perform(silence, {
        account_id: 1,
        channel_id,
        viewer_id: 'a',
        kind: 'ban',
        until: null,
        now: 6_000,
      });
      expect((await silencesOf(store, channel_id)).map(({ viewer_id }) => viewer_id)).toEqual([
        'a',
        'v7',
      ]);
    });
  });
}
