// Keeps the channels' rows in step with the hub, however long the database is away.
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import { changedKeys, endLive, keepLive, startLive } from './live-store.ts';
import type { LiveStream } from './live-stream.ts';

/** What the database is told again and again: well within the time after which a node counts as gone. */
const keepEveryMs = 5_000;
/** A changed publish key cuts its publisher within 5 s. */
const keysEveryMs = 2_000;
const retryMs = 1_000;

export interface LiveRecord {
  /** The channel is live; saying it again changes nothing. */
  started(stream: LiveStream): void;
  /** The channel is live no more. */
  ended(stream: LiveStream): void;
  /** Writes what is not written yet, if it can be done soon. */
  stop(): Promise<void>;
}

/** Rejects where the database cannot be reached at the start. */
export async function startLiveRecord(given: {
  store: Store;
  /** A name of this service that outlives it. */
  node: string;
  now: () => number;
  log: Log;
  /** The publish key of these channels is no longer the one they were published with. */
  onKeyChanged(channelId: number): void;
}): Promise<LiveRecord> {
  const { store, node, now, log, onKeyChanged } = given;
  const live = new Map<number, LiveStream>();
  const unwritten = new Map<number, LiveStream | undefined>();
  let isKeepDue = false;
  let writing: Promise<void> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  // Whatever this node had live before it was killed is not live.
  await store.perform(keepLive, { node, ids: [], now: now() });

  const writeOne = async (channel_id: number, stream: LiveStream | undefined) => {
    if (stream) {
      const { startedAt } = stream;
      await store.perform(startLive, { channel_id, node, startedAt, now: now() });
    } else await store.perform(endLive, { channel_id, node });
    // It may have changed while it was written: then it is written again.
    if (unwritten.get(channel_id) === stream) unwritten.delete(channel_id);
  };
  /** One write at a time: a confirmation that others overtook would undo them. */
  const writeAll = async () => {
    clearTimeout(retry);
    try {
      while (unwritten.size > 0 || isKeepDue) {
        const [next] = unwritten;
        if (next) await writeOne(...next);
        else {
          await store.perform(keepLive, { node, ids: [...live.keys()], now: now() });
          isKeepDue = false;
        }
      }
    } catch (error) {
      log.warn('which channels are live could not be written; it is tried again', { error });
      retry = setTimeout(write, retryMs);
    }
    // In the same breath as the last look, so that nothing is added in between and forgotten.
    writing = undefined;
  };
  const write = () => {
    writing ??= writeAll();
  };

  const keep = setInterval(() => {
    isKeepDue = true;
    write();
  }, keepEveryMs);
  const keys = setInterval(async () => {
    const channels = [...live.values()].map(({ channel }) => channel);
    try {
      for (const id of await changedKeys(store, channels)) onKeyChanged(id);
    } catch (error) {
      log.warn('publish keys could not be compared', { error });
    }
  }, keysEveryMs);

  const set = (id: number, stream: LiveStream | undefined) => {
    unwritten.set(id, stream);
    write();
  };
  return {
    started: (stream) => {
      if (live.get(stream.channel.id) === stream) return;
      live.set(stream.channel.id, stream);
      set(stream.channel.id, stream);
    },
    ended: (stream) => {
      const { id } = stream.channel;
      if (live.get(id) !== stream) return;
      live.delete(id);
      set(id, undefined);
    },
    stop: async () => {
      clearInterval(keep);
      clearInterval(keys);
      await writing;
      await writeAll();
      clearTimeout(retry);
    },
  };
}
