// Deleting and bringing back in the database, held against the plain truth, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { enterAnew, entry, openTestStore, plainVideo } from '../../../test/support/store.ts';
import type { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { createAccount } from '../access/account-store.ts';
import { createManager, removeManager } from '../access/manager-store.ts';
import { createChannel, findChannel, listChannels } from '../channels/channel-store.ts';
import { findShownVideo } from '../videos/shown-video-store.ts';
import { addVideos, findVideo, listNearVideos, listVideos } from '../videos/video-store.ts';
import { deleteChannel, listDeleted, restoreChannel } from './deleted-channel-store.ts';

const now = Date.UTC(2026, 5, 1);
const dayMs = 86_400_000;
const keptMs = 7 * dayMs;

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    const newAccount = async () => {
      const account_id = await store.perform(createAccount, { name: 'a', plan: 'traffic', now });
      return { account_id, manager_id: 0 };
    };
    type Who = Awaited<ReturnType<typeof newAccount>>;
    const create = async (owner: Who, manager_id = 0, more: object = {}) => {
      const order = { owner, name: 'channel', manager_id, page: { set: {}, clear: [] }, now };
      const asked = { ...order, idempotency: undefined, ...more };
      return (await store.perform(createChannel, asked)).row.id;
    };
    const remove = (owner: Who, id: number, at = now) =>
      store.perform(deleteChannel, { id, owner, now: at });
    const restore = (owner: Who, id: number, at = now) =>
      store.perform(restoreChannel, { id, owner, keptMs, now: at });
    let added = 0;
    const add = (owner: Who, channel_id: number, name = 'video') => {
      const video = plainVideo({ external_id: `${++added}`, channel_id, name });
      return store.perform(addVideos, { account_id: owner.account_id, videos: [video] });
    };

    test('whatever is done, lists and totals are those of a plain count', async () => {
      const step = fc.record({
        what: fc.constantFrom(
          'create',
          'delete',
          'restore',
          'add',
          'add',
          'manager',
        ) as fc.Arbitrary<'create' | 'delete' | 'restore' | 'add' | 'manager'>,
        which: fc.nat(5),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
          const owner = await newAccount();
          const username = 'anna';
          const manager = await store.perform(createManager, { ...owner, username, now });
          let isManaged = true;
          const channels: { id: number; of: number; isDeleted: boolean; videos: number }[] = [];
          for (const { what, which } of steps) {
            const one = channels[which % Math.max(1, channels.length)];
            if (what === 'create') {
              const of = isManaged && which % 2 === 0 ? manager : 0;
              const id = await create(owner, of);
              channels.push({ id, of, isDeleted: false, videos: 0 });
            } else if (what === 'manager' && isManaged) {
              await store.perform(removeManager, { id: manager, now });
              isManaged = false;
              for (const channel of channels) channel.of = 0;
            }
            if (!one) continue;
            if (what === 'delete' && !one.isDeleted) {
              await remove(owner, one.id);
              one.isDeleted = true;
            } else if (what === 'restore') {
              await restore(owner, one.id);
              one.isDeleted = false;
            } else if (what === 'add' && !one.isDeleted) {
              await add(owner, one.id);
              one.videos += 1;
            }
          }
          for (const of of [undefined, manager, 0]) {
            const shown = channels.filter(
              (one) => !one.isDeleted && (of === undefined || one.of === of),
            );
            const query = { owner, live: false, manager: of, limit: 100, offset: 0 };
            const listed = await store.perform(listChannels, query);
            expect(listed.total).toBe(shown.length);
            expect(listed.rows.map(({ id }) => id)).toEqual(shown.map(({ id }) => id).reverse());
            const asked = { ...query, title: undefined, act_id: undefined };
            const videos = await store.perform(listVideos, asked);
            const count = shown.reduce((sum, one) => sum + one.videos, 0);
            expect(videos.total).toBe(count);
            expect(videos.rows).toHaveLength(count);
            const titled = await store.perform(listVideos, { ...asked, title: 'ide' });
            expect(titled.total).toBe(count);
          }
          for (const { id, isDeleted, videos } of channels) {
            const query = { owner, manager: undefined, title: undefined, limit: 100, offset: 0 };
            const ofChannel = await store.perform(listVideos, { ...query, act_id: id });
            expect(ofChannel.total).toBe(isDeleted ? 0 : videos);
            expect(ofChannel.rows).toHaveLength(ofChannel.total);
          }
        }),
        { numRuns: 12 },
      );
    });

    test('pages of videos pass by those of deleted channels, wherever they lie', async () => {
      const owner = await newAccount();
      const [kept, gone] = [await create(owner), await create(owner)];
      const names: string[] = [];
      for (let at = 0; at < 30; at++) {
        const isGone = at % 3 === 0 || (at > 10 && at < 17);
        await add(owner, isGone ? gone : kept, `talk ${at}`);
        if (!isGone) names.unshift(`talk ${at}`);
      }
      const base = { owner, manager: undefined, act_id: undefined, limit: 4 };
      const near = { ...base, title: undefined, offset: 0 };
      expect(await listNearVideos(store, near)).toMatchObject({ total: 30 });
      await remove(owner, gone);
      for (const title of [undefined, 'talk', 'ta']) {
        const pages: string[] = [];
        for (let offset = 0; offset < names.length; offset += 4) {
          const { total, rows } = await store.perform(listVideos, { ...base, title, offset });
          expect(total).toBe(names.length);
          pages.push(...rows.map(({ name }) => name));
        }
        expect(pages).toEqual(names);
      }
      const ofGone = { ...near, act_id: gone };
      expect(await store.perform(listVideos, ofGone)).toEqual({ total: 0, rows: [] });
      expect(await listNearVideos(store, ofGone)).toEqual({ total: 0, rows: [] });
      // There may be any number of them to be passed by: not on the main thread.
      expect(await listNearVideos(store, near)).toBeUndefined();
      expect((await listNearVideos(store, { ...near, act_id: kept }))?.total).toBe(names.length);
    });

    test('a deleted channel is found by nobody, nor its video; brought back it is as it was', async () => {
      const owner = await newAccount();
      const id = await create(owner);
      await add(owner, id);
      const { rows } = await store.perform(listVideos, {
        owner,
        title: undefined,
        act_id: id,
        manager: undefined,
        limit: 1,
        offset: 0,
      });
      const video = rows[0]?.id ?? 0;
      const before = [await findChannel(store, id, owner), await findShownVideo(store, video)];
      await remove(owner, id);
      expect(await refusal(findChannel(store, id, owner))).toBe('noChannel');
      expect(await refusal(findVideo(store, video, owner))).toBe('noVideo');
      expect(await refusal(findShownVideo(store, video))).toBe('noVideo');
      expect(await refusal(remove(owner, id))).toBe('noChannel');
      expect(await refusal(add(owner, id))).toBe('noChannel');
      expect(await refusal(enterAnew(store, id, [entry('v', now)]))).toBe('noChannel');
      expect(await restore(owner, id)).toEqual(before[0] as never);
      expect([await findChannel(store, id, owner), await findShownVideo(store, video)]).toEqual(
        before,
      );
      expect((await findVideo(store, video, owner)).id).toBe(video);
    });

    test('it is brought back until its time is over, by its own account alone', async () => {
      const owner = await newAccount();
      const another = await newAccount();
      const id = await create(owner);
      await remove(owner, id);
      expect(await refusal(restore(another, id))).toBe('noChannel');
      expect(await refusal(restore(owner, id, now + keptMs))).toBe('noChannel');
      expect((await restore(owner, id, now + keptMs - 1)).id).toBe(id);
      // Asked for again it is answered as it is.
      expect((await restore(owner, id, now + keptMs)).id).toBe(id);
      expect(await refusal(restore(owner, 999_999_999))).toBe('noChannel');
    });

    test('a manager deletes its own channels alone', async () => {
      const owner = await newAccount();
      const anna = await store.perform(createManager, { ...owner, username: 'anna', now });
      const [own, other] = [await create(owner, anna), await create(owner)];
      const asAnna = { ...owner, manager_id: anna };
      expect(await refusal(remove(asAnna, other))).toBe('noChannel');
      expect((await remove(asAnna, own)).id).toBe(own);
      await store.perform(removeManager, { id: anna, now });
      expect(await restore(owner, own)).toMatchObject({ manager_id: 0, manager_username: null });
    });

    test('a live channel is not deleted; one whose service is long gone is, and its show is over', async () => {
      const owner = await newAccount();
      const id = await create(owner);
      const goLive = (seen_at: number) =>
        store.run(
          "UPDATE channels SET live = 1, live_node = 'there', live_seen_at = $2 WHERE id = $1",
          [id, seen_at],
        );
      await store.run(
        `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at, last_entry_at, changes)
         VALUES ($1, 5, NULL, 0, '[]', 5, 5, 0)`,
        [id],
      );
      await goLive(now - 15_000);
      expect(await refusal(remove(owner, id))).toBe('onAir');
      expect((await findChannel(store, id, owner)).live).toBe(1);
      await goLive(now - 15_001);
      await remove(owner, id);
      expect(await store.all('SELECT end_at FROM shows WHERE channel_id = $1', [id])).toEqual([
        { end_at: now - 15_001 },
      ]);
      expect((await restore(owner, id)).live).toBe(0);
    });

    test('those that can be brought back are listed, the last deleted first', async () => {
      const owner = await newAccount();
      const ids = [await create(owner), await create(owner), await create(owner)];
      const [first = 0, second = 0, third = 0] = ids;
      await add(owner, second);
      await remove(owner, second, now - 2_000);
      await remove(owner, first, now - 1_000);
      await remove(owner, third, now - keptMs);
      const asked = { owner, keptMs, now, limit: 1, offset: 1 };
      expect(await store.perform(listDeleted, { ...asked, limit: 5, offset: 0 })).toMatchObject({
        total: 2,
        rows: [
          { id: first, name: 'channel', deleted_at: now - 1_000, videos: 0 },
          { id: second, deleted_at: now - 2_000, videos: 1 },
        ],
      });
      const { total, rows } = await store.perform(listDeleted, asked);
      expect([total, ...rows.map(({ id }) => id)]).toEqual([2, second]);
      await restore(owner, first);
      expect((await store.perform(listDeleted, asked)).total).toBe(1);
    });

    test('deleted channels keep their places among those that an account may have', async () => {
      const owner = await newAccount();
      const bounded = { channelsMax: 2 };
      const id = await create(owner, 0, bounded);
      await create(owner, 0, bounded);
      await remove(owner, id);
      expect(await refusal(create(owner, 0, bounded))).toBe('noPermission');
      await store.run('UPDATE channels SET gone_at = $2 WHERE id = $1', [id, now]);
      await create(owner, 0, bounded);
      expect(await refusal(create(owner, 0, bounded))).toBe('noPermission');
    });

    test('a create that is repeated is told that its channel is deleted', async () => {
      const owner = await newAccount();
      const repeated = { idempotency: { key: 'k', request_hash: 'h' } };
      const id = await create(owner, 0, repeated);
      await remove(owner, id);
      expect(await refusal(create(owner, 0, repeated))).toBe('noChannel');
      await restore(owner, id);
      expect(await create(owner, 0, repeated)).toBe(id);
      expect(await channelCount(store, owner.account_id)).toBe(1);
    });
  });
}

async function channelCount(store: Store, account_id: number): Promise<number> {
  const row = await store.one<{ total: number }>(
    "SELECT total FROM totals WHERE account_id = $1 AND kind = 'channels' AND part = 'account'",
    [account_id],
  );
  return row?.total ?? 0;
}

/** Why it was refused; undefined where it was not. */
async function refusal(asked: Promise<unknown>): Promise<string | undefined> {
  return await asked.then(
    () => undefined,
    (error) => (error as ApiError).kind,
  );
}
