// Deleted channels and videos whose time is over go for good: at the start and every minute, in small steps, whichever service comes.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { goneRowKeptMs } from '../channels/channel-limits.ts';
import {
  type GoneChannel,
  goneChannels,
  hasChannelRows,
  isAnyDue,
  letChannelsGo,
  removeChannel,
  removeChannelRows,
} from './channel-removal-store.ts';
import {
  goneWithoutFiles,
  isAnyVideoDue,
  letVideosGo,
  removeGoneVideo,
} from './deleted-video-store.ts';
import { removeGuestsOf } from './video-guests.ts';

export interface ChannelRemovalOptions {
  store: Store;
  now: () => number;
  log: Log;
  /** For how long a deleted channel or video is kept. */
  keptMs: number;
}

const sweepEveryMs = 60_000;
/** Channels that are listed at a time. */
const channelsAtOnce = 500;
const videosAtOnce = 500;

export function startChannelRemoval(options: ChannelRemovalOptions): Rounds {
  return startRounds(sweepEveryMs, (signal) =>
    removeGone(options, signal).catch((error) =>
      options.log.warn('deleted channels could not be removed', { error }),
    ),
  );
}

/**
 * One round. Every step may be done by several services, or again after a kill: it removes what is there. Recordings
 * go with their files, each by the service on whose disk they lie (`stream/recording/video-retention.ts`); the
 * channel's own row is the last.
 */
export async function removeGone(
  options: ChannelRemovalOptions,
  signal?: AbortSignal,
): Promise<void> {
  const { store, now, keptMs } = options;
  const before = now() - keptMs;
  if (await isAnyDue(store, { before })) await store.perform(letChannelsGo, { before, now: now() });
  if (await isAnyVideoDue(store, { before }))
    await store.perform(letVideosGo, { before, now: now() });
  await removeGoneVideos(options, signal);
  if (signal?.aborted) return;
  for (let after = 0; ; ) {
    const gone = await store.perform(goneChannels, { after, limit: channelsAtOnce });
    for (const channel of gone) {
      await removeOne(options, channel, signal);
      if (signal?.aborted) return;
    }
    after = gone.at(-1)?.id ?? 0;
    if (gone.length < channelsAtOnce) return;
  }
}

/** Those without files of ours. */
async function removeGoneVideos(
  { store }: ChannelRemovalOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const gone = await store.perform(goneWithoutFiles, { limit: videosAtOnce });
    for (const video of gone) {
      if (!(await removeGuestsOf(store, video, signal))) return;
      await store.perform(removeGoneVideo, video);
    }
    if (gone.length < videosAtOnce) return;
  }
}

async function removeOne(
  { store, now, log }: ChannelRemovalOptions,
  { id, account_id, gone_at }: GoneChannel,
  signal: AbortSignal | undefined,
): Promise<void> {
  let hasMore = await store.perform(hasChannelRows, { id, account_id });
  while (hasMore && !signal?.aborted) {
    const startedAt = performance.now();
    hasMore = await store.perform(removeChannelRows, { id, account_id });
    // The writer rests for as long as the step took.
    if (hasMore) await Bun.sleep(performance.now() - startedAt);
  }
  if (signal?.aborted || gone_at + goneRowKeptMs > now()) return;
  if (await store.perform(removeChannel, { id }))
    log.info('a deleted channel is gone for good', { channel_id: id, account_id });
}
