// What goes of a deleted channel, when, and that nothing else does, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  enterAnew,
  entry,
  newChannel,
  openTestStore,
  plainVideo,
} from '../../../test/support/store.ts';
import { addMessage, silence } from '../../audience/chat/chat-store.ts';
import { forgetOld } from '../../audience/privacy/retention.ts';
import { countShare } from '../../audience/records/audience-store.ts';
import type { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { claimPush } from '../../stream/live/push-lease-store.ts';
import { addRecording, removeRecording } from '../../stream/recording/recording-store.ts';
import { addUpload } from '../../stream/uploads/upload-store.ts';
import { makeCodes } from '../admission/admission-store.ts';
import { register } from '../admission/registration-store.ts';
import { setCaptions } from '../captions/captions-store.ts';
import { addImage } from '../images/image-store.ts';
import { addVideos } from '../videos/video-store.ts';
import { type ChannelRemovalOptions, removeGone } from './channel-removal.ts';
import { channelTables, removedAtOnce } from './channel-removal-store.ts';
import { deleteChannel, restoreChannel } from './deleted-channel-store.ts';

const now = Date.UTC(2026, 5, 1);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const keptMs = 7 * dayMs;
const owner = { account_id: 1, manager_id: 0 };
const log = startLog('silent');

/** What has a channel's number and goes otherwise: with its own row, by itself within a day or within days, or when its recordings are looked at. */
const otherTables = ['channel_audience', 'idempotency_keys', 'events', 'recording_stints'];

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    const sweep = (at: number, more: Partial<ChannelRemovalOptions> = {}) =>
      removeGone({ store, now: () => at, log, keptMs, ...more });
    const remove = (id: number, at = now) => store.perform(deleteChannel, { id, owner, now: at });

    test('every table that names a channel is known', async () => {
      const named = await store.all<{ name: string }>(
        store.dialect === 'sqlite'
          ? `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c
             WHERE s.type = 'table' AND c.name = 'channel_id'`
          : `SELECT table_name AS name FROM information_schema.columns
             WHERE table_schema = current_schema() AND column_name = 'channel_id'`,
      );
      const known = [...Object.keys(channelTables), ...otherTables];
      expect(named.map(({ name }) => name).sort()).toEqual(known.sort());
    });

    test('a channel goes when its time is over, with all that is its own; others keep theirs', async () => {
      const kept = await fullChannel(store);
      const gone = await fullChannel(store);
      const before = await rowsOf(store, kept);
      const whole = await rowsOf(store, gone);
      await remove(gone);
      await sweep(now + keptMs - 1);
      expect(await rowsOf(store, gone)).toEqual(whole);
      await sweep(now + keptMs);
      // The bare row tells those who come late.
      const nothing = Object.fromEntries(Object.keys(whole).map((table) => [table, 0]));
      expect(await rowsOf(store, gone)).toEqual({ ...nothing, channels: 1, channel_audience: 1 });
      await sweep(now + keptMs + hourMs - 1);
      expect((await rowsOf(store, gone))['channels']).toBe(1);
      await sweep(now + keptMs + hourMs);
      expect(await rowsOf(store, gone)).toEqual(nothing);
      expect(await rowsOf(store, kept)).toEqual(before);
      expect(
        await store.all('SELECT name FROM marks WHERE name LIKE $1', [`addresses% ${gone}`]),
      ).toEqual([]);
      expect(
        await store.all("SELECT total FROM totals WHERE part = 'channel' AND part_id = $1", [gone]),
      ).toEqual([]);
    });

    test('from the first step on it cannot be brought back, whatever the setting says then', async () => {
      const id = await newChannel(store);
      await remove(id);
      await sweep(now + 1, { keptMs: 0 });
      const asked = store.perform(restoreChannel, { id, owner, keptMs, now: now + 1 });
      expect(
        await asked.then(
          () => undefined,
          (error: ApiError) => error.kind,
        ),
      ).toBe('noChannel');
    });

    test('one that was brought back stays, and what is deleted later goes later', async () => {
      const [back, later] = [await newChannel(store), await newChannel(store)];
      await remove(back);
      await store.perform(restoreChannel, { id: back, owner, keptMs, now: now + 1 });
      await remove(later, now + 2);
      await sweep(now + keptMs + 1);
      expect(await goneAt(store, back)).toBeNull();
      expect(await goneAt(store, later)).toBeNull();
      await sweep(now + keptMs + 2);
      expect(await goneAt(store, back)).toBeNull();
      expect(await goneAt(store, later)).toBe(now + keptMs + 2);
    });

    test('many rows go in many steps, also when two services sweep at once', async () => {
      const id = await newChannel(store);
      const many = 2 * removedAtOnce + 7;
      const entries = Array.from({ length: many }, (_, at) => entry(`v ${at}`, now + at));
      await enterAnew(store, id, entries);
      await remove(id);
      const at = now + keptMs;
      await Promise.all([sweep(at), sweep(at)]);
      expect(await rowsOf(store, id)).toMatchObject({ sessions: 0, visitors: 0, channels: 1 });
      await Promise.all([sweep(at + hourMs), sweep(at + hourMs)]);
      expect((await rowsOf(store, id))['channels']).toBe(0);
    });

    test('while a disk still has files of it the row stays, and so do those of its recordings', async () => {
      const id = await newChannel(store);
      const video = await record(store, id, 'of another node');
      await remove(id);
      await sweep(now + keptMs);
      await sweep(now + keptMs + hourMs);
      expect(await rowsOf(store, id)).toMatchObject({ videos: 1, channels: 1 });
      await store.perform(removeRecording, { id: Number(video) });
      await sweep(now + keptMs + hourMs);
      expect(await rowsOf(store, id)).toMatchObject({ videos: 0, channels: 0 });
    });

    test('a recording that ends after the delete is its video, one that comes after all is told', async () => {
      const id = await newChannel(store);
      await remove(id);
      const count = () => totalsOf(store);
      const before = await count();
      expect(await record(store, id, 'late')).toBeNumber();
      expect(await count()).toEqual(before);
      await store.perform(restoreChannel, { id, owner, keptMs, now });
      expect(await count()).toEqual(before.map((total) => total + 1));
      await remove(id);
      await sweep(now + keptMs);
      expect(await record(store, id, 'too late')).toBe('channel gone');
      expect(await record(store, 999_999_999, 'lost')).toBe('unknown channel');
    });

    test('what is kept for a time only goes from a deleted channel, too', async () => {
      const id = await newChannel(store);
      await enterAnew(store, id, [entry('old', now - 10 * dayMs), entry('new', now)]);
      await remove(id);
      await forgetOld({
        ...noShows,
        store,
        now: () => now,
        log,
        audienceRetentionDays: 5,
        ipRetentionDays: 0,
      });
      expect(await rowsOf(store, id)).toMatchObject({ sessions: 1, visitors: 1 });
    });
  });
}

/** None of those that are forgotten here has watched one. */
const noShows = {
  sheets: { freeze: () => Promise.reject(new Error('a show was to be frozen')) },
};

/** A channel that has a row in every table. */
async function fullChannel(store: Store): Promise<number> {
  const channel_id = await newChannel(store);
  await store.perform(claimPush, {
    ...{ channel_id, node: 'here', key_hash: '', push: 'push', reconnectMs: 0, now },
    ...{ heldEpoch: undefined, silentSince: undefined },
  });
  await enterAnew(store, channel_id, [{ ...entry('ada', now - dayMs), ip: '203.0.113.9' }]);
  await store.perform(makeCodes, {
    ...{ kind: 'channel', id: channel_id, owner, channel_id, thing: `c${channel_id}` },
    ...{ codes: [{ key: 'code 1', hint: '1' }], note: '', uses_max: 1, now },
  });
  for (const viewer_id of ['ada', 'bob'])
    await store.perform(register, {
      ...{ channel_id, viewer_id, thing: `c${channel_id}`, id: `${viewer_id}s` },
      ...{ names: ['name'], answers: { name: viewer_id }, now },
    });
  await store.perform(addMessage, {
    channel_id,
    viewer_id: 'ada',
    nick: '',
    text: 'hello',
    at: now,
  });
  const of = { account_id: 1, channel_id, viewer_id: 'bob' };
  for (const kind of ['mute', 'ban'] as const)
    await store.perform(silence, { ...of, kind, until: null, now });
  await store.run(
    `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at, last_entry_at, changes)
     VALUES ($1, 5, 6, 0, '[]', 5, 5, 0)`,
    [channel_id],
  );
  await store.run(
    "INSERT INTO show_figures (channel_id, show_at, changes, figures, frozen) VALUES ($1, 5, 0, '{}', 0)",
    [channel_id],
  );
  await store.run('INSERT INTO long_before (channel_id, show_at, entered_at) VALUES ($1, 5, 1)', [
    channel_id,
  ]);
  await store.perform(countShare, { channel_id, viewer_id: 'ada', at: now });
  const videos = [plainVideo({ external_id: `of ${channel_id}`, channel_id })];
  await store.perform(addVideos, { account_id: 1, videos });
  const made = { label: 'English', cues: 1, bytes: 6, text: 'WEBVTT' };
  const [video] = await store.all<{ id: number }>('SELECT id FROM videos WHERE channel_id = $1', [
    channel_id,
  ]);
  for (const language of ['en', 'de'])
    await store.perform(setCaptions, {
      ...{ video_id: video?.id ?? 0, owner },
      made: { language, ...made },
    });
  // More than go at once.
  for (let n = 0; n < 5; n += 1)
    await store.perform(addImage, {
      ...{ channel_id, owner, type: 'image/png', width: 1, height: 1, now },
      bytes: new Uint8Array(9),
    });
  await store.perform(addUpload, {
    ...{ id: `of ${channel_id}`, channel_id, owner, node: 'here', recording: 'none', now },
    ...{ name: 'file', filename: '', size: 1 },
  });
  await forgetOld({
    ...noShows,
    store,
    now: () => now + 3 * hourMs,
    log,
    audienceRetentionDays: 0,
    ipRetentionDays: 1,
  });
  expect(Object.entries(await rowsOf(store, channel_id)).filter(([, n]) => n === 0)).toEqual([]);
  return channel_id;
}

/** How many rows of each table are a channel's. */
async function rowsOf(store: Store, id: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const column = { channels: 'id' } as Record<string, string>;
  for (const table of [...Object.keys(channelTables), 'channel_audience', 'channels']) {
    const row = await store.one<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${table} WHERE ${column[table] ?? 'channel_id'} = $1`,
      [id],
    );
    counts[table] = row?.n ?? 0;
  }
  return counts;
}

async function goneAt(store: Store, id: number): Promise<number | null | undefined> {
  const row = await store.one<{ gone_at: number | null }>(
    'SELECT gone_at FROM channels WHERE id = $1',
    [id],
  );
  return row?.gone_at;
}

/** Of the account's videos: all, and those of no manager. */
async function totalsOf(store: Store): Promise<number[]> {
  const rows = await store.all<{ total: number }>(
    "SELECT total FROM totals WHERE account_id = 1 AND kind = 'videos' AND part <> 'channel' ORDER BY part",
  );
  return rows.map(({ total }) => total);
}

function record(store: Store, channel_id: number, recording: string) {
  return store.perform(addRecording, {
    recording,
    channel_id,
    account_id: 1,
    show_at: null,
    show_ms: null,
    startText: '2026-06-01 00:00',
    video_size: 1,
    duration: 1,
    width: 0,
    height: 0,
    start_time: now,
    end_time: now,
    sameAsSource: [],
    jobs: ['mp4'],
    node: 'another',
    now,
  });
}
