// Who may name a segment of a push that nodes take from each other, on both engines.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { openCommandStore } from '../../base/db/store.ts';
import { createFirstAccount } from '../../library/access/account-store.ts';
import { operations } from '../../operations.ts';
import { endLostPush } from '../live/live-store.ts';
import { claimPush, findPush, letGoOfPush, lostPushes } from '../live/push-lease-store.ts';
import { addRecording, type FinishedRecording } from './recording-store.ts';
import { type NamedSegment, nameSegment, segmentsBehind } from './segment-store.ts';
import { endedStints, type SharedRecording, sealShared } from './shared-recording-store.ts';
import { beginStint, endStint, type Stint } from './stint-store.ts';

const reconnectMs = 10_000;

/** A node takes the push of a channel; its epoch. */
async function take(store: Store, channel_id: number, node: string) {
  const known = await findPush(store, channel_id);
  const { row, before } = await store.perform(claimPush, {
    ...{ channel_id, node, key_hash: 'key', push: 'push', reconnectMs, now: 0 },
    ...{ heldEpoch: undefined, silentSince: known?.renewals },
  });
  return { epoch: row.epoch, before };
}

function stintOf(channel_id: number, epoch: number, node = 'a'): Stint {
  return {
    ...{ recording: 'push', push: 'push', epoch, channel_id, account_id: 1, node },
    ...{ pushed_ms: 0, show_at: 5 },
  };
}

function segmentOf(epoch: number, sequence: number): NamedSegment {
  return {
    ...{ push: 'push', epoch, sequence, key: `rec/push/${epoch}/${sequence}.m4s` },
    ...{ size: 100, init_size: sequence % 10 === 0 ? 10 : 0, width: 640, height: 360 },
    ...{ duration_ms: 2_000, flags: 1, starts_at: sequence * 1_000 },
  };
}

function name(store: Store, channel_id: number, epoch: number, sequence: number) {
  const fence = { channel_id, push: 'push' };
  return store.perform(nameSegment, { ...segmentOf(epoch, sequence), fence });
}

async function namedOf(store: Store): Promise<string[]> {
  const all = { push: 'push', epoch: -1, sequence: -1, limit: 10_000 };
  const rows = await store.perform(segmentsBehind, all);
  return rows.map(({ epoch, sequence }) => `${epoch}/${sequence}`);
}

function videoOf(channel_id: number): FinishedRecording {
  return {
    ...{ recording: 'push', channel_id, account_id: 1, show_at: 5, show_ms: 0, startText: 'then' },
    ...{ video_size: 9, duration: 2, width: 640, height: 360, start_time: 5, end_time: 6 },
    ...{ sameAsSource: [], jobs: ['mp4'], node: 'a', storage: 'spool', now: 7 },
  };
}

function sharedOf(channel_id: number, segments: number): SharedRecording {
  const { node, storage, ...video } = videoOf(channel_id);
  const object = {
    file: 'source.mp4',
    at: 0,
    key: 'rec/push/ab/0-source.index',
    size: 9,
    tag: '"9"',
  };
  return { stint: stintOf(channel_id, 1), segments, video, objects: [object] };
}

for (const engine of engines) {
  describe(engine.name, () => {
    /** A push that a had and b has, each with a stint. */
    async function takenPush() {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await take(store, id, 'a');
      await store.perform(beginStint, stintOf(id, 1));
      await name(store, id, 1, 10);
      await take(store, id, 'b');
      return { store, id };
    }

    test('a segment is named by who holds the push, once its stint has begun', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await take(store, id, 'a');
      expect(await name(store, id, 1, 10)).toBe(false);
      expect(await store.perform(beginStint, stintOf(id, 1))).toBe(true);
      expect(await store.perform(beginStint, stintOf(id, 1))).toBe(true);
      expect(await name(store, id, 1, 10)).toBe(true);
      // Whoever is not sure asks again.
      expect(await name(store, id, 1, 10)).toBe(true);
      expect(await namedOf(store)).toEqual(['1/10']);
      await store.close();
    });

    test('a tail is named below the first number of the next holder, and no further', async () => {
      const { store, id } = await takenPush();
      await store.perform(beginStint, stintOf(id, 2, 'b'));
      expect(await name(store, id, 1, 11)).toBe(true);
      expect(await name(store, id, 2, 20)).toBe(true);
      expect(await name(store, id, 1, 12)).toBe(true);
      expect(await name(store, id, 1, 20)).toBe(false);
      expect(await name(store, id, 1, 21)).toBe(false);
      expect(await namedOf(store)).toEqual(['1/10', '1/11', '1/12', '2/20']);
      await store.close();
    });

    test('a tail is named while the channel has another push, and not once there is a video', async () => {
      const { store, id } = await takenPush();
      const { epoch } = (await findPush(store, id)) ?? { epoch: 0 };
      const letGo = { channel_id: id, node: 'b', epoch, was: 'live', state: 'ended' } as const;
      expect(await store.perform(letGoOfPush, letGo)).toBe(true);
      expect(await name(store, id, 1, 11)).toBe(true);
      await store.run("UPDATE pushes SET push = 'another', epoch = 3, state = 'live'");
      expect(await name(store, id, 1, 12)).toBe(true);
      expect(await store.perform(sealShared, sharedOf(id, 2))).toBe('changed');
      expect(await store.perform(sealShared, sharedOf(id, 3))).toBeNumber();
      expect(await name(store, id, 1, 13)).toBe(false);
      expect(await store.perform(beginStint, stintOf(id, 1))).toBe(false);
      expect(await namedOf(store)).toEqual([]);
      await store.close();
    });

    test('whoever goes on learns which recording, and how much of it there is', async () => {
      const { store, id } = await takenPush();
      await name(store, id, 1, 11);
      const { before } = await take(store, id, 'c');
      expect(before?.recorded).toEqual({
        ...{ recording: 'push', pushedMs: 4_000, durationMs: 4_000, segments: 2 },
      });
      await store.perform(endStint, { recording: 'push', epoch: 1, isLast: true });
      const next = await take(store, id, 'd');
      expect(next.before?.recorded.recording).toBeUndefined();
      await store.close();
    });

    test('before anything is named all nodes mean the recording that has the name of the push', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await take(store, id, 'a');
      const { before } = await take(store, id, 'b');
      expect(before?.recorded).toMatchObject({ recording: 'push', segments: 0 });
      await store.close();
    });

    test('a push that was only ever one node’s is a video on its disk; any other is not', async () => {
      const store = await openTestStore(engine);
      const [alone, shared] = [await newChannel(store), await newChannel(store)];
      await take(store, alone, 'a');
      const stint = { recording: 'push', push: 'push', epoch: 1, sequence: 10 };
      expect(await store.perform(addRecording, { ...videoOf(alone), stint })).toBeNumber();
      // Nobody else has a part in it from here on.
      expect(await store.perform(beginStint, stintOf(alone, 2, 'b'))).toBe(false);
      await store.run('DELETE FROM recording_stints');
      await store.run('DELETE FROM videos');
      await take(store, shared, 'a');
      await store.perform(beginStint, stintOf(shared, 1));
      await take(store, shared, 'b');
      const lost = { ...videoOf(shared), stint };
      expect(await store.perform(addRecording, lost)).toBe('taken');
      const gained = { ...videoOf(shared), node: 'b', stint: { ...stint, epoch: 2 } };
      expect(await store.perform(addRecording, gained)).toBe('shared');
      await store.close();
    });

    test('what is over is found with its stints, and becomes one video for any node', async () => {
      const { store, id } = await takenPush();
      expect(await store.perform(endedStints, { limit: 9 })).toEqual([]);
      await store.run("UPDATE pushes SET state = 'ended'");
      expect(await store.perform(endedStints, { limit: 9 })).toMatchObject([
        { recording: 'push', epoch: 1, node: 'a', carried: 0 },
      ]);
      const made = await store.perform(sealShared, sharedOf(id, 1));
      expect(await store.all('SELECT id, recording_node, storage FROM videos')).toEqual([
        { id: made as number, recording_node: '*', storage: 'bucket' },
      ]);
      expect(await store.all('SELECT node FROM jobs')).toEqual([{ node: '*' }]);
      expect(await store.all('SELECT file FROM recorded_objects')).toHaveLength(1);
      expect(await store.perform(endedStints, { limit: 9 })).toEqual([]);
      // Another node that had read the same comes too late.
      expect(await store.perform(sealShared, sharedOf(id, 1))).toBe('changed');
      await store.close();
    });

    test('a push that nobody has come back to is ended once, unless it was renewed meanwhile', async () => {
      const { store, id } = await takenPush();
      const look = () => store.perform(lostPushes, { reconnectMs, limit: 9 });
      expect(await look()).toEqual([]);
      await store.run(
        'UPDATE pushes SET held_until = held_until - 60000, media_at = media_at - 60000',
      );
      const [lost] = await look();
      if (!lost) throw new Error('none is lost');
      expect(lost).toMatchObject({ channel_id: id, node: 'b', epoch: 2 });
      expect(await store.perform(endLostPush, { ...lost, renewals: lost.renewals - 1 })).toBe(
        false,
      );
      expect(await store.perform(endLostPush, lost)).toBe(true);
      expect(await store.perform(endLostPush, lost)).toBe(false);
      expect(await look()).toEqual([]);
      await store.close();
    });
  });
}

test('of takers and namers at once none names behind the next holder', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL');
  const { DATA_DIR, DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const settings = {
    ...{ dataDir: DATA_DIR, databaseUrl: DATABASE_URL, deadlineMs: 20_000, connectionsMax: 2 },
  };
  const stores = await Promise.all([1, 2, 3].map(() => openCommandStore(settings, operations)));
  const [first] = stores as [Store];
  const rounds = 40;
  await first.perform(createFirstAccount, { now: 0 });
  for (let round = 0; round < rounds; round += 1) {
    const id = await newChannel(first);
    await first.run('DELETE FROM segments');
    await first.run('DELETE FROM recording_stints');
    await take(first, id, 'a');
    await first.perform(beginStint, stintOf(id, 1));
    await name(first, id, 1, 10);
    const holder = stores[1] as Store;
    const late = stores[2] as Store;
    const named: boolean[] = [];
    await Promise.all([
      (async () => {
        const { epoch } = await take(holder, id, 'b');
        await holder.perform(beginStint, stintOf(id, epoch, 'b'));
        expect(await name(holder, id, epoch, 14)).toBe(true);
      })(),
      (async () => {
        // One that was frozen and counts on: some of its numbers are the next holder's.
        for (const sequence of [11, 12, 13, 15, 16, 17])
          named.push(await name(late, id, 1, sequence));
      })(),
    ]);
    expect(await name(late, id, 1, 18)).toBe(false);
    // Whatever of it is refused, all behind it is.
    const refusedFrom = named.indexOf(false);
    if (refusedFrom >= 0) expect(named.slice(refusedFrom)).not.toContain(true);
  }
  for (const store of stores) await store.close();
});
