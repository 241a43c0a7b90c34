// The rows of channels follow the hub, whatever the database does meanwhile.
import { afterEach, describe, expect, jest, test } from 'bun:test';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { deleteChannel } from '../../library/deletion/deleted-channel-store.ts';
import { startLiveRecord } from './live-record.ts';
import { channelOfKey } from './live-store.ts';
import { LiveStream } from './live-stream.ts';
import { Show } from './show.ts';

const stores: Store[] = [];

afterEach(async () => {
  jest.useRealTimers();
  for (const store of stores.splice(0)) await store.close();
});

const keepMs = 5_000;
const retryMs = 1_000;

for (const engine of engines) {
  describe(engine.name, () => {
    test('a channel is live from its first part to its end', async () => {
      const { store, record, onAir } = await trial(engine);
      const stream = await onAir();
      expect(await isLive(store, stream)).toBe(false);
      record.started(stream, showOf(stream));
      await until(() => isLive(store, stream));
      record.ended(stream, showOf(stream));
      await until(async () => !(await isLive(store, stream)));
      await record.stop();
    });

    test('a channel keeps the size of its last picture, also when the push is over', async () => {
      const { store, record, onAir } = await trial(engine);
      const stream = await onAir();
      const { id } = stream.channel;
      const size = () =>
        store.one('SELECT picture_width AS w, picture_height AS h FROM channels WHERE id = $1', [
          id,
        ]);
      const track = { kind: 'video', codec: 'avc1.64001f', record: new Uint8Array(1) } as const;
      expect(await size()).toEqual({ w: 0, h: 0 });
      stream.track({ ...track, width: 720, height: 1_280 });
      record.started(stream, showOf(stream));
      await until(() => isLive(store, stream));
      expect(await size()).toEqual({ w: 720, h: 1_280 });
      // Its encoder comes back with another picture, then with sound alone.
      stream.resume();
      stream.track({ ...track, record: new Uint8Array(2), width: 1_280, height: 720 });
      record.changed(stream, showOf(stream));
      await until(async () => Bun.deepEquals(await size(), { w: 1_280, h: 720 }));
      stream.resume();
      record.changed(stream, showOf(stream));
      record.ended(stream, showOf(stream));
      await record.stop();
      expect(await size()).toEqual({ w: 1_280, h: 720 });
    });

    test('the late end of an old stream leaves its successor live', async () => {
      const { store, record, onAir } = await trial(engine);
      const old = await onAir();
      record.started(old, showOf(old));
      const next = new LiveStream(old.channel, 9_000);
      record.started(next, showOf(next));
      record.ended(old, showOf(old));
      await record.stop();
      expect(await isLive(store, next)).toBe(true);
      expect(
        await store.one('SELECT last_push_stream_at AS at FROM channels WHERE id = $1', [
          next.channel.id,
        ]),
      ).toEqual({ at: 9_000 });
    });

    test('the next start tells what a killed one had live, and until when it may have been', async () => {
      const { store, record, clock, onAir } = await trial(engine);
      expect(record.before).toEqual([]);
      const stream = await onAir();
      record.started(stream, showOf(stream));
      await until(() => isLive(store, stream));
      clock.now += 60_000;
      const start = () => startLiveRecord({ ...quiet, now: () => clock.now, store, node: 'here' });
      const next = await start();
      const endAt = 1_000 + keepMs;
      const show = Show.until(endAt, 600, showOf(stream).anchors);
      expect(next.before).toEqual([{ channel_id: stream.channel.id, show, endAt }]);
      expect(await isLive(store, stream)).toBe(false);
      expect((await start()).before).toEqual([]);
    });

    test('what a killed one had live is not told where the clock was set back since', async () => {
      const { store, record, clock, onAir } = await trial(engine);
      const stream = await onAir();
      record.started(stream, showOf(stream));
      await until(() => isLive(store, stream));
      clock.now -= 1;
      const next = await startLiveRecord({ ...quiet, now: () => clock.now, store, node: 'here' });
      expect(next.before).toEqual([]);
      expect(await isLive(store, stream)).toBe(false);
    });

    test('what happened while the database was away is written when it is back', async () => {
      const { store, record, database, onAir } = await trial(engine);
      const goesOn = await onAir();
      const ends = await onAir();
      record.started(ends, showOf(ends));
      await until(() => isLive(store, ends));
      database.isAway = true;
      record.started(goesOn, showOf(goesOn));
      record.ended(ends, showOf(ends));
      await until(() => database.refused > 0);
      expect(await isLive(store, ends)).toBe(true);
      database.isAway = false;
      await until(async () => {
        jest.advanceTimersByTime(retryMs);
        return (await isLive(store, goesOn)) && !(await isLive(store, ends));
      });
      await record.stop();
    });

    test('a push that begins and ends while the database is away leaves no channel live', async () => {
      const { store, record, database, onAir } = await trial(engine);
      const stream = await onAir();
      database.isAway = true;
      record.started(stream, showOf(stream));
      await until(() => database.refused > 0);
      record.ended(stream, showOf(stream));
      database.isAway = false;
      await record.stop();
      expect(await isLive(store, stream)).toBe(false);
    });

    test('a stop does not wait for a database that is away', async () => {
      const { record, database, onAir } = await trial(engine);
      database.isAway = true;
      const stream = await onAir();
      record.started(stream, showOf(stream));
      await record.stop();
      expect(database.refused).toBeGreaterThan(0);
      const { refused } = database;
      jest.advanceTimersByTime(60_000);
      await turns(5);
      expect(database.refused).toBe(refused);
    });

    test('what is live is confirmed every 5 s, also where another thought it gone', async () => {
      const { store, clock, record, onAir } = await trial(engine);
      const stream = await onAir();
      record.started(stream, showOf(stream));
      await until(() => isLive(store, stream));
      await store.run('UPDATE channels SET live = 0, live_node = NULL');
      clock.now += 60_000;
      jest.advanceTimersByTime(keepMs);
      await until(() => isLive(store, stream));
      expect(await store.one('SELECT live_seen_at AS at FROM channels')).toEqual({ at: clock.now });
      await record.stop();
    });

    test('a confirmation that is slow does not undo a push that begins meanwhile', async () => {
      const { store, record, database, onAir } = await trial(engine);
      const stream = await onAir();
      const slow = Promise.withResolvers<void>();
      database.keepAfter = slow.promise;
      jest.advanceTimersByTime(keepMs);
      record.started(stream, showOf(stream));
      await turns(20);
      slow.resolve();
      await record.stop();
      expect(await isLive(store, stream)).toBe(true);
    });

    test('a push that came and went while the database was away has been', async () => {
      const { store, record, database, onAir } = await trial(engine);
      const stream = await onAir();
      database.isAway = true;
      record.started(stream, showOf(stream));
      record.ended(stream, showOf(stream));
      await until(() => database.refused > 0);
      database.isAway = false;
      await record.stop();
      expect(await isLive(store, stream)).toBe(false);
      expect(await store.one('SELECT last_push_stream_at AS at FROM channels')).toEqual({
        at: stream.startedAt,
      });
    });

    test('a node that starts again after a crash has nothing live', async () => {
      const { store, record, onAir } = await trial(engine);
      const stream = await onAir();
      record.started(stream, showOf(stream));
      await until(() => isLive(store, stream));
      const again = await startLiveRecord({ ...quiet, store, node: 'here' });
      expect(await isLive(store, stream)).toBe(false);
      // At the same millisecond.
      expect(again.before).toMatchObject([{ channel_id: stream.channel.id, endAt: 1_000 }]);
      await again.stop();
      await record.stop();
    });

    test('a show has a row from its beginning, follows its dates and ends', async () => {
      const { store, clock, record, onAir } = await trial(engine);
      const stream = await onAir();
      const show = showOf(stream);
      const rows = () =>
        store.all('SELECT channel_id, begin_at, end_at, media_ms, anchors FROM shows');
      const row = { channel_id: stream.channel.id, begin_at: 600 };
      record.started(stream, show);
      await until(() => isLive(store, stream));
      const first = { ...row, end_at: null, media_ms: 2_000, anchors: '[[0,550]]' };
      expect(await rows()).toEqual([first]);
      expect(show.add(2_000, 9_000)).toBe(true);
      record.changed(stream, show);
      const jumped = { ...row, media_ms: 4_000, anchors: '[[0,550],[2000,9000]]' };
      await until(async () => Bun.deepEquals(await rows(), [{ ...jumped, end_at: null }]));
      clock.now = 12_000;
      record.ended(stream, show);
      await record.stop();
      expect(await rows()).toEqual([{ ...jumped, end_at: 12_000 }]);
    });

    test('a show whose dates never rest keeps no other channel waiting', async () => {
      const { store, record, onAir, database, performed } = await trial(engine);
      const [restless, other] = [await onAir(), await onAir()];
      // Each time something is written it has changed.
      let changes = 20;
      database.onPerformed = () => {
        if (changes-- > 0) record.changed(restless, showOf(restless));
      };
      performed.length = 0;
      record.started(restless, showOf(restless));
      record.started(other, showOf(other));
      await until(() => isLive(store, other));
      await record.stop();
      expect(performed.slice(0, 3)).toEqual(['live.start', 'live.show', 'live.start']);
    });

    test('of two shows of a channel both have their end, though the database was away', async () => {
      const { store, clock, record, database, onAir } = await trial(engine);
      const first = await onAir();
      record.started(first, showOf(first));
      await until(() => isLive(store, first));
      database.isAway = true;
      clock.now = 5_000;
      record.ended(first, showOf(first));
      const second = new LiveStream(first.channel, 6_000);
      record.started(second, showOf(second));
      await until(() => database.refused > 0);
      clock.now = 8_000;
      record.ended(second, showOf(second));
      database.isAway = false;
      await record.stop();
      expect(await store.all('SELECT begin_at, end_at FROM shows ORDER BY begin_at')).toEqual([
        { begin_at: 600, end_at: 5_000 },
        { begin_at: 6_100, end_at: 8_000 },
      ]);
      expect(await isLive(store, second)).toBe(false);
    });

    test('a push to a channel that is deleted meanwhile is told of, and nothing is written of it', async () => {
      const { store, record, deleted, onAir } = await trial(engine);
      const stream = await onAir();
      const { id } = stream.channel;
      const owner = { account_id: 1, manager_id: 0 };
      await store.perform(deleteChannel, { id, owner, now: 900 });
      record.started(stream, showOf(stream));
      await until(() => deleted.length > 0);
      record.changed(stream, showOf(stream));
      record.ended(stream, showOf(stream));
      await record.stop();
      expect(deleted).toEqual([stream]);
      expect(await isLive(store, stream)).toBe(false);
      expect(await store.all('SELECT id FROM shows WHERE channel_id = $1', [id])).toEqual([]);
    });

    test('a start without a database is refused', async () => {
      const { record, database } = await trial(engine);
      database.isAway = true;
      await expect(
        startLiveRecord({ ...quiet, store: database.store, node: 'here' }),
      ).rejects.toThrow('the database is away');
      await record.stop();
    });
  });
}

const quiet = {
  now: () => 1_000,
  onDeleted: () => {},
  log: startLog('error', { write: (text) => text.length }),
};

async function trial(engine: Engine) {
  const store = await openTestStore(engine);
  stores.push(store);
  // Confirmations come every few seconds: the tests let that time pass at once.
  jest.useFakeTimers();
  const clock = { now: 1_000 };
  const performed: string[] = [];
  const deleted: LiveStream[] = [];
  const database = {
    isAway: false,
    refused: 0,
    keepAfter: undefined as Promise<void> | undefined,
    onPerformed: () => {},
    store,
  };
  // The real store, but for when it is away or slow.
  database.store = Object.assign(Object.create(store) as Store, {
    perform: (async (operation, input) => {
      performed.push(operation.name);
      if (operation.name === 'live.keep') await database.keepAfter;
      if (operation.name === 'live.start' || operation.name === 'live.show') database.onPerformed();
      if (!database.isAway) return await store.perform(operation, input);
      database.refused += 1;
      throw new Error('the database is away');
    }) satisfies Store['perform'],
  });
  const record = await startLiveRecord({
    ...quiet,
    now: () => clock.now,
    store: database.store,
    node: 'here',
    onDeleted: (stream) => deleted.push(stream),
  });
  const onAir = async () => {
    const id = await newChannel(store);
    const key = await store.one<{ stream_key: string }>(
      'SELECT stream_key FROM channels WHERE id = $1',
      [id],
    );
    const channel = await channelOfKey(store, key?.stream_key ?? '');
    if (!channel) throw new Error('no channel');
    return new LiveStream(channel, 500);
  };
  return { store, clock, record, performed, deleted, database, onAir };
}

/** Each stream has one. */
function showOf(stream: LiveStream): Show {
  const known = shows.get(stream);
  if (known) return known;
  const show = new Show(stream.startedAt + 100);
  show.add(2_000, show.begin - 50);
  shows.set(stream, show);
  return show;
}

const shows = new WeakMap<LiveStream, Show>();

async function isLive(store: Store, { channel }: LiveStream): Promise<boolean> {
  const row = await store.one<{ live: number }>('SELECT live FROM channels WHERE id = $1', [
    channel.id,
  ]);
  return row?.live === 1;
}

/** Lets the event loop turn, with or without timers. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > 45_000) throw new Error('it never came true');
    await turns(1);
  }
}
