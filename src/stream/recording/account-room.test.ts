// Accounts and the disk: what grows, what has ended, what the database knows, and when there is room again.
import { afterEach, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { addVideos } from '../../library/videos/video-store.ts';
import { AccountRoom } from './account-room.ts';

const log = startLog('error', { write: (text) => text.length });
const stores: Store[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function trial(bytesMax: number, { node = 'node', ofAllNodes = false } = {}) {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const store = await openTestStore(sqlite);
  stores.push(store);
  const video = plainVideo({ channel_id: await newChannel(store), video_size: 0 });
  await store.perform(addVideos, { account_id: 1, videos: [video] });
  const clock = { now: 0 };
  const asked: Promise<unknown>[] = [];
  const given = Object.assign(Object.create(store) as Store, {
    perform: (async (operation, input) => {
      const performed = store.perform(operation, input);
      asked.push(performed);
      return await performed;
    }) satisfies Store['perform'],
  });
  const room = new AccountRoom({
    ...{ bytesMax, node, ofAllNodes, store: given, now: () => clock.now, log },
  });
  /** So much is in the database, and is known from now on. */
  const stored = async (bytes: number) => {
    await store.run(
      "UPDATE videos SET recording = 'one', recording_node = 'node', video_size = $1",
      [bytes],
    );
    clock.now += 10_000;
    room.hasRoom(1);
    await Promise.all(asked.splice(0));
    await nextTurn();
  };
  const addImage = (bytes: number) =>
    store.run(
      `INSERT INTO images (id, account_id, channel_id, type, width, height, made_at, bytes)
       VALUES ($1, 1, 1, 'image/png', 1, 1, 0, $2)`,
      [crypto.randomUUID(), new Uint8Array(bytes)],
    );
  return { room, stored, addImage };
}

test('what lies on another disk counts where all of it goes into one bucket', async () => {
  const alone = await trial(1_000, { node: 'other' });
  await alone.stored(600);
  expect(await alone.room.hasRoomFor(1, 1)).toBe(true);
  const together = await trial(1_000, { node: 'other', ofAllNodes: true });
  await together.stored(600);
  expect(await together.room.hasRoomFor(1, 1)).toBe(false);
});

test('what grows counts twice, and for its own account alone', async () => {
  const { room } = await trial(1_000);
  const recording = { bytes: 0 };
  room.begun(1, recording);
  recording.bytes = 499;
  expect(room.hasRoom(1)).toBe(true);
  recording.bytes = 500;
  expect(room.hasRoom(1)).toBe(false);
  expect(room.hasRoom(2)).toBe(true);
});

test('what has ended counts before and after the database knows of it', async () => {
  const { room, stored } = await trial(1_000);
  await stored(0);
  const recording = { bytes: 600 };
  room.begun(1, recording);
  room.ended(1, recording);
  room.ended(1, recording);
  expect(room.hasRoom(1)).toBe(false);
  await stored(600);
  expect(room.hasRoom(1)).toBe(false);
});

test('there is room again when a tenth has gone', async () => {
  const { room, stored } = await trial(1_000);
  await stored(500);
  expect(room.hasRoom(1)).toBe(false);
  await stored(460);
  expect(room.hasRoom(1)).toBe(false);
  await stored(440);
  expect(room.hasRoom(1)).toBe(true);
});

test('pictures count once, one after the other, and with all that the account has', async () => {
  const { room, stored, addImage } = await trial(1_000);
  await stored(300);
  const keep = (bytes: number) =>
    room
      .keptRoom({ account_id: 1, bytes }, async () => await addImage(bytes))
      .then(
        () => 'kept',
        (error: unknown) => (error instanceof ApiError ? error.kind : error),
      );
  expect(await Promise.all([keep(300), keep(101), keep(10)])).toEqual(['kept', 'noRoom', 'kept']);
  expect(await room.hasRoomFor(1, 46)).toBeFalse();
  expect(await room.hasRoomFor(1, 45)).toBeTrue();
  expect(await keep(90)).toBe('kept');
  expect(room.hasRoom(1)).toBeFalse();
  expect(await room.hasRoomFor(2, 500)).toBeTrue();
});

test('a picture that could not be kept takes no room, and holds up no other', async () => {
  const { room } = await trial(1_000);
  const keep = (kept: () => Promise<string>) =>
    room.keptRoom({ account_id: 1, bytes: 900 }, kept).catch((error: Error) => error.message);
  const lost = keep(() => Promise.reject(new Error('the database is away')));
  expect(await Promise.all([lost, keep(async () => 'kept')])).toEqual([
    'the database is away',
    'kept',
  ]);
});

test('0 is no bound', async () => {
  const { room } = await trial(0);
  room.begun(1, { bytes: Number.MAX_SAFE_INTEGER });
  expect(room.hasRoom(1)).toBe(true);
});
