// A show counted from its rows: whose they are, when they entered, what is kept of it and until when.
import { afterAll, describe, expect, test } from 'bun:test';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import { rowsPerPiece } from '../../base/api/pieces.ts';
import { placeholders, type Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { isoTime, monotonicMs } from '../../base/lib/time.ts';
import { createAccount } from '../../library/access/account-store.ts';
import { feeds } from '../../library/events/event-feed.ts';
import { eventsAfter } from '../../library/events/event-store.ts';
import { endLive, keepLive, startLive } from '../../stream/live/live-store.ts';
import { addMessage } from '../chat/chat-store.ts';
import { forgetOld } from '../privacy/retention.ts';
import { creditAudience, eraseViewer } from '../records/audience-store.ts';
import { spanText } from '../records/span.ts';
import { countEnded } from './ended-shows.ts';
import { readMarks } from './show-marks-store.ts';
import { findShow, listShows, pieceRows } from './show-report-store.ts';
import type { SheetFilter } from './show-sheet.ts';
import { ShowSheets } from './show-sheets.ts';

const begin = Date.UTC(2026, 4, 4, 12, 0, 0);
const minute = 60_000;
const day = 86_400_000;
const account_id = 1;

for (const engine of engines) {
  describe(engine.name, () => {
    test('those who entered long before it began are counted, and nobody in between is read', async () => {
      const { watch, figures, store, channel_id, sheets } = await newShow(engine);
      const enteredAt = begin - 30 * day;
      await watch('month', { enteredAt, from: 0, to: 2 });
      for (let n = 0; n < 3; n++)
        await watch(`between ${n}`, { enteredAt: enteredAt + day, from: 0, to: 0 });
      await watch('waiting', { enteredAt: begin - minute, from: 0, to: 1 });
      await watch('late', { enteredAt: begin + minute, from: 1, to: 2 });
      expect(await figures()).toMatchObject({ uv: 3, pv: 3, watch_ms: 4 * minute, peak: 2 });
      const [row] = await store.all(
        'SELECT first_entry_at, last_entry_at FROM shows WHERE channel_id = $1',
        [channel_id],
      );
      expect(row).toEqual({ first_entry_at: begin - minute, last_entry_at: begin + minute });
      await sheets.stop();
    });

    test('more sessions than are read at once are all counted', async () => {
      const { store, channel_id, figures, credit } = await newShow(engine);
      const count = pieceRows + 10;
      const entered = await enterAnew(
        store,
        channel_id,
        Array.from({ length: count }, (_, n) => entry(`v${n}`, begin + n)),
      );
      for (let at = 0; at < count; at += 400)
        await credit(entered.slice(at, at + 400), { from: 0, to: 1 });
      expect(await figures()).toMatchObject({ uv: count, peak: count, watch_ms: count * minute });
    });

    test('what it came to is kept when it is over, and counted anew when records change', async () => {
      const { watch, figures, found, end, store, channel_id } = await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      await watch('b', { from: 1, to: 2 });
      expect(await figures()).toMatchObject({ uv: 2 });
      expect((await found()).kept).toBeUndefined();
      await end(2);
      await figures();
      expect((await found()).kept).toMatchObject({ isFrozen: false, figures: { uv: 2 } });
      await watch('c', { from: 0, to: 1 });
      expect((await found()).kept).toBeUndefined();
      expect(await figures()).toMatchObject({ uv: 3 });
      await store.perform(eraseViewer, { channel_id, viewer_id: 'b' });
      expect(await figures()).toMatchObject({ uv: 2, watch_ms: 3 * minute });
      expect((await found()).kept).toMatchObject({ figures: { uv: 2 } });
    });

    test('a show that has ended a minute ago is counted before anybody asks', async () => {
      const { watch, found, end, countEnded } = await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      expect(await countEnded(begin + 5 * minute)).toBe(0);
      await end(2);
      expect(await countEnded(begin + 2.5 * minute)).toBe(0);
      expect(await countEnded(begin + 5 * minute)).toBe(1);
      expect((await found()).kept).toMatchObject({ figures: { uv: 1 } });
      expect(await countEnded(begin + 5 * minute)).toBe(0);
    });

    test('it is told once, when it has settled, also where nobody watched; again where it went on', async () => {
      const { end, figures, countEnded, store, channel_id } = await newShow(engine);
      const told = async () =>
        (await eventsAfter(store, { account_id, feed: feeds.main, seq: 0, limit: 100 }))
          .filter((event) => event.type === 'show.ended')
          .map(({ data }) => JSON.parse(data));
      await end(2);
      // Somebody asks at once: not all that was watched is written by then.
      await figures();
      expect(await countEnded(begin + 2.5 * minute)).toBe(0);
      expect(await told()).toEqual([]);
      expect(await countEnded(begin + 3 * minute)).toBe(1);
      expect(await countEnded(begin + 4 * minute)).toBe(0);
      expect(await told()).toMatchObject([
        {
          channel_id,
          begin: isoTime(begin),
          end: isoTime(begin + 2 * minute),
          video_ids: [],
          figures: { uv: 0, pv: 0, peak: 0, average: 0, watch_seconds: 0 },
        },
      ]);
      // A service that was taken for gone says that it is still on.
      const shows = [{ channel_id, begin_at: begin }];
      await store.perform(keepLive, { node: 'a', shows, now: begin + 5 * minute });
      expect(await countEnded(begin + 6 * minute)).toBe(0);
      await end(7);
      expect(await countEnded(begin + 8 * minute)).toBe(1);
      expect((await told()).map((one) => one.end)).toEqual([
        isoTime(begin + 2 * minute),
        isoTime(begin + 7 * minute),
      ]);
    });

    test('a list of shows has their sums and no minutes, also of those that were kept before', async () => {
      const { watch, end, figures, store, channel_id } = await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      await end(2);
      await figures();
      const sums = {
        peak: 1,
        uv: 1,
        pv: 1,
        watch_ms: 2 * minute,
        last_ms: 2 * minute,
        minutes_each: 1,
      };
      const list = async () =>
        (await store.perform(listShows, { account_id, channel_id, p: 1, perPage: 10 })).rows;
      expect(await list()).toMatchObject([{ sums }]);
      expect((await list()).map((row) => row.sums)).toEqual([sums]);
      const [kept] = await store.all<{ sums: string }>(
        'SELECT sums FROM show_figures WHERE channel_id = $1',
        [channel_id],
      );
      expect(JSON.parse(kept?.sums ?? '')).toEqual(sums);
      await store.run('UPDATE show_figures SET sums = NULL WHERE channel_id = $1', [channel_id]);
      expect((await list()).map((row) => row.sums)).toEqual([sums]);
    });

    test('one that cannot be counted keeps no other from it', async () => {
      const store = await openTestStore(engine);
      const asked: number[] = [];
      const channels = [await newChannel(store), await newChannel(store), await newChannel(store)];
      for (const [at, channel_id] of channels.entries()) {
        const row = { channel_id, begin_at: begin, end_at: null, media_ms: 0, anchors: '[]' };
        await store.perform(startLive, { node: 'a', startedAt: begin, show: row, now: begin });
        await store.perform(endLive, { node: 'a', show: { ...row, end_at: begin + minute + at } });
      }
      const figures: ShowSheets['figures'] = async ({ channel_id }) => {
        asked.push(channel_id);
        throw new Error('the thread ended');
      };
      const now = () => begin + 5 * minute;
      const log = startLog('silent');
      expect(await countEnded({ store, sheets: { figures }, now, log })).toBe(0);
      expect(asked).toEqual(channels);
      await store.close();
    });

    test('figures of records that have changed since are not kept', async () => {
      const { watch, found, sheets, end } = await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      await end(2);
      const before = await found();
      await watch('b', { from: 0, to: 2 });
      expect(await sheets.freeze(before, account_id, { mayBeOld: false })).toBeFalse();
      expect((await found()).kept).toBeUndefined();
    });

    test('retention removes records and leaves what they came to', async () => {
      const { watch, figures, found, end, store, channel_id, forget } = await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      await watch('b', { from: 1, to: 2 });
      await end(2);
      await forget(begin + 10 * day);
      expect(await store.all('SELECT 1 FROM sessions WHERE channel_id = $1', [channel_id])).toEqual(
        [],
      );
      expect(await figures()).toMatchObject({ uv: 2, pv: 2, peak: 2, watch_ms: 3 * minute });
      expect(await found()).toMatchObject({ kept: { isFrozen: true }, records_from: null });
      await store.perform(eraseViewer, { channel_id, viewer_id: 'a' });
      expect(await figures()).toMatchObject({ uv: 2 });
    });

    test('retention ends though records change whenever they are counted', async () => {
      const { watch, figures, found, end, store, channel_id, forget, sheets } =
        await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      await end(2);
      let tries = 0;
      const freeze: ShowSheets['freeze'] = async (...order) => {
        tries += 1;
        // After it was found, as an import or an erasure may come.
        await watch(`again ${tries}`, { from: 0, to: 1 });
        return await sheets.freeze(...order);
      };
      await forget(begin + 10 * day, { freeze });
      expect(tries).toBe(3);
      expect(await store.all('SELECT 1 FROM sessions WHERE channel_id = $1', [channel_id])).toEqual(
        [],
      );
      expect(await found()).toMatchObject({ kept: { isFrozen: true } });
      expect(await figures()).toMatchObject({ uv: 4 });
    });

    test('of accounts that ask at once each has its turn, however many shows one asks for', async () => {
      const store = await openTestStore(engine);
      const account = await store.perform(createAccount, { name: 'b', plan: 'traffic', now: 0 });
      const read: string[] = [];
      const watched = Object.create(store, {
        perform: {
          value: (operation: { name: string }, input: { account_id: number }) => {
            if (operation.name === 'reports.sessions') read.push(`account ${input.account_id}`);
            return store.perform(operation as never, input as never);
          },
        },
      });
      const sheets = new ShowSheets({ store: watched, monotonicMs });
      opened.add(sheets);
      const show = async (account_id: number) => {
        const channel_id = await newChannel(store, account_id);
        const row = { channel_id, begin_at: begin, end_at: null, media_ms: 0, anchors: '[]' };
        await store.perform(startLive, { node: 'a', startedAt: begin, show: row, now: begin });
        return await store.perform(findShow, { account_id, channel_id, show: undefined });
      };
      const shows = [await show(1), await show(1), await show(1), await show(account)];
      await Promise.all(
        shows.map(async (found, at) => {
          if (found) await sheets.figures(found, at < 3 ? 1 : account);
        }),
      );
      expect(read).toEqual(['account 1', 'account 1', `account ${account}`, 'account 1']);
    });

    test('of a show that is on for longer than records are kept, those that are left are counted', async () => {
      const { watch, figures, found, forget } = await newShow(engine);
      await watch('a', { from: 0, to: 2 });
      const later = (10 * day) / minute;
      await watch('b', { enteredAt: begin + 10 * day, from: later, to: later + 1 });
      await forget(begin + 10 * day);
      expect(await figures()).toMatchObject({ uv: 1, watch_ms: minute });
      expect(await found()).toMatchObject({ kept: undefined, records_from: begin + 3 * day });
    });

    test('more people than are told at once are all told, in order, also a part of them', async () => {
      const { store, channel_id, credit, found, sheets } = await newShow(engine);
      const count = 2 * rowsPerPiece + 10;
      const entered = await enterAnew(
        store,
        channel_id,
        Array.from({ length: count }, (_, n) => entry(`v${n}`, begin + n)),
      );
      const [early, late] = [entered.slice(0, rowsPerPiece), entered.slice(rowsPerPiece)];
      await credit(early, { from: 0, to: 1 });
      await credit(late, { from: 0, to: 2 });
      const all = async (filter: SheetFilter) => {
        const next = await sheets.people(await found(), account_id, filter);
        const ids: string[] = [];
        for (let people = await next(); people.length > 0; people = await next())
          ids.push(...people.map(({ viewer_id }) => viewer_id));
        return ids;
      };
      const ids = Array.from({ length: count }, (_, n) => `v${n}`);
      expect(await all({})).toEqual(ids);
      expect(await all({ left: 1 })).toEqual(ids.slice(rowsPerPiece));
      expect(await all({ left: 0 })).toEqual(ids.slice(0, rowsPerPiece));
      expect(await all({ place: 'nowhere' })).toEqual([]);
    });

    test('chat and shares are marked in the minute they were in, and not behind its end', async () => {
      const { watch, store, channel_id, end } = await newShow(engine);
      await watch('a', { from: 0, to: 3 });
      const say = async (at: number) => {
        const line = { channel_id, viewer_id: 'a', nick: '', text: 'hello', at: begin + at };
        await store.perform(addMessage, line);
      };
      for (const at of [0, 59_999, 2 * minute + 1, 4 * minute]) await say(at);
      await store.run('INSERT INTO shares (channel_id, shared_at, viewer_id) VALUES ($1, $2, $3)', [
        channel_id,
        begin + minute + 30_500,
        'a',
      ]);
      await end(3);
      const of = { account_id, channel_id, begin_at: begin, end_at: begin + 3 * minute };
      const marks = await store.perform(readMarks, { ...of, minutes_each: 1 });
      expect(marks).toEqual({ chat: [2, 0, 1], shares: [0, 1] });
      const long = await store.perform(readMarks, { ...of, minutes_each: 2 });
      expect(long).toEqual({ chat: [2, 1], shares: [1] });
    });

    test('a filter leaves the marks of those whom it leaves, however many there are', async () => {
      const { watch, store, channel_id, end, sheets, found } = await newShow(engine);
      await watch('a', { from: 0, to: 3, addr: 'Oslo' });
      await watch('b', { from: 0, to: 3, addr: 'Rome' });
      const lines = pieceRows + 3;
      // Two at each moment; every third line is of somebody who watched nothing.
      const said = Array.from({ length: lines }, (_, n) => [
        ...[channel_id, n + 1, ['b', 'nobody', 'a'][n % 3] ?? '', begin + Math.floor(n / 2)],
        ...['', 'hello'],
      ]);
      await store.run(
        `INSERT INTO chat_messages (channel_id, id, viewer_id, sent_at, nick, text)
         VALUES ${placeholders(lines, 6)}`,
        said.flat(),
      );
      const shared = [
        ['a', minute],
        ['b', minute],
        ['a', 2 * minute],
      ] as const;
      for (const [viewer_id, at] of shared)
        await store.run(
          'INSERT INTO shares (channel_id, shared_at, viewer_id) VALUES ($1, $2, $3)',
          [channel_id, begin + at, viewer_id],
        );
      await end(3);
      const ofA = Math.floor(lines / 3);
      const marks = async (filter: SheetFilter) =>
        await sheets.marks(await found(), account_id, filter);
      expect(await marks({ place: 'Oslo' })).toEqual({ chat: [ofA], shares: [0, 1, 1] });
      expect(await marks({ place: 'Rome' })).toMatchObject({ shares: [0, 1] });
      expect(await marks({ place: 'Nowhere' })).toEqual({ chat: [], shares: [] });
    });

    test('a filter counts a part, and names who it is', async () => {
      const { watch, count } = await newShow(engine);
      await watch('a', { from: 0, to: 3, addr: 'Oslo', device: 'iPhone' });
      await watch('b', { from: 0, to: 1, addr: 'Oslo', device: 'Windows' });
      await watch('c', { from: 2, to: 3, addr: 'Rome', device: 'iPhone' });
      const names = async (filter: SheetFilter) => {
        const { figures, people } = await count(filter);
        expect(figures.uv).toBe(people.length);
        return people.map(({ viewer_id }) => viewer_id);
      };
      expect(await names({})).toEqual(['a', 'b', 'c']);
      expect(await names({ place: 'Oslo' })).toEqual(['a', 'b']);
      expect(await names({ place: 'Oslo', device: 'iPhone' })).toEqual(['a']);
      expect(await names({ place: 'Nowhere' })).toEqual([]);
      expect(await names({ left: 0 })).toEqual(['b']);
      expect(await names({ came: 2 })).toEqual(['c']);
      expect(await names({ seen: 1 })).toEqual(['a']);
      const { groups } = await count({ device: 'iPhone' });
      expect(groups).toMatchObject({
        place: [
          { name: 'Oslo', viewers: 1 },
          { name: 'Rome', viewers: 1 },
        ],
        device: [{ name: 'iPhone', viewers: 2 }],
      });
    });
  });
}

const opened = new Set<ShowSheets>();
afterAll(async () => {
  for (const sheets of opened) await sheets.stop();
});

interface Watched {
  /** Minutes of the show. */
  from: number;
  to: number;
  enteredAt?: number;
  addr?: string;
  device?: string;
}

/** A show that is on, of a channel of its own. */
async function newShow(engine: Engine) {
  const store: Store = await openTestStore(engine);
  const channel_id = await newChannel(store);
  const row = { channel_id, begin_at: begin, end_at: null, media_ms: 0, anchors: '[]' };
  const node = 'a';
  await store.perform(startLive, { node, startedAt: begin, show: row, now: begin });
  const sheets = new ShowSheets({ store, monotonicMs });
  opened.add(sheets);
  const found = async () => {
    const show = await store.perform(findShow, { account_id, channel_id, show: undefined });
    if (!show) throw new Error('there is no show');
    return show;
  };
  const credit = async (
    entered: Awaited<ReturnType<typeof enterAnew>>,
    { from, to }: Pick<Watched, 'from' | 'to'>,
  ) => {
    const watch_ms = (to - from) * minute;
    const span = {
      show: begin,
      from: begin + from * minute,
      to: begin + to * minute,
      position: from * minute,
    };
    const spans = spanText(watch_ms > 0 ? [span] : []);
    const sums = { last_seen_at: span.to, watch_ms, credited_until: span.to, online_ms: watch_ms };
    await store.perform(creditAudience, {
      channel_id,
      numbering: entered[0]?.numbering ?? 0,
      sessions: entered.map(({ session_seq, record_id }) => ({
        seq: session_seq,
        record_id,
        viewer_id: '',
        ...sums,
        spans,
      })),
      visitors: [],
      shows: watch_ms > 0 ? [{ show: begin, entered: entered.map((one) => one.entered_at) }] : [],
    });
  };
  return {
    store,
    channel_id,
    sheets,
    found,
    credit,
    watch: async (
      viewer_id: string,
      { enteredAt, addr = '', device = '', ...watched }: Watched,
    ) => {
      const at = enteredAt ?? begin + watched.from * minute;
      const entries = [{ ...entry(viewer_id, at), addr, device }];
      await credit(await enterAnew(store, channel_id, entries), watched);
    },
    end: (minutes: number) =>
      store.perform(endLive, { node, show: { ...row, end_at: begin + minutes * minute } }),
    figures: async () => await sheets.figures(await found(), account_id),
    count: async (filter: SheetFilter) => await sheets.count(await found(), account_id, filter),
    countEnded: (now: number) =>
      countEnded({ store, sheets, now: () => now, log: startLog('silent') }),
    forget: (now: number, by: Pick<ShowSheets, 'freeze'> = sheets) =>
      forgetOld({
        store,
        sheets: by,
        now: () => now,
        log: startLog('silent'),
        audienceRetentionDays: 7,
        ipRetentionDays: 0,
      }),
  };
}
