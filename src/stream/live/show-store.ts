// The rows of shows: written as they begin, where their dates jump, and as they end.
import type { Sql } from '../../base/db/sql.ts';
import type { Show, ShowAnchor } from './show.ts';

/** What a row says of a show. */
export interface ShowRow {
  channel_id: number;
  begin_at: number;
  /** Null while it is on. */
  end_at: number | null;
  media_ms: number;
  /** As JSON. */
  anchors: string;
}

export function showRow(
  { begin, mediaMs, anchors }: Show,
  at: { channel_id: number; end_at: number | null },
): ShowRow {
  return {
    ...at,
    begin_at: begin,
    media_ms: Math.round(mediaMs),
    anchors: JSON.stringify(anchors.map((one) => [Math.round(one.mediaMs), one.wallMs])),
  };
}

export function readAnchors(text: string): ShowAnchor[] {
  return (JSON.parse(text) as [number, number][]).map(([mediaMs, wallMs]) => ({ mediaMs, wallMs }));
}

export interface ShowOn {
  id: number;
  begin_at: number;
}

/** The show that is on, as far as the rows know. */
export async function showOn(sql: Sql, channel_id: number): Promise<ShowOn | undefined> {
  return await sql.one<ShowOn>(
    `SELECT id, begin_at FROM shows WHERE channel_id = $1 AND end_at IS NULL
     ORDER BY begin_at DESC LIMIT 1`,
    [channel_id],
  );
}

/** The row of the show that is on, for whoever goes on with it. */
export async function openShow(sql: Sql, channel_id: number): Promise<ShowRow | undefined> {
  return await sql.one<ShowRow>(
    `SELECT channel_id, begin_at, end_at, media_ms, anchors FROM shows
     WHERE channel_id = $1 AND end_at IS NULL ORDER BY begin_at DESC LIMIT 1`,
    [channel_id],
  );
}

/** The row of the show that began last, on or over. */
export async function latestShow(sql: Sql, channel_id: number): Promise<ShowRow | undefined> {
  return await sql.one<ShowRow>(
    `SELECT channel_id, begin_at, end_at, media_ms, anchors FROM shows
     WHERE channel_id = $1 ORDER BY begin_at DESC LIMIT 1`,
    [channel_id],
  );
}

/** Whatever the row says of it, this is newer. Its id. */
export async function writeShow(sql: Sql, row: ShowRow): Promise<number> {
  const written = await sql.one<{ id: number }>(
    `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at, last_entry_at, changes)
     VALUES ($1, $2, $3, $4, $5, $2, $2, 0)
     ON CONFLICT (channel_id, begin_at) DO UPDATE
     SET end_at = excluded.end_at, media_ms = excluded.media_ms, anchors = excluded.anchors
     RETURNING id`,
    [row.channel_id, row.begin_at, row.end_at, row.media_ms, row.anchors],
  );
  return written?.id ?? 0;
}

/** A show that was watched, and when the sessions entered that have watched it. */
export interface ShowEntries {
  show: number;
  entered: readonly number[];
}

/** People wait for a show; a page that was open for longer is one that somebody forgot. */
const waitMsMax = 86_400_000;

/**
 * Of a channel's shows: their sessions are found among those that entered between the first and the last of them,
 * and those who had entered long before, one by one. A show whose row is not written yet gets one; what else is to
 * be said of it follows.
 */
export async function noteWatched(
  sql: Sql,
  channel_id: number,
  shows: readonly ShowEntries[],
): Promise<void> {
  for (const { show, entered } of shows) {
    const waited = entered.filter((at) => at >= show - waitMsMax);
    const first = waited.reduce((least, at) => Math.min(least, at), show);
    const last = waited.reduce((most, at) => Math.max(most, at), show);
    const values = [channel_id, show, first, last];
    if (!(await widenEntries(sql, values)))
      await sql.run(
        `INSERT INTO shows (channel_id, begin_at, media_ms, anchors, first_entry_at, last_entry_at, changes)
         VALUES ($1, $2, 0, '[]', $3, $4, 1)`,
        values,
      );
    for (const at of entered)
      if (at < show - waitMsMax)
        await sql.run(
          `INSERT INTO long_before (channel_id, show_at, entered_at) VALUES ($1, $2, $3)
           ON CONFLICT DO NOTHING`,
          [channel_id, show, at],
        );
  }
}

async function widenEntries(sql: Sql, values: readonly number[]): Promise<boolean> {
  const changed = await sql.run(
    `UPDATE shows SET changes = changes + 1,
       first_entry_at = CASE WHEN first_entry_at > $3 THEN $3 ELSE first_entry_at END,
       last_entry_at = CASE WHEN last_entry_at < $4 THEN $4 ELSE last_entry_at END
     WHERE channel_id = $1 AND begin_at = $2`,
    values,
  );
  return changed > 0;
}

/** Any of them may have more sessions, or others, than were counted. */
export async function allShowsCountAnew(sql: Sql, channel_id: number): Promise<void> {
  await sql.run('UPDATE shows SET changes = changes + 1 WHERE channel_id = $1', [channel_id]);
}

/** What was counted of them is counted anew: records of them are others now. */
export async function showsCountAnew(
  sql: Sql,
  channel_id: number,
  shows: Iterable<number>,
): Promise<void> {
  for (const show of shows)
    await sql.run(
      'UPDATE shows SET changes = changes + 1 WHERE channel_id = $1 AND begin_at = $2',
      [channel_id, show],
    );
}
