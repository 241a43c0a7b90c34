// Removes recorded videos that are older than the operator wants to keep them: at the start and every minute.
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
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

const sweepEveryMs = 60_000;
const removedAtOnce = 100;
const dayMs = 86_400_000;

export function startVideoRetention(options: VideoRetentionOptions): Rounds {
  return startRounds(sweepEveryMs, () =>
    removeOld(options).catch((error) =>
      options.log.warn('old videos could not be removed', { error }),
    ),
  );
}

/** The files go first: a row without them is removed at the next try, files without a row would become a video again. */
async function removeOld(options: VideoRetentionOptions): Promise<void> {
  const { store, node, now, log, dataDir, retentionDays } = options;
  if (retentionDays === 0) return;
  const before = now() - retentionDays * dayMs;
  const old = await store.perform(oldRecordings, { node, before, limit: removedAtOnce });
  for (const { id, recording } of old) {
    await removeFolder(join(recordingsFolder(dataDir), recording));
    await store.perform(removeRecording, { id });
    log.info('a video was removed because of its age', { video_id: id });
  }
}
