// Removes recorded videos that are older than the operator wants to keep them: at the start and every minute.
import { join } from 'node:path';
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import { recordingsFolder, removeFolder } from './recording-folder.ts';
import { oldRecordings, removeRecording } from './recording-store.ts';

export interface VideoRetentionOptions {
  dataDir: string;
  /** The name of this service; recordings lie on its disk. */
  node: string;
  store: Store;
  now: () => number;
  log: Log;
  /** Videos older than this are removed; 0 keeps them for ever. */
  retentionDays: number;
}

export interface VideoRetention {
  /** Resolves when the sweep under way is done. */
  stop(): Promise<void>;
}

const sweepEveryMs = 60_000;
const removedAtOnce = 100;
const dayMs = 86_400_000;

export function startVideoRetention(options: VideoRetentionOptions): VideoRetention {
  const sweep = async () => {
    await removeOld(options).catch((error) =>
      options.log.warn('old videos could not be removed', { error }),
    );
  };
  let sweeping = sweep();
  const timer = setInterval(() => {
    sweeping = sweep();
  }, sweepEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** The files go first: a row without them is removed at the next try, files without a row would become a video again. */
async function removeOld({ store, node, now, log, dataDir, retentionDays }: VideoRetentionOptions) {
  if (retentionDays === 0) return;
  const before = now() - retentionDays * dayMs;
  const old = await store.perform(oldRecordings, { node, before, limit: removedAtOnce });
  for (const { id, recording } of old) {
    await removeFolder(join(recordingsFolder(dataDir), recording));
    await store.perform(removeRecording, { id });
    log.info('a video was removed because of its age', { video_id: id });
  }
}
