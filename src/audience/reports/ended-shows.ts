// Counts shows a while after they have ended, so that whoever asks for their report has it at once.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { startRounds } from '../../base/turns/rounds.ts';
import { findShow, uncountedShows } from './show-report-store.ts';
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
/** In one round: each is a second's work of another thread. */
const roundMax = 20;

export function startEndedShows(options: EndedShowsOptions): { stop(): Promise<void> } {
  return startRounds(everyMs, async () => {
    await countEnded(options).catch((error) =>
      options.log.warn('shows that have ended could not be counted', { error }),
    );
  });
}

/** How many it counted. One that cannot be counted, as its records change meanwhile, keeps no other from it. */
export async function countEnded({ store, sheets, now, log }: EndedShowsOptions): Promise<number> {
  const ended = { from: now() - recentMs, to: now() - settledMs, limit: roundMax };
  const shows = await uncountedShows(store, ended);
  let counted = 0;
  for (const { id, channel_id, account_id } of shows) {
    try {
      const found = await store.perform(findShow, { account_id, channel_id, show: id });
      if (found) await sheets.figures(found, account_id);
      counted += 1;
    } catch (error) {
      log.warn('a show that has ended could not be counted', { channel_id, show: id, error });
    }
  }
  return counted;
}
