// Those of a channel's viewers whom somebody looks for, so far as a look may go.
import type { Store } from '../../base/db/sql.ts';
import { type SearchStep, searchVisitors, sessionsOfViewers } from './audience-search-store.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

/** Whoever finds more looks for something else. */
export const foundMax = 200;
/** A million visitors are fifty steps, some half a second beside everybody else's calls; older ones are not looked at. */
export const stepsMax = 50;
/** Sessions of each viewer that was found. */
export const sessionsEachMax = 50;

export interface Found<Row> {
  rows: Row[];
  /** There may be more than were looked at or are told. */
  isWhole: boolean;
}

export async function findVisitors(
  store: Store,
  search: Omit<SearchStep, 'before' | 'limit'>,
): Promise<Found<VisitorRow>> {
  const rows: VisitorRow[] = [];
  let before: number | undefined;
  for (let step = 0; step < stepsMax; step++) {
    const limit = foundMax + 1 - rows.length;
    const found = await store.perform(searchVisitors, { ...search, before, limit });
    rows.push(...found.rows);
    if (rows.length > foundMax) return { rows: rows.slice(0, foundMax), isWhole: false };
    if (found.next === undefined) return { rows, isWhole: true };
    before = found.next;
  }
  return { rows, isWhole: false };
}

export async function findSessions(
  store: Store,
  {
    q,
    filtered,
    ...period
  }: Omit<SearchStep, 'before' | 'limit'> & {
    enteredFrom?: number | undefined;
    enteredBefore?: number | undefined;
  },
): Promise<Found<SessionRow>> {
  const { account_id, channel_id } = period;
  const found = await findVisitors(store, { account_id, channel_id, q, filtered: false });
  const viewer_ids = found.rows.map(({ viewer_id }) => viewer_id);
  const limit = sessionsEachMax + 1;
  const rows = await store.perform(sessionsOfViewers, { ...period, viewer_ids, filtered, limit });
  const counts = Map.groupBy(rows, ({ viewer_id }) => viewer_id);
  const isEach = [...counts.values()].every((own) => own.length <= sessionsEachMax);
  return { rows, isWhole: found.isWhole && isEach };
}
