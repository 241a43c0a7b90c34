// What becomes of uploads without anybody asking: after a kill, with time, with their channel, and within the disk's bounds.
import { afterEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Engine, engines, temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets } from '../../../test/support/media.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { filmOf } from '../../../test/support/uploads.ts';
import { BodyStream } from '../../base/api/body-stream.ts';
import { ApiError } from '../../base/api/errors.ts';
import { startLog } from '../../base/lib/log.ts';
import { Zone } from '../../base/lib/time.ts';
import { shareOf } from '../../base/turns/share.ts';
import { createAccount } from '../../library/access/account-store.ts';
import { removeGone } from '../../library/deletion/channel-removal.ts';
import { deleteChannel } from '../../library/deletion/deleted-channel-store.ts';
import { freeBytes } from '../recording/disk-room.ts';
import { type RecordingsOptions, startRecordings } from '../recording/recordings.ts';
import { type HandOverOptions, handOver } from './handed-file.ts';
import type { UploadRow } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';
import { beginReading, findUpload } from './upload-store.ts';
import { startUploads, type Uploads, type UploadsOptions } from './uploads.ts';

const owner = { account_id: 1, manager_id: 0 };
const hourMs = 3_600_000;
const keptMs = 24 * hourMs;
const film = await filmOf(200_000, 2);
const log = startLog('silent');
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).toReversed()) await one.stop();
});

test.each(['copiedAtOnce', 'convertedAtOnce'] as const)(
  'one account never has all places of %s',
  (which) => {
    const places = uploadLimits[which];
    expect(shareOf(places, 0)).toBeLessThan(places);
  },
);

for (const engine of engines) {
  describe(engine.name, () => {
    test('what nobody goes on with for a day goes, file and row; what is used stays', async () => {
      const { start, begin, bring, clock, files, stateOf } = await stage(engine);
      const uploads = await start();
      const [left, used] = [await begin(uploads, 10), await begin(uploads, 10)];
      await bring(uploads, left, 'half');
      clock.now += keptMs - 1;
      await bring(uploads, used, 'half');
      await uploads.round();
      expect(await stateOf(left)).toBe('coming');
      clock.now += 1;
      await uploads.round();
      expect(await stateOf(left)).toBe('none');
      expect(files()).toEqual([used.id]);
      clock.now += keptMs;
      await uploads.round();
      expect(files()).toEqual([]);
      expect(await bring(uploads, used, 'more').catch(kindOf)).toBe('noUpload');
    });

    test('one of a node that does not come back is lost, and says so; one that may come back is not', async () => {
      const { start, begin, bring, stateOf, store } = await stage(engine);
      const uploads = await start();
      const [coming, reading] = [await begin(uploads, 10), await begin(uploads, 10)];
      await bring(uploads, coming, 'half');
      await store.perform(beginReading, { ...reading, now: 0 });
      await store.run("UPDATE uploads SET node = 'elsewhere'");
      let silentMs = hourMs - 1;
      const two = await Promise.all([
        start({ silentMs: () => silentMs }),
        start({ silentMs: () => silentMs }),
      ]);
      expect([await stateOf(coming), await stateOf(reading)]).toEqual(['coming', 'reading']);
      silentMs = hourMs;
      // Whichever node looks first, or both at once.
      await Promise.all(two.map((one) => one.round()));
      for (const row of [coming, reading])
        expect(await findUpload(store, row.id, owner)).toMatchObject({
          state: 'refused',
          problem: 'The service has lost what had come of the file; upload it again',
          reason: '{"code":"lost"}',
          came: 0,
        });
    });

    test('one of a node that has stopped by itself is not lost while that may start again', async () => {
      const { start, begin, bring, clock, stateOf, store } = await stage(engine);
      const uploads = await start();
      const row = await begin(uploads, 10);
      await bring(uploads, row, 'half');
      await store.run("UPDATE uploads SET node = 'elsewhere'");
      // As of every node that has no row.
      let silentMs = Number.POSITIVE_INFINITY;
      const other = await start({ silentMs: () => silentMs });
      clock.now += hourMs - 1;
      await other.round();
      expect(await stateOf(row)).toBe('coming');
      // It is back, and goes again.
      silentMs = 0;
      await other.round();
      silentMs = Number.POSITIVE_INFINITY;
      await other.round();
      clock.now += hourMs - 1;
      await other.round();
      expect(await stateOf(row)).toBe('coming');
      clock.now += 1;
      await other.round();
      expect(await stateOf(row)).toBe('refused');
    });

    test('a whole one becomes a video, which is shown for a day; another start changes nothing', async () => {
      const { start, begin, bring, clock, files, videos, ended, stateOf } = await stage(engine);
      const uploads = await start();
      const row = await begin(uploads, film.length);
      await bring(uploads, row, film);
      const { video_id } = await ended(row, 'done');
      expect(await videos()).toEqual([
        { id: Number(video_id), name: 'film', recording: row.recording },
      ]);
      await uploads.stop();
      const again = await start();
      expect(await videos()).toHaveLength(1);
      expect(files()).toEqual([]);
      clock.now += keptMs;
      await again.round();
      expect(await stateOf(row)).toBe('none');
      expect(await videos()).toHaveLength(1);
    });

    test('a file that is handed over becomes a video, whether a service runs or starts later', async () => {
      const { start, handOver, handed, files, videos, ended } = await stage(engine);
      const early = await handOver('early.mp4');
      expect(handed()).toEqual([early.id]);
      await start();
      const { video_id } = await ended(early, 'done');
      const late = await handOver('late.mp4');
      // Nobody asks for a round: it is looked for.
      await ended(late, 'done');
      expect((await videos()).map(({ id, name }) => [id, name])).toEqual([
        [Number(video_id), 'early'],
        [expect.any(Number), 'late'],
      ]);
      expect([files(), handed()]).toEqual([[], []]);
    });

    test('one that is still handed over is not lost; broken off it leaves nothing', async () => {
      const { start, handOver, handed, dataDir, clock, stateOf } = await stage(engine);
      const uploads = await start();
      const stop = new AbortController();
      stop.abort();
      await expect(handOver('cut.mp4', { signal: stop.signal })).rejects.toThrow('broken off');
      expect(handed()).toEqual([]);
      const row = await handOver('slow.mp4', { onCame: () => {} });
      // As it is while it grows: of a command that was killed it stays so.
      const coming = join(dataDir, 'handed', `${row.id}.coming`);
      renameSync(join(dataDir, 'handed', row.id), coming);
      await uploads.round();
      expect([await stateOf(row), uploads.cameOf(row)]).toEqual(['coming', film.length]);
      clock.now += keptMs;
      await uploads.round();
      expect([await stateOf(row), handed()]).toEqual(['none', []]);
      // What no row ever named goes too, when nobody can be about to add one.
      writeFileSync(coming, 'orphan');
      utimesSync(coming, clock.now / 1_000 - 60, clock.now / 1_000 - 60);
      await uploads.round();
      expect(handed()).toHaveLength(1);
      clock.now += hourMs;
      await uploads.round();
      expect(handed()).toEqual([]);
    });

    test('a file for which there is no room is not handed over', async () => {
      const { handOver, handed, dataDir } = await stage(engine);
      const free = (await freeBytes(dataDir)) ?? 0;
      const refusals = [
        { sizeMax: film.length - 1 },
        { accountBytesMax: film.length },
        // Others may make room meanwhile.
        { freeBytesMin: 2 * free },
      ].map((more) => handOver('large.mp4', more).catch(kindOf));
      expect(await Promise.all(refusals)).toEqual(['tooLarge', 'noRoom', 'noRoom']);
      expect(handed()).toEqual([]);
    });

    test('one that came whole before a kill is read by the next start', async () => {
      const { start, begin, files, path, videos, ended } = await stage(engine);
      const before = await start();
      const row = await begin(before, film.length);
      await before.stop();
      // The last byte is there, and nobody was told of it.
      writeFileSync(path(row), film);
      await start();
      await ended(row, 'done');
      expect(await videos()).toHaveLength(1);
      expect(files()).toEqual([]);
    });

    test('one that was being read at a kill is read anew, and what was made of it is gone', async () => {
      const { start, begin, store, clock, files, path, videos, ended } = await stage(engine);
      const before = await start();
      const row = await begin(before, film.length);
      await before.stop();
      writeFileSync(path(row), film);
      mkdirSync(`${path(row)}.making`);
      writeFileSync(join(`${path(row)}.making`, 'source.mp4'), 'half');
      await store.perform(beginReading, { ...row, now: clock.now });
      await start();
      await ended(row, 'done');
      expect(await videos()).toHaveLength(1);
      expect(files()).toEqual([]);
    });

    test.each(['with its file', 'without its file'])(
      'one whose recording lay there at a kill, %s, is that video',
      async (which) => {
        const { start, begin, store, clock, files, path, place, videos, ended } =
          await stage(engine);
        const before = await start();
        const row = await begin(before, film.length);
        await before.stop();
        await place(row);
        if (which === 'with its file') writeFileSync(path(row), film);
        else rmSync(path(row));
        await store.perform(beginReading, { ...row, now: clock.now });
        await start();
        const { video_id } = await ended(row, 'done');
        expect((await videos()).map(({ id }) => id)).toEqual([Number(video_id)]);
        expect(files()).toEqual([]);
      },
    );

    test('one whose file is lost is refused, and files that no row names go', async () => {
      const { start, begin, bring, files, path, ended, root } = await stage(engine);
      const before = await start();
      const [lost, kept] = [await begin(before, 10), await begin(before, 10)];
      await bring(before, kept, 'half');
      await before.stop();
      rmSync(path(lost));
      writeFileSync(join(root, 'f'.repeat(32)), 'of no row');
      mkdirSync(join(root, `${'e'.repeat(32)}.making`));
      const uploads = await start();
      expect(files()).toEqual([kept.id]);
      const refused = await ended(lost, 'refused');
      expect(refused.problem).toContain('lost');
      expect(await uploads.settled(refused).catch(kindOf)).toBe('uploadLost');
      expect(await uploads.settled(kept)).toBe(4);
      expect(readFileSync(path(kept), 'utf8')).toBe('half');
    });

    test('with a channel that is gone its uploads go', async () => {
      const { start, begin, bring, store, clock, files, stateOf, channel_id } = await stage(engine);
      const uploads = await start();
      const row = await begin(uploads, 10);
      await bring(uploads, row, 'half');
      await store.perform(deleteChannel, { id: channel_id, owner, now: clock.now });
      await uploads.round();
      expect(files()).toEqual([row.id]);
      await removeGone({ store, now: () => clock.now, log, keptMs: 0 });
      expect(await stateOf(row)).toBe('none');
      await uploads.round();
      expect(files()).toEqual([]);
    });

    test('one that is being read can be ended, and no video comes of it', async () => {
      const { start, begin, remove, bring, files, videos, stateOf, recordings } =
        await stage(engine);
      const uploads = await start();
      const row = await begin(uploads, film.length);
      await bring(uploads, row, film);
      // The process that reads it takes longer to start than this.
      await remove(uploads, { ...row, state: 'reading', came: row.size });
      expect(await stateOf(row)).toBe('none');
      expect(await videos()).toEqual([]);
      expect(readdirSync(recordings)).toEqual([]);
      expect(files()).toEqual([]);
    });

    test('one whose recording lay there at a kill is a video, and can be ended no more', async () => {
      const { start, begin, store, remove, clock, path, place, videos, ended } =
        await stage(engine);
      const before = await start();
      const first = await begin(before, film.length);
      clock.now += 1;
      const second = await begin(before, film.length);
      await before.stop();
      const rows = [first, second];
      for (const row of rows) await store.perform(beginReading, { ...row, now: clock.now });
      for (const row of rows) writeFileSync(path(row), film);
      await place(second);
      const again = await start();
      expect(await remove(again, { ...second, state: 'reading' }).catch(kindOf)).toBe('uploadDone');
      await ended(first, 'done');
      const { video_id } = await ended(second, 'done');
      expect((await videos()).map(({ id }) => id)).toContain(Number(video_id));
    });

    test('an account has room for what was promised, with what has come and what it has', async () => {
      const { start, begin, remove, bring } = await stage(engine, { accountBytesMax: 1_000 });
      const uploads = await start();
      // Each counts twice, as it came and as MP4.
      const first = await begin(uploads, 300);
      expect(await begin(uploads, 201).catch(kindOf)).toBe('noRoom');
      await bring(uploads, first, 'x'.repeat(299));
      expect(await begin(uploads, 201).catch(kindOf)).toBe('noRoom');
      await begin(uploads, 200);
      expect(await begin(uploads, 1).catch(kindOf)).toBe('noRoom');
      await remove(uploads, first);
      await begin(uploads, 300);
    });

    test('the disk must have room for all that was promised', async () => {
      const { start, begin, files } = await stage(engine);
      const uploads = await start({ sizeMax: Number.MAX_SAFE_INTEGER });
      const huge = 2 ** 50;
      expect(await begin(uploads, huge).catch(kindOf)).toBe('unavailable');
      expect(files()).toEqual([]);
    });

    test('who is promised all they can get, and brings nothing, leaves others their room', async () => {
      const { start, begin, beginFor, dataDir } = await stage(engine);
      const uploads = await start({ sizeMax: Number.MAX_SAFE_INTEGER });
      const free = (await freeBytes(dataDir)) ?? 0;
      const greedy = await beginFor();
      const taken: UploadRow[] = [];
      for (let size = Math.floor(free / uploadLimits.diskTimes); size > 1_000_000; ) {
        const row = await greedy(uploads, size).catch(kindOf);
        if (typeof row === 'string') size = Math.floor(size / 2);
        else if (taken.push(row) === uploadLimits.unfinishedMax) break;
      }
      expect(taken).not.toEqual([]);
      // They have half, so another account a quarter of it all; some for who else writes on the disk meanwhile.
      await begin(uploads, Math.floor(free / uploadLimits.diskTimes / 5));
      await (await beginFor())(uploads, 100_000);
    });
  });
}

async function stage(engine: Engine, given: Partial<RecordingsOptions> = {}) {
  const store = await openTestStore(engine);
  running.push({ stop: () => store.close() });
  const dataDir = temporaryFolder();
  const clock = { now: Date.UTC(2026, 5, 1) };
  const base = { dataDir, node: 'here', store, log, now: () => clock.now, freeBytesMin: 0 };
  const channel_id = await newChannel(store);
  const root = join(dataDir, 'uploads');
  const recordings = join(dataDir, 'recordings');
  const path = ({ id }: UploadRow) => join(root, id);

  /** As a service does; the recordings first. */
  const start = async (more: Partial<UploadsOptions> = {}): Promise<Uploads> => {
    const kept = await startRecordings({
      ...base,
      zone: new Zone('UTC'),
      maxHours: 12,
      accountBytesMax: 0,
      refusals: { note: () => {} },
      retentionDays: 0,
      onVideo: () => {},
      ...given,
    });
    const uploads = await startUploads({
      ...base,
      ...{ sizeMax: 1_000_000, keptMs, memoryBytesMax: 512 * 1_048_576, recordings: kept },
      ...more,
    });
    running.push(kept, uploads);
    return uploads;
  };
  const stateOf = async ({ id }: UploadRow) => {
    const row = await store.one<UploadRow>('SELECT * FROM uploads WHERE id = $1', [id]);
    return row?.state ?? 'none';
  };
  return {
    store,
    dataDir,
    clock,
    channel_id,
    root,
    recordings,
    path,
    start,
    stateOf,
    /** As the rename leaves it: before the video, or right behind it. */
    place: async (row: UploadRow) => {
      const made = join(temporaryFolder(), 'made');
      await recordPush(made, clipPackets(2));
      writeFileSync(
        join(made, 'recording.json'),
        JSON.stringify({ channel_id: row.channel_id, account_id: 1, name: row.name }),
      );
      renameSync(made, join(recordings, row.recording));
    },
    files: () => readdirSync(root).sort(),
    handed: () => {
      const folder = join(dataDir, 'handed');
      return existsSync(folder) ? readdirSync(folder).sort() : [];
    },
    /** A film that lies somewhere else on the machine. */
    handOver: async (filename: string, more: Partial<HandOverOptions> = {}) => {
      const source = join(temporaryFolder(), filename);
      writeFileSync(source, film);
      const order = { source, account_id: 1, channel_id, name: '' };
      return await handOver(order, {
        ...base,
        ...{ sizeMax: 1_000_000, accountBytesMax: 0 },
        ...{ onCame: () => {}, signal: new AbortController().signal },
        ...more,
      });
    },
    videos: async () =>
      await store.all<{ id: number; name: string; recording: string }>(
        'SELECT id, name, recording FROM videos ORDER BY id',
      ),
    begin: (uploads: Uploads, size: number) =>
      uploads.begin({ owner, channel_id, size, filename: 'film.mp4', name: '' }, store),
    /** The same for another account, which is made with a channel. */
    beginFor: async () => {
      const account_id = await store.perform(createAccount, {
        name: 'other',
        plan: 'standard',
        now: 0,
      });
      const theirs = await newChannel(store, account_id);
      const of = {
        owner: { account_id, manager_id: 0 },
        channel_id: theirs,
        filename: '',
        name: '',
      };
      return (uploads: Uploads, size: number) => uploads.begin({ ...of, size }, store);
    },
    remove: (uploads: Uploads, row: UploadRow) => uploads.remove(row, store),
    /** Behind what has come. */
    bring: async (uploads: Uploads, row: UploadRow, bytes: string | Uint8Array) => {
      const request = new Request('http://here/', {
        method: 'PATCH',
        body: new Uint8Array(Buffer.from(bytes)),
      });
      const stall = { withinMs: 60_000, bytesMin: 1 };
      const gather = { bytes: 1, ms: 1 };
      const checks = { everyMs: 1_000, now: () => clock.now };
      const body = new BodyStream(request, { stall, gather, checks, onRead: () => {} });
      const now = await findUpload(store, row.id, owner);
      try {
        const offset = uploads.cameOf(now);
        return await uploads.append(now, { offset, body }, store);
      } finally {
        body.leave();
      }
    },
    ended: async (row: UploadRow, state: UploadRow['state']): Promise<UploadRow> => {
      while (!['done', 'refused'].includes(await stateOf(row))) await Bun.sleep(10);
      while (existsSync(path(row))) await Bun.sleep(5);
      const found = await findUpload(store, row.id, owner);
      expect(found).toMatchObject({ state });
      return found;
    },
  };
}

function kindOf(error: unknown): string {
  return error instanceof ApiError ? error.kind : String(error);
}
