// A video deleted by itself: hidden, counted no more, brought back, removed for good; on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import type { ApiError } from '../../base/api/errors.ts';
import { startLog } from '../../base/lib/log.ts';
import {
  addRecording,
  findRecording,
  removeRecording,
} from '../../stream/recording/recording-store.ts';
import { removeVideos } from '../../stream/recording/video-retention.ts';
import { setListed } from '../admission/access-key-store.ts';
import type { Admitted } from '../admission/admission.ts';
import { register } from '../admission/registration-store.ts';
import { listAccountJobs } from '../jobs/job-store.ts';
import { findShownVideo, lastVideo } from '../videos/shown-video-store.ts';
import { addVideos, findVideo, listVideos } from '../videos/video-store.ts';
import { removeGone } from './channel-removal.ts';
import { deleteChannel, restoreChannel } from './deleted-channel-store.ts';
import {
  deleteVideo,
  guestsAtOnce,
  isAnyVideoDue,
  letVideosGo,
  listDeletedVideos,
  removeGoneVideo,
  removeSomeGuests,
  restoreVideo,
} from './deleted-video-store.ts';
import { removeGuestsOf } from './video-guests.ts';

const now = Date.UTC(2026, 5, 1);
const keptMs = 7 * 86_400_000;
const owner = { account_id: 1, manager_id: 0 };
const log = startLog('silent');

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const dataDir = await mkdtemp(join(tmpdir(), 'footlight-videos-'));
    afterAll(async () => {
      await store.close();
      await rm(dataDir, { recursive: true });
    });

    const list = async (more: { title?: string; act_id?: number } = {}) => {
      const page = {
        title: undefined,
        act_id: undefined,
        manager: undefined,
        limit: 99,
        offset: 0,
      };
      const { total, rows } = await store.perform(listVideos, { owner, ...page, ...more });
      expect(rows).toHaveLength(total);
      return rows.map(({ id }) => id);
    };
    const remove = (id: number, at = now) => store.perform(deleteVideo, { id, owner, now: at });
    const restore = (id: number, at = now) =>
      store.perform(restoreVideo, { id, owner, keptMs, now: at });
    const deleted = async (at = now) => {
      const asked = { owner, keptMs, now: at, limit: 99, offset: 0 };
      const { total, rows } = await store.perform(listDeletedVideos, asked);
      expect(rows).toHaveLength(total);
      return rows.map(({ id }) => id);
    };
    const record = async (channel_id: number, recording: string) => {
      await mkdir(join(dataDir, 'recordings', recording), { recursive: true });
      return Number(
        await store.perform(addRecording, {
          recording,
          channel_id,
          account_id: 1,
          show_at: null,
          show_ms: null,
          startText: 'now',
          video_size: 1,
          duration: 1,
          width: 0,
          height: 0,
          start_time: now,
          end_time: now,
          sameAsSource: [],
          jobs: ['mp4'],
          node: 'here',
          now,
        }),
      );
    };
    const sweep = async (at: number) => {
      const options = { store, now: () => at, log };
      await removeGone({ ...options, keptMs });
      await removeVideos({ ...options, dataDir, node: 'here', retentionDays: 0 });
    };

    test('nobody finds it, no total counts it, and brought back it is as it was', async () => {
      const channel = await newChannel(store);
      const [one, two] = [await record(channel, 'one'), await record(channel, 'two')];
      const before = await findVideo(store, two, owner);
      await remove(two);
      for (const more of [{}, { title: 'now' }, { act_id: channel }])
        expect(await list(more)).toEqual([one]);
      expect(await refusal(findVideo(store, two, owner))).toBe('noVideo');
      expect(await refusal(findShownVideo(store, two))).toBe('noVideo');
      expect(await findRecording(store, two)).toBeUndefined();
      expect(
        (await lastVideo(store, { id: channel, account_id: 1, last_push_stream_at: now }))?.id,
      ).toBe(one);
      expect(await refusal(remove(two))).toBe('noVideo');
      expect(await deleted()).toEqual([two]);
      expect(await restore(two)).toEqual(before);
      expect(await restore(two)).toEqual(before);
      for (const more of [{}, { title: 'now' }, { act_id: channel }])
        expect(await list(more)).toEqual([two, one]);
      expect(await deleted()).toEqual([]);
    });

    test('is let go once: the writer is not asked again for what waits for its files', async () => {
      const channel = await newChannel(store);
      await remove(await record(channel, `waits-${channel}`));
      const due = { before: now + keptMs };
      expect(await isAnyVideoDue(store, due)).toBeTrue();
      await store.perform(letVideosGo, { ...due, now: now + keptMs });
      expect(await isAnyVideoDue(store, due)).toBeFalse();
    });

    test('one that names a folder elsewhere goes without it, and keeps none behind it', async () => {
      const channel = await newChannel(store);
      const bait = join(dataDir, 'bait');
      await mkdir(bait);
      for (const recording of ['../bait', bait, `last-${channel}`])
        await remove(await record(channel, recording));
      await sweep(now + keptMs);
      expect(await Bun.file(join(bait, '.')).stat()).toBeTruthy();
      const left = await store.all('SELECT id FROM videos WHERE channel_id = $1', [channel]);
      expect(left).toEqual([]);
    });

    test('its files go when its time is over, and from then on it does not come back', async () => {
      const channel = await newChannel(store);
      const id = await record(channel, `gone-${channel}`);
      const others = (await list()).filter((other) => other !== id);
      await remove(id);
      const folder = join(dataDir, 'recordings', `gone-${channel}`);
      await sweep(now + keptMs - 1);
      expect(await Bun.file(join(folder, '.')).stat()).toBeTruthy();
      expect(await refusal(restore(id, now + keptMs))).toBe('noVideo');
      expect(await deleted(now + keptMs)).toEqual([]);
      await sweep(now + keptMs);
      expect(await store.one('SELECT id FROM videos WHERE id = $1', [id])).toBeUndefined();
      expect(await store.one('SELECT id FROM jobs WHERE video_id = $1', [id])).toBeUndefined();
      const jobs = { account_id: 1, state: undefined, limit: 99, offset: 0 };
      const { counts, rows } = await store.perform(listAccountJobs, jobs);
      expect(counts).toEqual({ waiting: rows.length, running: 0, done: 0, failed: 0 });
      expect(
        await Bun.file(join(folder, '.'))
          .stat()
          .catch(() => 'gone'),
      ).toBe('gone');
      expect(await list()).toEqual(others);
      expect(await refusal(restore(id))).toBe('noVideo');
    });

    test('one without files of ours goes too', async () => {
      const channel_id = await newChannel(store);
      const videos = [plainVideo({ external_id: `of ${channel_id}`, channel_id })];
      await store.perform(addVideos, { account_id: 1, videos });
      const [id = 0] = await list({ act_id: channel_id });
      await remove(id);
      await sweep(now + keptMs);
      expect(await store.one('SELECT id FROM videos WHERE id = $1', [id])).toBeUndefined();
    });

    test('whom it let in goes with it, of files of ours or not, and those of the channel stay', async () => {
      const channel_id = await newChannel(store);
      const recorded = await record(channel_id, `guests-${channel_id}`);
      const videos = [plainVideo({ external_id: `of ${channel_id}`, channel_id })];
      await store.perform(addVideos, { account_id: 1, videos });
      const all = await list({ act_id: channel_id });
      const things = [...all.map((id): Admitted => `v${id}`), `c${channel_id}`] as const;
      for (const thing of things) {
        await setListed(store, { channel_id, thing }, { list: ['ada'], now });
        await store.perform(register, {
          ...{ channel_id, thing, viewer_id: 'ada', id: `of ${thing}`, now },
          ...{ names: ['name'], answers: { name: 'Ada' } },
        });
      }
      expect(all).toHaveLength(2);
      expect(all).toContain(recorded);
      for (const id of all) await remove(id);
      await sweep(now + keptMs - 1);
      const guests = async (table: string) => {
        const rows = await store.all<{ thing: string }>(
          `SELECT thing FROM ${table} WHERE channel_id = $1`,
          [channel_id],
        );
        return rows.map(({ thing }) => thing).sort();
      };
      for (const table of ['access_keys', 'registrations'])
        expect(await guests(table)).toEqual(things.toSorted());
      await sweep(now + keptMs);
      for (const table of ['access_keys', 'registrations'])
        expect(await guests(table)).toEqual([`c${channel_id}`]);
    });

    test('very many whom it let in go in steps, those of the channel beside them stay', async () => {
      const channel_id = await newChannel(store);
      const video = await record(channel_id, `crowd-${channel_id}`);
      const videos = [plainVideo({ external_id: `crowd of ${channel_id}`, channel_id })];
      await store.perform(addVideos, { account_id: 1, videos });
      const all = await list({ act_id: channel_id });
      const crowd = 2 * guestsAtOnce + 1;
      for (const thing of [...all.map((id): Admitted => `v${id}`), `c${channel_id}`] as const) {
        const listed = Array.from({ length: crowd }, (_, n) => `viewer ${n}`);
        await setListed(store, { channel_id, thing }, { list: listed, now });
        for (let n = 0; n < crowd; n += 1)
          await register.run(store, {
            ...{ channel_id, thing, viewer_id: `${n}`, id: `${n} of ${thing}`, now: now + n },
            ...{ names: ['name'], answers: { name: 'Ada' } },
          });
      }
      const count = async (thing: Admitted, table: string) => {
        const text = `SELECT COUNT(*) AS count FROM ${table} WHERE channel_id = $1 AND thing = $2`;
        return Number((await store.one<{ count: number }>(text, [channel_id, thing]))?.count);
      };
      const left = async (thing: Admitted) => [
        await count(thing, 'access_keys'),
        await count(thing, 'registrations'),
      ];
      for (const id of all) await remove(id);
      for (const wanted of [crowd - guestsAtOnce, 1])
        expect([
          await store.perform(removeSomeGuests, { id: video }),
          ...(await left(`v${video}`)),
        ]).toEqual([true, wanted, crowd]);
      await sweep(now + keptMs);
      for (const id of all) expect(await left(`v${id}`)).toEqual([0, 0]);
      expect(await left(`c${channel_id}`)).toEqual([crowd, crowd]);
      expect(await list({ act_id: channel_id })).toEqual([]);
    });

    test('who registers while it is being removed goes with it, too', async () => {
      const channel_id = await newChannel(store);
      const recorded = await record(channel_id, `late-${channel_id}`);
      const videos = [plainVideo({ external_id: `late of ${channel_id}`, channel_id })];
      await store.perform(addVideos, { account_id: 1, videos });
      const all = await list({ act_id: channel_id });
      for (const id of all) await remove(id);
      await store.perform(letVideosGo, { before: now + keptMs, now: now + keptMs });
      for (const id of all) {
        expect(await removeGuestsOf(store, { id })).toBe(true);
        await store.perform(register, {
          ...{ channel_id, thing: `v${id}`, viewer_id: 'late', id: `late of ${id}`, now },
          ...{ names: ['name'], answers: { name: 'Ada' } },
        });
        if (id === recorded) await store.perform(removeRecording, { id });
        else await store.perform(removeGoneVideo, { id });
      }
      for (const table of ['videos', 'registrations'])
        expect(
          await store.all(`SELECT 1 FROM ${table} WHERE channel_id = $1`, [channel_id]),
        ).toEqual([]);
    });

    test('one that is being removed when the service stops is removed by the next start', async () => {
      const channel_id = await newChannel(store);
      const id = await record(channel_id, `stopped-${channel_id}`);
      await setListed(store, { channel_id, thing: `v${id}` }, { list: ['ada'], now });
      await remove(id);
      await store.perform(letVideosGo, { before: now + keptMs, now: now + keptMs });
      const given = {
        store,
        dataDir,
        node: 'here',
        retentionDays: 0,
        now: () => now + keptMs,
        log,
      };
      const left = () => store.all('SELECT 1 FROM videos WHERE channel_id = $1', [channel_id]);
      await removeVideos(given, AbortSignal.abort());
      expect(await left()).toHaveLength(1);
      await removeVideos(given);
      expect(await left()).toEqual([]);
    });

    test('with its channel deleted it stays deleted, and the channel comes back without it', async () => {
      const channel = await newChannel(store);
      const [kept, gone] = [
        await record(channel, `k ${channel}`),
        await record(channel, `g ${channel}`),
      ];
      const all = await list();
      await remove(gone);
      await store.perform(deleteChannel, { id: channel, owner, now });
      expect(await refusal(restore(gone))).toBe('noVideo');
      expect(await deleted()).toEqual([]);
      await store.perform(restoreChannel, { id: channel, owner, keptMs, now });
      expect(await list({ act_id: channel })).toEqual([kept]);
      await restore(gone);
      expect(await list()).toEqual(all);
    });

    test("another account's, and another manager's, is none", async () => {
      const channel = await newChannel(store);
      const id = await record(channel, `own ${channel}`);
      for (const other of [
        { account_id: 2, manager_id: 0 },
        { account_id: 1, manager_id: 9 },
      ]) {
        const order = { id, owner: other, now };
        expect(await refusal(store.perform(deleteVideo, order))).toBe('noVideo');
        expect(await refusal(store.perform(restoreVideo, { ...order, keptMs }))).toBe('noVideo');
      }
      expect(await list()).toContain(id);
    });
  });
}

async function refusal(asked: Promise<unknown>): Promise<string | undefined> {
  return await asked.then(
    () => undefined,
    (error: ApiError) => error.kind,
  );
}
