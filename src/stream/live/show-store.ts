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

/** Whatever the row says of it, this is newer. */
export async function writeShow(sql: Sql, row: ShowRow): Promise<void> {
  await sql.run(
    `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at)
     VALUES ($1, $2, $3, $4, $5, $2)
     ON CONFLICT (channel_id, begin_at) DO UPDATE
     SET end_at = excluded.end_at, media_ms = excluded.media_ms, anchors = excluded.anchors`,
    [row.channel_id, row.begin_at, row.end_at, row.media_ms, row.anchors],
  );
}

/** Somebody who entered before the show began has watched it. */
export interface EarlyEntry {
  show: number;
  entered_at: number;
}

/**
 * Of a channel's shows: their sessions are found among those that entered from then on. A show whose row is not
 * written yet gets one; what else is to be said of it follows.
 */
export async function noteEarlyEntries(
  sql: Sql,
  channel_id: number,
  entries: readonly EarlyEntry[],
): Promise<void> {
  for (const { show, entered_at } of entries)
    await sql.run(
      `INSERT INTO shows (channel_id, begin_at, end_at, media_ms, anchors, first_entry_at)
       VALUES ($1, $2, NULL, 0, '[]', $3)
       ON CONFLICT (channel_id, begin_at) DO UPDATE SET first_entry_at = excluded.first_entry_at
       WHERE shows.first_entry_at > excluded.first_entry_at`,
      [channel_id, show, entered_at],
    );
}
