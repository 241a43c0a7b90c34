// What the records say at the end of a round, beside what each viewer was owed.
import { asking, type DatabaseSettings } from '../../test/support/snapshot.ts';
import type { ViewersCount } from './audience-viewers.ts';
import { figure } from './figures.ts';

export interface Records {
  sessions: number;
  watchedHours: number;
  /** What one viewer has too much, and lacks, at most; and what they lack on average. */
  overMsMost: number;
  shortMsMost: number;
  shortMsMean: number;
  /** Visitors whose sum is not that of their only session. */
  visitorsOff: number;
}

export async function recordsBeside(
  settings: DatabaseSettings,
  owedMs: ViewersCount['owedMs'],
): Promise<Records> {
  const rows = await asking(settings, (ask) =>
    ask(`SELECT s.viewer_id, s.watch_ms, v.watch_ms AS visitor_ms FROM sessions s
      JOIN visitors v ON v.channel_id = s.channel_id AND v.viewer_id = s.viewer_id`),
  );
  const watchedMs = new Map(rows.map((row) => [String(row['viewer_id']), Number(row['watch_ms'])]));
  const shortMs = Object.entries(owedMs).map(([id, owed]) => owed - (watchedMs.get(id) ?? 0));
  const { min, max } = figure(shortMs);
  return {
    sessions: rows.length,
    watchedHours: sum([...watchedMs.values()]) / 3_600_000,
    overMsMost: Math.max(0, -min),
    shortMsMost: max,
    shortMsMean: sum(shortMs) / shortMs.length,
    visitorsOff: rows.filter((row) => row['watch_ms'] !== row['visitor_ms']).length,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
