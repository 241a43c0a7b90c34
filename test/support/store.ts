// A store alone, without a server, for tests of what lies below the routes.
import {
  type Entered,
  type Entry,
  enterSessions,
} from '../../src/audience/records/audience-store.ts';
import { importOperations } from '../../src/audience/records/session-import-store.ts';
import type { AnyOperation, Store } from '../../src/base/db/sql.ts';
import { openCommandStore } from '../../src/base/db/store.ts';
import { createFirstAccount } from '../../src/library/access/account-store.ts';
import { createChannel } from '../../src/library/channels/channel-store.ts';
import type { ImportedVideo } from '../../src/library/videos/video-store.ts';
import { operations } from '../../src/operations.ts';
import type { Engine } from './engines.ts';

export async function openTestStore(
  engine: Engine,
  more: readonly AnyOperation[] = [],
): Promise<Store> {
  const { DATA_DIR, DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const store = await openCommandStore(
    { dataDir: DATA_DIR, databaseUrl: DATABASE_URL, deadlineMs: 10_000, connectionsMax: 1 },
    [...operations, ...importOperations, ...more],
  );
  await store.perform(createFirstAccount, { now: 0 });
  return store;
}

/** A new channel, of the first account where none is named; its id. */
export async function newChannel(store: Store, account_id = 1): Promise<number> {
  const { row } = await store.perform(createChannel, {
    owner: { account_id, manager_id: 0 },
    name: 'channel',
    manager_id: 0,
    page: { set: {}, clear: [] },
    now: 0,
    idempotency: undefined,
  });
  return row.id;
}

/** Viewers come to a channel, none of them back to a session they had. */
export async function enterAnew(
  store: Store,
  channel_id: number,
  entries: Entry[],
): Promise<Entered[]> {
  const given = { channel_id, held_by: 1, now: 0, resumeWithinMs: 0, entries };
  const entered = await store.perform(enterSessions, given);
  return entered.filter((one) => one !== undefined);
}

/** A viewer of whom nothing is known but who they are. */
export function entry(viewer_id: string, at: number): Entry {
  const nothing = { nick: '', addr: '', phone: '', device: '', browser: '', origin: '', ip: '' };
  return { viewer_id, ...nothing, at };
}

/** A video of which nothing is known but what is given. */
export function plainVideo(given: Partial<ImportedVideo>): ImportedVideo {
  return {
    external_id: '',
    channel_id: 0,
    name: 'video',
    video_url: '',
    video_size: 0,
    m3u8: '',
    m3u8_480: '',
    m3u8_720: '',
    m3u8_1080: '',
    duration: 0,
    width: 0,
    height: 0,
    cover_url: '',
    upload_time: null,
    start_time: null,
    end_time: null,
    ...given,
  };
}
