// Forgets what is older than the operator wants to keep: every hour and at the start, in small steps.
import type { Operation, Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { startRounds } from '../../base/turns/rounds.ts';
import { findShow, noteRemoval, showsToFreeze } from '../reports/show-report-store.ts';
import type { ShowSheets } from '../reports/show-sheets.ts';
import { truncateOldAddresses } from './address-retention-store.ts';
import {
  type OldIn,
  removeOldMessages,
  removeOldRegistrations,
  removeOldSessions,
  removeOldShares,
  removeOldSilences,
} from './record-retention-store.ts';
import { accountOf, channelsAfter, findOld, type Retained } from './retention-store.ts';

export interface RetentionOptions {
  store: Store;
  now: () => number;
  log: Log;
  /** Count what shows came to before their records go. */
  sheets: Pick<ShowSheets, 'freeze'>;
  /** Records and chat messages older than so many days go; 0 keeps them for ever. */
  audienceRetentionDays: number;
  /** IP addresses older than so many days are truncated; 0 keeps them as they are. */
  ipRetentionDays: number;
}

export interface Retention {
  /** Resolves when the step under way is done. */
  stop(): Promise<void>;
}

const sweepEveryMs = 3_600_000;
const dayMs = 86_400_000;
/**
 * A show whose records change while it is counted is counted anew, so often. Then what was counted last stays: records
 * go when their time is over, whoever changes them meanwhile.
 */
const freezeTriesMax = 3;
/** Channels that are listed at a time. */
const channelsAtOnce = 500;

export function startRetention(options: RetentionOptions): Retention {
  return startRounds(sweepEveryMs, async (signal) => {
    await forgetOld(options, signal).catch((error) =>
      options.log.warn('old records could not be removed', { error }),
    );
  });
}

/** One sweep over every channel; how many steps it took. */
export async function forgetOld(options: RetentionOptions, signal?: AbortSignal): Promise<number> {
  const { store, now, audienceRetentionDays, ipRetentionDays } = options;
  const daysAgo = (days: number) => (days === 0 ? undefined : now() - days * dayMs);
  const ages = {
    recordsBefore: daysAgo(audienceRetentionDays),
    addressesBefore: daysAgo(ipRetentionDays),
  };
  if (ages.recordsBefore === undefined && ages.addressesBefore === undefined) return 0;
  if (ages.recordsBefore !== undefined)
    await store.perform(removeOldSilences, { before: ages.recordsBefore });
  let steps = 0;
  for (let after = 0; ; ) {
    const channels = await channelsAfter(store, { after, limit: channelsAtOnce });
    for (const channel_id of channels) {
      for (const { what, before } of await store.perform(findOld, { channel_id, ...ages })) {
        if (what === 'sessions') await freezeShows(options, { channel_id, before }, signal);
        if (signal?.aborted) return steps;
        steps += await repeat(store, stepsOf[what], { channel_id, before }, signal);
      }
      if (signal?.aborted) return steps;
    }
    after = channels.at(-1) ?? 0;
    if (channels.length < channelsAtOnce) return steps;
  }
}

/** What shows came to is kept before the first of their records goes. */
async function freezeShows(
  { store, sheets }: RetentionOptions,
  old: OldIn,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { channel_id } = old;
  const account_id = await accountOf(store, channel_id);
  for (const show of await showsToFreeze(store, old)) {
    for (let tries = 1; ; tries += 1) {
      if (signal?.aborted) return;
      const found = await store.perform(findShow, { account_id, channel_id, show });
      const mayBeOld = tries === freezeTriesMax;
      if (!found || (await sheets.freeze(found, account_id, { mayBeOld }))) break;
    }
  }
  await store.perform(noteRemoval, old);
}

const stepsOf = {
  sessions: removeOldSessions,
  messages: removeOldMessages,
  shares: removeOldShares,
  registrations: removeOldRegistrations,
  addresses: truncateOldAddresses,
} as const satisfies Record<Retained, Operation<OldIn, boolean>>;

/** Step after step until nothing is left; the writer rests between two for as long as one took. */
async function repeat(
  store: Store,
  step: Operation<OldIn, boolean>,
  old: OldIn,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (let steps = 1; ; steps++) {
    const startedAt = performance.now();
    const hasMore = await store.perform(step, old);
    if (!hasMore || signal?.aborted) return steps;
    await Bun.sleep(performance.now() - startedAt);
  }
}
