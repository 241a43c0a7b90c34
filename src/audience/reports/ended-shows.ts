// Counts shows a while after they have ended, so that whoever asks for their report has it at once, and tells of them.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { startRounds } from '../../base/turns/rounds.ts';
import { findShow, tellShow, uncountedShows, untoldShows } from './show-report-store.ts';
import type { ShowSheets } from './show-sheets.ts';

export interface EndedShowsOptions {
  store: Store;
  sheets: Pick<ShowSheets, 'figures'>;
  now: () => number;
  log: Log;
}

const everyMs = 60_000;
/** By then every page has said what it played, and that is written. */
const settledMs = 60_000;
/** What ended before is counted when somebody asks. */
const recentMs = 24 * 3_600_000;
/** Also where no service ran for days: what ended before is not told any more. */
const untoldMs = 7 * 24 * 3_600_000;
/** In one step: each is a second's work of another thread. */
const stepMax = 20;
/** Steps of one round: of a service that ran a thousand shows and was killed, they end all at once. */
const stepsMax = 50;

export function startEndedShows(options: EndedShowsOptions): { stop(): Promise<void> } {
  return startRounds(everyMs, async (signal) => {
    const warn = (error: unknown) => {
      options.log.warn('shows that have ended could not be counted', { error });
      return 0;
    };
    for (let step = 0; step < stepsMax && !signal.aborted; step += 1)
      if ((await countEnded(options).catch(warn)) < stepMax) return;
  });
}

/** How many it counted. One that cannot be counted, as its records change meanwhile, keeps no other from it. */
export async function countEnded({ store, sheets, now, log }: EndedShowsOptions): Promise<number> {
  const ended = { to: now() - settledMs, limit: stepMax };
  const untold = await untoldShows(store, { ...ended, from: now() - untoldMs });
  const uncounted = await uncountedShows(store, { ...ended, from: now() - recentMs });
  const untoldIds = new Set(untold.map(({ id }) => id));
  const shows = [...untold, ...uncounted.filter(({ id }) => !untoldIds.has(id))];
  let counted = 0;
  for (const { id, channel_id, account_id } of shows) {
    try {
      const found = await store.perform(findShow, { account_id, channel_id, show: id });
      if (found) await sheets.figures(found, account_id);
      if (untoldIds.has(id)) await store.perform(tellShow, { id, channel_id });
      counted += 1;
    } catch (error) {
      log.warn('a show that has ended could not be counted', { channel_id, show: id, error });
    }
  }
  return counted;
}
