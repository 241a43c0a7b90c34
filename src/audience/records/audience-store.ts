// Writes of the audience: entering, crediting, erasing. Each keeps the block counts in its own transaction.
import { flush, write } from '../../base/db/sql.ts';
import { ofChannel } from '../../base/db/whose.ts';
import { noteWatched, type ShowEntries, showsCountAnew } from '../../stream/live/show-store.ts';
import { writeBlockChanges } from './block-count-store.ts';
import { audienceTables, BlockChanges } from './block-counts.ts';
import { checkChannel, lockAudience, saveAudience } from './channel-audience-store.ts';
import type { Credits, Moved } from './credit-rows.ts';
import { writeCredits } from './credit-store.ts';
import { type Entered, type Entries, enter } from './session-entry.ts';
import { type Renamed, rename } from './session-entry-store.ts';
import { readSpans } from './span.ts';

export type { SessionCredit, VisitorCredit } from './credit-rows.ts';
export type { Entered, Entries, Entry } from './session-entry.ts';

/**
 * Opens a session for each entry, in their order, and counts the visit. Who would go on with a session opens
 * none, and it is no visit; undefined where that session is not to be gone on with. Throws where the channel is deleted.
 */
export const enterSessions = write(
  'audience.enter',
  ofChannel,
  async (sql, input: Entries): Promise<(Entered | undefined)[]> => {
    const audience = await lockAudience(sql, input.channel_id);
    await checkChannel(sql, input.channel_id);
    const entered = await enter(sql, audience, input);
    await saveAudience(sql, input.channel_id, audience);
    return entered;
  },
);

/** Rows of one flush at most: what a caller's write may have to wait for. */
export const flushRowsMax = 1_000;

/** Each row once. A flush whose rows stand near each other, in the order of `seq`, costs a third on SQLite. */
export interface Flush extends Credits {
  /** By which the rows' numbers were given; where they differ in it, the oldest. */
  numbering: number;
  /** The shows of which the rows have more than before. */
  shows?: readonly ShowEntries[];
}

export interface Flushed {
  /** The channel's own. */
  numbering: number;
  /** Where it is another than the flush named, or rows were erased: the numbers that its rows have by it. */
  moved?: Moved;
}

/**
 * Writes what sessions have come to and when visitors watched. Sums only grow and a union is made once, so a flush that
 * comes twice, late, or behind a later one changes nothing. Several may run at once, of as many services.
 */
export const creditAudience = flush(
  'audience.credit',
  ofChannel,
  async (sql, input: Flush): Promise<Flushed> => {
    const rows = input.sessions.length + input.visitors.length;
    if (rows > flushRowsMax)
      throw new Error(`a flush of ${rows} rows: at most ${flushRowsMax} are written at once`);
    const { numbering, is_alone } = await lockAudience(sql, input.channel_id, 'shared');
    const moved = await writeCredits(sql, input, { numbering, isAlone: is_alone === 1 });
    // Last, as every flush of a channel that is live changes the same row.
    await noteWatched(sql, input.channel_id, input.shows ?? []);
    return { numbering, ...(moved && { moved }) };
  },
);

export const countShare = write(
  'audience.share',
  ofChannel,
  async (sql, input: { channel_id: number; viewer_id: string; at: number }): Promise<void> => {
    const { channel_id, viewer_id, at } = input;
    const visitors = await sql.run(
      `UPDATE visitors SET share_times = share_times + 1 WHERE channel_id = $1 AND viewer_id = $2`,
      [channel_id, viewer_id],
    );
    // One who was erased has shared nothing.
    if (visitors === 0) return;
    await sql.run(
      `INSERT INTO shares (channel_id, shared_at, viewer_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [channel_id, at, viewer_id],
    );
  },
);

/** In the session in which they said it, or were named by a link. */
export const renameViewer = write(
  'audience.rename',
  ofChannel,
  async (sql, input: Renamed): Promise<void> => {
    await lockAudience(sql, input.channel_id);
    await rename(sql, input);
  },
);

/** Removes every trace of a viewer from a channel; their numbers stay unused. */
export const eraseViewer = write(
  'audience.erase',
  ofChannel,
  async (sql, input: { channel_id: number; viewer_id: string }): Promise<number> => {
    const { channel_id, viewer_id } = input;
    await lockAudience(sql, channel_id);
    const watched = await sql.all<{ spans: string }>(
      'SELECT spans FROM sessions WHERE channel_id = $1 AND viewer_id = $2 AND spans IS NOT NULL',
      [channel_id, viewer_id],
    );
    const shows = watched.flatMap(({ spans }) => readSpans(spans).map(({ show }) => show));
    await showsCountAnew(sql, channel_id, new Set(shows));
    let erased = 0;
    for (const kind of ['session', 'visitor'] as const) {
      const gone = await sql.all<{ seq: number; watch_ms: number }>(
        `DELETE FROM ${audienceTables[kind]} WHERE channel_id = $1 AND viewer_id = $2 RETURNING seq, watch_ms`,
        [channel_id, viewer_id],
      );
      const changes = new BlockChanges(kind);
      for (const { seq, watch_ms } of gone) changes.removed(seq, watch_ms);
      await writeBlockChanges(sql, channel_id, changes);
      erased += gone.length;
    }
    return erased;
  },
);
