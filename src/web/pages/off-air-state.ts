// What a page shows while its channel is off air; the page and its script decide it alike.
import type { WatchData } from './page-data.ts';

/** A start that is still ahead is waited for, whatever was on air before: that was another show, or a rehearsal. */
export function offAirState(
  { start_time, has_been_live }: Pick<WatchData, 'start_time' | 'has_been_live'>,
  now: number,
): 'waiting' | 'ended' {
  const isAhead = start_time !== null && start_time > now;
  return isAhead || !has_been_live ? 'waiting' : 'ended';
}
