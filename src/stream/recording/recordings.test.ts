// Pushes become videos: on both engines, after crashes, with a database that is away, and within the disk's bounds.
import { afterEach, describe, expect, test } from 'bun:test';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Engine, engines, temporaryFolder } from '../../../test/support/engines.ts';
import { until } from '../../../test/support/live-channel.ts';
import {
  clipPackets,
  later,
  packaged,
  packagedAt,
  soundOnly,
} from '../../../test/support/media.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { Zone } from '../../base/lib/time.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { addVideos, type VideoRow } from '../../library/videos/video-store.ts';
import type { LiveChannel } from '../live/live-stream.ts';
import type { FragmentReader } from '../packaging/fragment.ts';
import { type Recordings, type RecordingsOptions, startRecordings } from './recordings.ts';
import { removeVideos, type VideoRetentionOptions } from './video-retention.ts';

const dayMs = 86_400_000;
const uploadedAt = packagedAt + 60_000;
const stores: Store[] = [];
const running: Recordings[] = [];

afterEach(async () => {
  for (const recordings of running.splice(0)) await recordings.stop();
  for (const store of stores.splice(0)) await store.close();
});

for (const engine of engines) {
  describe(engine.name, () => {
    test('a push becomes one video, with every field', async () => {
      const { store, channel, videos, root, start } = await trial(engine);
      await store.run('UPDATE channels SET manager_id = 5 WHERE id = $1', [channel.id]);
      const woken: string[] = [];
      const recordings = await start({ onVideo: () => woken.push('woken') });
      // Cut after five seconds, back two seconds later: still one video.
      packaged([clipPackets(5), later(clipPackets(5), 7_000)], opened(recordings, channel));
      await recordings.stop();
      const [video, ...more] = await videos();
      expect(more).toEqual([]);
      const { id, recording } = video as Video;
      expect(readdirSync(root)).toEqual([recording]);
      expect(video).toEqual({
        id,
        recording,
        account_id: 1,
        channel_id: channel.id,
        manager_id: 5,
        name: 'channel 2026-05-04 12:00',
        video_url: `/recordings/${id}/video.mp4`,
        video_size: statSync(join(root, recording, 'source.mp4')).size,
        m3u8: `/recordings/${id}/index.m3u8`,
        m3u8_480: '',
        m3u8_720: '',
        m3u8_1080: '',
        cover_url: '',
        duration: 10,
        width: 640,
        height: 360,
        upload_time: uploadedAt,
        start_time: expect.any(Number) as never,
        end_time: expect.any(Number) as never,
      });
      expect(Math.abs((video?.start_time ?? 0) - packagedAt)).toBeLessThan(100);
      expect(Math.abs((video?.end_time ?? 0) - packagedAt - 12_000)).toBeLessThan(100);
      expect(await jobsOf(store, id)).toEqual(['cover', 'mp4']);
      expect(await totals(store)).toEqual({ account: 1, channel: 1, manager: 1 });
      expect(woken).toEqual(['woken']);
    });

    test('sound alone is a video without a size, and without a cover', async () => {
      const { store, channel, videos, start } = await trial(engine);
      const recordings = await start();
      packaged([soundOnly(clipPackets(4))], opened(recordings, channel));
      await recordings.stop();
      const [video] = await videos();
      expect(video).toMatchObject({ duration: 4, width: 0, height: 0 });
      expect(await jobsOf(store, video?.id ?? 0)).toEqual(['mp4']);
    });

    test('a push of a second is a video; of a shorter one nothing is left', async () => {
      const { channel, videos, root, start } = await trial(engine);
      const recordings = await start();
      packaged([clipPackets(0.9)], opened(recordings, channel));
      packaged([soundOnly(clipPackets(0.9))], opened(recordings, channel));
      packaged([clipPackets(1)], opened(recordings, channel));
      await recordings.stop();
      expect(await videos()).toMatchObject([{ duration: 1, width: 640 }]);
      expect(filesIn(root)).toHaveLength(1);
      const sound = await start();
      packaged([soundOnly(clipPackets(1.1))], opened(sound, channel));
      await sound.stop();
      expect(await videos()).toMatchObject([{ width: 640 }, { duration: 1, width: 0 }]);
    });

    test('a push that was cut is as long as all of it', async () => {
      const { channel, videos, start } = await trial(engine);
      const recordings = await start();
      packaged([clipPackets(0.6), later(clipPackets(0.6), 3_000)], opened(recordings, channel));
      await recordings.stop();
      expect(await videos()).toMatchObject([{ duration: 1 }]);
    });

    test('the last short piece of a long push is kept', async () => {
      const { channel, videos, root, start } = await trial(engine);
      const recordings = await start({ maxHours: 3 / 3_600 });
      packaged([clipPackets(4.5)], opened(recordings, channel));
      await recordings.stop();
      const all = await videos();
      expect(all.map(({ duration }) => duration).sort()).toEqual([1, 4]);
      const short = all.find(({ duration }) => duration === 1);
      const note = readFileSync(join(root, short?.recording ?? '', 'recording.json'), 'utf8');
      expect(JSON.parse(note)).toMatchObject({ pushed_ms: 4_000, show_at: 7_000 });
    });

    test('what a crash has left of a short push is removed, of a long one it is kept', async () => {
      const { channel, videos, root, start } = await trial(engine);
      await leaveBehind(join(root, 'short'), channel, { seconds: 0.6 });
      await leaveBehind(join(root, 'end'), channel, { seconds: 0.6, pushed_ms: 5_000 });
      await (await start()).stop();
      expect(await videos()).toMatchObject([{ recording: 'end' }]);
      expect(filesIn(root)).toEqual(['end']);
    });

    test('a push beyond the hours becomes several', async () => {
      const { channel, videos, root, start } = await trial(engine);
      const recordings = await start({ maxHours: 3 / 3_600 });
      packaged([clipPackets(10)], opened(recordings, channel));
      await recordings.stop();
      const all = await videos();
      expect(all.map(({ duration }) => duration).sort()).toEqual([2, 4, 4]);
      expect(readdirSync(root)).toHaveLength(3);
    });

    test('an account that keeps no videos has none', async () => {
      const { store, channel, videos, root, start } = await trial(engine);
      const recordings = await start();
      expect(
        recordings.open({ ...channel, auto_save_live_video: 0 }, { showAt: () => 7_000 }),
      ).toBeUndefined();
      // Switched off in the middle of a push.
      const reader = opened(recordings, channel);
      await store.run('UPDATE accounts SET auto_save_live_video = 0');
      packaged([clipPackets(3)], reader);
      await recordings.stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root)).toEqual([]);
    });

    test('a push of nothing leaves nothing', async () => {
      const { channel, videos, root, start } = await trial(engine);
      const recordings = await start();
      opened(recordings, channel).ended('over');
      await recordings.stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root)).toEqual([]);
    });

    test('nothing is recorded on a disk with too little room', async () => {
      const { channel, videos, root, start } = await trial(engine);
      const recordings = await start({ freeBytesMin: Number.MAX_SAFE_INTEGER });
      packaged([clipPackets(3)], opened(recordings, channel));
      await recordings.stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root)).toEqual([]);
    });

    test('a recording that the disk ends is counted', async () => {
      const { channel, root, start } = await trial(engine);
      const good = await start();
      packaged([clipPackets(3)], opened(good, channel));
      await good.stop();
      expect(good.shedCount()).toBe(0);
      rmSync(root, { recursive: true });
      // Where its folder should be made lies a file.
      writeFileSync(root, '');
      const bad = await start();
      packaged([clipPackets(3)], opened(bad, channel));
      await bad.stop();
      expect(bad.shedCount()).toBe(1);
    });

    test('what a crash has left is finished at the next start, once', async () => {
      const { channel, videos, root, start } = await trial(engine);
      const pieces = await leaveBehind(join(root, 'left'), channel);
      // Killed in the middle of its last fragment, with no line for its last segment.
      const file = join(root, 'left', 'source.mp4');
      const index = join(root, 'left', 'source.index');
      truncateSync(file, statSync(file).size - 100);
      writeFileSync(index, readFileSync(index, 'utf8').split('\n').slice(0, -2).join('\n'));
      for (let round = 0; round < 3; round++) await (await start()).stop();
      const [video, ...more] = await videos();
      expect(more).toEqual([]);
      expect(video).toMatchObject({ recording: 'left', channel_id: channel.id, duration: 5 });
      const last = pieces.at(-1);
      expect(video?.video_size).toBe(last?.at as number);
      expect(statSync(file).size).toBe(last?.at as number);
    });

    test('recordings that nobody knows the channel of stay as they are', async () => {
      const { channel, videos, root, start } = await trial(engine);
      await leaveBehind(join(root, 'elsewhere'), { ...channel, id: channel.id + 1_000 });
      await leaveBehind(join(root, 'without-note'), channel);
      writeFileSync(join(root, 'without-note', 'recording.json'), '{"channel_id":');
      await (await start()).stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root).sort()).toEqual(['elsewhere', 'without-note']);
      expect(filesIn(join(root, 'elsewhere'))).toContain('source.mp4');
    });

    test('a recording that cannot be read now stays, and so does what is none', async () => {
      const { channel, videos, root, start } = await trial(engine);
      await leaveBehind(join(root, 'unreadable'), channel);
      const file = join(root, 'unreadable', 'source.mp4');
      rmSync(file);
      symlinkSync(file, file);
      mkdirSync(join(root, 'lost+found'));
      writeFileSync(join(root, 'lost+found', '#12'), 'somebody’s');
      await (await start()).stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root).sort()).toEqual(['lost+found', 'unreadable']);
      expect(filesIn(join(root, 'lost+found'))).toEqual(['#12']);
    });

    test('leftovers without media are removed', async () => {
      const { channel, videos, root, start } = await trial(engine);
      mkdirSync(join(root, 'empty'), { recursive: true });
      await leaveBehind(join(root, 'without-media'), channel);
      truncateSync(join(root, 'without-media', 'source.mp4'), 700);
      await (await start()).stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root)).toEqual([]);
    });

    test('while the database is away a recording waits, and becomes a video when it is back', async () => {
      const { channel, videos, database, start } = await trial(engine);
      const made = Promise.withResolvers<void>();
      const recordings = await start({ onVideo: () => made.resolve() });
      database.isAway = true;
      packaged([clipPackets(3)], opened(recordings, channel));
      await database.refused;
      expect(await videos()).toEqual([]);
      database.isAway = false;
      await made.promise;
      expect(await videos()).toHaveLength(1);
    });

    test('a stop does not wait for a database that is away, and the next start goes on', async () => {
      const { channel, videos, database, root, start } = await trial(engine);
      const recordings = await start();
      database.isAway = true;
      packaged([clipPackets(3)], opened(recordings, channel));
      await recordings.stop();
      expect(await videos()).toEqual([]);
      expect(filesIn(root)).toHaveLength(1);
      database.isAway = false;
      await (await start()).stop();
      expect(await videos()).toHaveLength(1);
    });

    test('an account records up to its bound; after a restart too', async () => {
      const { channel, told, videos, database, start } = await trial(engine);
      const recordings = await start({ accountBytesMax: 500_000 });
      packaged([clipPackets(20)], opened(recordings, channel));
      expect(told).toEqual(['account 1: account_disk']);
      packaged([clipPackets(3)], opened(recordings, channel));
      await recordings.stop();
      const [video, ...more] = await videos();
      expect(more).toEqual([]);
      const countedBytes = 2 * (video?.video_size ?? 0);
      expect(countedBytes).toBeGreaterThan(500_000);
      // One segment beyond.
      expect(countedBytes).toBeLessThan(750_000);
      const again = await start({ accountBytesMax: 500_000 });
      const reader = opened(again, channel);
      // What it asked for is there, and heard.
      await database.last;
      await nextTurn();
      packaged([clipPackets(3)], reader);
      await again.stop();
      expect(await videos()).toHaveLength(1);
      expect(told).toHaveLength(3);
    });

    test('a video beyond its days goes with its row, its jobs, its totals and its files', async () => {
      const { store, channel, clock, videos, root, start, sweep } = await trial(engine);
      const first = await start();
      packaged([clipPackets(3)], opened(first, channel));
      await first.stop();
      clock.now += dayMs;
      const second = await start();
      packaged([clipPackets(3)], opened(second, channel));
      await second.stop();
      const [old, young] = (await videos()) as [Video, Video];
      // Videos that were not recorded here are nobody's to remove.
      const imported = plainVideo({ channel_id: channel.id, name: 'imported', upload_time: 1 });
      await store.perform(addVideos, { account_id: 1, videos: [imported] });
      clock.now += dayMs - 1;
      await sweep({ retentionDays: 0 });
      await sweep({ retentionDays: 2 });
      expect(filesIn(root)).toHaveLength(2);
      clock.now += 2;
      const third = await start({ retentionDays: 2 });
      const isRemoved = async () => (await videos()).length === 2;
      await until(isRemoved, { withinMs: 10_000, otherwise: 'it is not removed' });
      await third.stop();
      expect((await videos()).map(({ name, id }) => (name === 'imported' ? 0 : id))).toEqual([
        young.id,
        0,
      ]);
      expect(filesIn(root)).toEqual([young.recording]);
      expect(await jobsOf(store, old.id)).toEqual([]);
      expect(await totals(store)).toEqual({ account: 2, channel: 2, manager: 2 });
    });

    test('the videos of another service stay: their files lie on its disk', async () => {
      const { channel, clock, videos, root, start, sweep } = await trial(engine);
      const there = temporaryFolder();
      const other = await start({ node: 'other', dataDir: there });
      packaged([clipPackets(3)], opened(other, channel));
      await other.stop();
      clock.now += 3 * dayMs;
      await sweep({ retentionDays: 2 });
      expect(await videos()).toHaveLength(1);
      expect(filesIn(join(there, 'recordings'))).toHaveLength(1);
      await sweep({ retentionDays: 2, node: 'other', dataDir: there });
      expect(await videos()).toEqual([]);
      expect(filesIn(join(there, 'recordings'))).toEqual([]);
      expect(filesIn(root)).toEqual([]);
    });
  });
}

type Video = VideoRow & { recording: string };

async function trial(engine: Engine) {
  const store = await openTestStore(engine);
  stores.push(store);
  const dataDir = temporaryFolder();
  const clock = { now: uploadedAt };
  const told: string[] = [];
  const refused = Promise.withResolvers<void>();
  const database = { isAway: false, refused: refused.promise, last: Promise.resolve<unknown>(0) };
  // The real store, but for when it is away.
  const given = Object.assign(Object.create(store) as Store, {
    perform: (async (operation, input) => {
      if (!database.isAway) {
        const performed = store.perform(operation, input);
        database.last = performed;
        return await performed;
      }
      refused.resolve();
      throw new Error('the database is away');
    }) satisfies Store['perform'],
  });
  const id = await newChannel(store);
  const channel: LiveChannel = {
    id,
    account_id: 1,
    stream_key: 'key',
    play_id: 'play',
    auto_save_live_video: 1,
    live_ladder: 0,
  };
  const kept = {
    dataDir,
    node: 'node',
    store: given,
    now: () => clock.now,
    log: startLog('error', { write: (text) => text.length }),
    retentionDays: 0,
  };
  const start = async (options: Partial<RecordingsOptions> = {}) => {
    const recordings = await startRecordings({
      ...kept,
      zone: new Zone('UTC'),
      maxHours: 12,
      freeBytesMin: 0,
      accountBytesMax: 0,
      refusals: { note: (reason, who) => told.push(`${who}: ${reason}`) },
      onVideo: () => {},
      ...options,
    });
    running.push(recordings);
    return recordings;
  };
  /** A round of what a start and each minute does. */
  const sweep = (options: Partial<VideoRetentionOptions>) => removeVideos({ ...kept, ...options });
  const videos = async () =>
    await store.all<Video>(
      `SELECT id, recording, account_id, channel_id, manager_id, name, video_url, video_size, m3u8, m3u8_480,
         m3u8_720, m3u8_1080, cover_url, duration, width, height, upload_time, start_time, end_time
       FROM videos ORDER BY id`,
    );
  return {
    store,
    channel,
    clock,
    told,
    database,
    root: join(dataDir, 'recordings'),
    start,
    sweep,
    videos,
  };
}

function opened(recordings: Recordings, channel: LiveChannel): FragmentReader {
  const reader = recordings.open(channel, { showAt: () => 7_000 });
  if (!reader) throw new Error('nothing is recorded');
  return reader;
}

/** A recording that was being written when the service died. */
async function leaveBehind(
  folder: string,
  channel: LiveChannel,
  { seconds = 5, ...more }: { seconds?: number; pushed_ms?: number } = {},
) {
  const pieces = await recordPush(folder, clipPackets(seconds));
  const note = { channel_id: channel.id, account_id: channel.account_id, ...more };
  writeFileSync(join(folder, 'recording.json'), JSON.stringify(note));
  return pieces;
}

function filesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

async function jobsOf(store: Store, video_id: number): Promise<string[]> {
  const rows = await store.all<{ kind: string }>(
    'SELECT kind FROM jobs WHERE video_id = $1 ORDER BY kind',
    [video_id],
  );
  return rows.map(({ kind }) => kind);
}

async function totals(store: Store): Promise<Record<string, number>> {
  const rows = await store.all<{ part: string; total: number }>(
    "SELECT part, total FROM totals WHERE kind = 'videos'",
  );
  return Object.fromEntries(rows.map(({ part, total }) => [part, total]));
}
