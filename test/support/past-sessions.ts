// Sessions brought into a store as an import brings them, and its block counts held against the rows.
import { expect } from 'bun:test';
import {
  type AudienceKind,
  audienceTables,
  blockSizes,
  levels,
  matchingMs,
} from '../../src/audience/records/block-counts.ts';
import { importSessions } from '../../src/audience/records/session-import.ts';
import type { ImportReport } from '../../src/base/api/line-import.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { duration, Zone } from '../../src/base/lib/time.ts';

export interface PastSession {
  record_id: number | string;
  viewer_id: string;
  /** A whole second. */
  entered_at: number;
  watch_ms?: number;
  online_ms?: number;
  nick?: string;
  phone?: string;
  ip?: string;
}

export const utc = new Zone('UTC');

export async function bringSessions(
  store: Store,
  channel_id: number,
  sessions: readonly PastSession[],
): Promise<ImportReport> {
  const lines = sessions.map(({ record_id, viewer_id, entered_at, ...more }, at) => {
    const { watch_ms = 0, online_ms = watch_ms, nick = '', phone = '', ip = '' } = more;
    const value: Record<string, unknown> = {
      record_id,
      user_id: viewer_id,
      nick,
      phone,
      ip,
      first_login_time: utc.dateTime(entered_at),
      online_time: duration(online_ms),
      watch_time: duration(watch_ms),
    };
    return { number: at + 1, value, problem: undefined };
  });
  async function* batches() {
    yield lines;
  }
  return await importSessions(store, {
    channel_id,
    zone: utc,
    now: Number.POSITIVE_INFINITY,
    batches: batches(),
    onBad: (line, problem) => {
      throw new Error(`line ${line}: ${problem}`);
    },
    onProgress: () => {},
  });
}

/** The counts that are kept of a channel are those that a recount of its rows gives. */
export async function expectExactBlocks(store: Store, channel_id: number): Promise<void> {
  for (const kind of ['session', 'visitor'] as const) {
    const rows = await store.all<{ seq: number; watch_ms: number }>(
      `SELECT seq, watch_ms FROM ${audienceTables[kind]} WHERE channel_id = $1`,
      [channel_id],
    );
    expect(await keptBlocks(store, channel_id, kind)).toEqual(recounted(rows, kind));
  }
}

async function keptBlocks(store: Store, channel_id: number, kind: AudienceKind): Promise<string[]> {
  const rows = await store.all<{ level: number; block: number; rows: number; matching: number }>(
    `SELECT level, block, rows, matching FROM audience_block
     WHERE channel_id = $1 AND kind = $2 AND (rows <> 0 OR matching <> 0)`,
    [channel_id, kind],
  );
  return rows.map((row) => blockText(row.level, row.block, row)).sort();
}

function recounted(
  rows: readonly { seq: number; watch_ms: number }[],
  kind: AudienceKind,
): string[] {
  const counts = levels.flatMap((level) =>
    [...Map.groupBy(rows, ({ seq }) => Math.floor(seq / blockSizes[level]))].map(
      ([block, inside]) => {
        const matching = inside.filter(({ watch_ms }) => watch_ms >= matchingMs[kind]).length;
        return blockText(level, block, { rows: inside.length, matching });
      },
    ),
  );
  return counts.sort();
}

function blockText(level: number, block: number, count: { rows: number; matching: number }) {
  return `${level} ${block}: ${count.rows} rows, ${count.matching} matching`;
}
