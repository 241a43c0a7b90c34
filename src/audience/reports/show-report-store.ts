// What the database has for a show's report: the show, its sessions piece by piece, and the figures that are kept of it.
import type { Page } from '../../base/api/paging.ts';
import { read, type Sql, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { isoTime } from '../../base/lib/time.ts';
import { appendEvents } from '../../library/events/event-store.ts';
import type { ShowAnchor } from '../../stream/live/show.ts';
import { readAnchors } from '../../stream/live/show-store.ts';
import { firstEntry } from '../records/audience-page-store.ts';
import { checkNumbering } from '../records/export-store.ts';
import type { SheetRow } from './sheet-groups.ts';
import type { ShowFigures } from './show-figures.ts';
import { type ShowSums, shownSums } from './show-sums.ts';

export interface ShowQuery {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  /** Undefined: the latest. */
  show: number | undefined;
}

export interface FoundShow {
  id: number;
  channel_id: number;
  begin_at: number;
  /** Null while it is on. */
  end_at: number | null;
  first_entry_at: number;
  last_entry_at: number;
  /** How often its sessions were changed. */
  changes: number;
  /** Those that entered before were removed while it was on. */
  records_from: number | null;
  /** Ids, in the order of what they show. */
  videos: number[];
  /** What it came to when it was last counted, where that still holds. */
  kept: KeptFigures | undefined;
}

/** Time that was watched while it was on, of sessions that do not say when: imported ones, and those from before this was kept. */
export interface Unplaced {
  sessions: number;
  watch_ms: number;
}

export interface CountedFigures extends ShowFigures {
  unplaced: Unplaced;
}

export interface KeptFigures {
  figures: CountedFigures;
  /** Its records were removed: it is not counted anew. */
  isFrozen: boolean;
}

/** Undefined where there is no such show. */
export const findShow = read(
  'reports.find',
  ofAccount,
  async (sql, { channel_id, show }: ShowQuery): Promise<FoundShow | undefined> => {
    const latest = 'ORDER BY s.id DESC LIMIT 1';
    const found = await sql.one<Omit<FoundShow, 'videos' | 'kept'> & KeptColumns>(
      `SELECT s.id, s.channel_id, s.begin_at, s.end_at, s.first_entry_at, s.last_entry_at, s.changes,
         s.records_from, f.figures, f.frozen
       FROM shows s LEFT JOIN show_figures f ON f.channel_id = s.channel_id AND f.show_at = s.begin_at
         AND (f.changes = s.changes OR f.frozen = 1)
       WHERE s.channel_id = $1 ${show === undefined ? latest : 'AND s.id = $2'}`,
      show === undefined ? [channel_id] : [channel_id, show],
    );
    if (!found) return undefined;
    const { figures, frozen, ...row } = found;
    const kept = figures === null ? undefined : keptFigures({ figures, frozen });
    return { ...row, kept, videos: await videosOf(sql, row) };
  },
);

interface KeptColumns {
  figures: string | null;
  frozen: number | null;
}

function keptFigures({ figures, frozen }: { figures: string; frozen: number | null }): KeptFigures {
  return { figures: JSON.parse(figures), isFrozen: frozen === 1 };
}

async function videosOf(
  sql: Sql,
  { channel_id, begin_at }: { channel_id: number; begin_at: number },
): Promise<number[]> {
  const videos = await sql.all<{ id: number }>(
    'SELECT id FROM videos WHERE channel_id = $1 AND show_at = $2 AND deleted_at IS NULL ORDER BY show_ms, id',
    [channel_id, begin_at],
  );
  return videos.map(({ id }) => id);
}

/** Where in a show's media its videos are, and when its media was on. */
export interface ShowTimeline {
  recordings: { id: number; show_ms: number; duration: number }[];
  anchors: ShowAnchor[];
}

export const readTimeline = read(
  'reports.timeline',
  ofAccount,
  async (sql, show: Pick<FoundShow, 'channel_id' | 'begin_at'> & { account_id: number }) => {
    const { channel_id, begin_at } = show;
    const recordings = await sql.all<ShowTimeline['recordings'][number]>(
      `SELECT id, show_ms, duration FROM videos
       WHERE channel_id = $1 AND show_at = $2 AND show_ms IS NOT NULL AND deleted_at IS NULL
       ORDER BY show_ms, id`,
      [channel_id, begin_at],
    );
    const row = await sql.one<{ anchors: string }>(
      'SELECT anchors FROM shows WHERE channel_id = $1 AND begin_at = $2',
      [channel_id, begin_at],
    );
    const timeline: ShowTimeline = { recordings, anchors: readAnchors(row?.anchors ?? '[]') };
    return timeline;
  },
);

/** Sessions that may have watched a show, by their numbers: a stretch of them, and some from long before. */
export interface SessionRange {
  first: number;
  before: number;
  longBefore: number[];
  /** By which the numbers are. */
  numbering: number;
}

export const findSessions = read(
  'reports.sessions',
  ofAccount,
  async (sql, show: Omit<FoundShow, 'kept' | 'videos'> & { account_id: number }) => {
    const { channel_id, begin_at, end_at, first_entry_at, last_entry_at } = show;
    const lastAt = end_at === null ? Number.MAX_SAFE_INTEGER : Math.max(end_at, last_entry_at);
    const audience = await sql.one<{ end: number; numbering: number }>(
      'SELECT next_session_seq AS "end", numbering FROM channel_audience WHERE channel_id = $1',
      [channel_id],
    );
    const { end, numbering } = audience ?? { end: 0, numbering: 0 };
    const seqAt = async (enteredAt: number) =>
      (await firstEntry(sql, { channel_id, enteredAt })) ?? end;
    // CROSS: with a plain join SQLite goes through all sessions of the channel, which lie in the order that is wanted.
    const longBefore = await sql.all<{ seq: number }>(
      `SELECT s.seq FROM long_before b CROSS JOIN sessions s
       WHERE b.channel_id = $1 AND b.show_at = $2
         AND s.channel_id = b.channel_id AND s.entered_at = b.entered_at ORDER BY s.seq`,
      [channel_id, begin_at],
    );
    const range: SessionRange = {
      first: await seqAt(first_entry_at),
      before: await seqAt(lastAt + 1),
      longBefore: longBefore.map(({ seq }) => seq),
      numbering,
    };
    return range;
  },
);

/** Rows of one piece: two milliseconds of whoever reads them. */
export const pieceRows = 2_000;

export interface PieceQuery {
  account_id: number;
  channel_id: number;
  begin_at: number;
  numbering: number;
  /** Numbers of sessions. */
  first: number;
  before: number;
}

export interface SheetPiece {
  /** `SheetRow`s as JSON: on its way from thread to thread one text costs a fraction of what many objects do. */
  rows: string;
  unplaced: Unplaced;
  /** The number from which the next piece is read; undefined behind the last. */
  next: number | undefined;
}

export const readPiece = read(
  'reports.piece',
  ofAccount,
  async (sql, query: PieceQuery): Promise<SheetPiece> => {
    const { channel_id, begin_at, first, before, numbering } = query;
    await checkNumbering(sql, channel_id, numbering);
    const found = await sql.all<PieceRow>(
      `SELECT seq, entered_at, watch_ms, viewer_id, nick, addr, device, browser, origin, spans FROM sessions
       WHERE channel_id = $1 AND seq >= $2 AND seq < $3 AND watch_ms > 0
       ORDER BY seq LIMIT CAST($4 AS BIGINT)`,
      [channel_id, first, before, pieceRows],
    );
    const rows: SheetRow[] = [];
    const unplaced = { sessions: 0, watch_ms: 0 };
    for (const { seq: _, entered_at, watch_ms, spans, ...said } of found) {
      if (spans !== null) rows.push({ ...said, spans });
      else if (entered_at >= begin_at) {
        unplaced.sessions += 1;
        unplaced.watch_ms += watch_ms;
      }
    }
    const last = found.at(-1);
    const next = last && found.length === pieceRows ? last.seq + 1 : undefined;
    return { rows: JSON.stringify(rows), unplaced, next };
  },
);

interface PieceRow extends Omit<SheetRow, 'spans'> {
  seq: number;
  entered_at: number;
  watch_ms: number;
  spans: string | null;
}

/** Keeps what a show came to, unless its sessions were changed since they were read and that matters; false then. */
export const keepFigures = write(
  'reports.keep',
  ofAccount,
  async (
    sql,
    input: {
      account_id: number;
      channel_id: number;
      begin_at: number;
      changes: number;
      figures: CountedFigures;
      isFrozen: boolean;
      /** Also where its sessions were changed since. */
      mayBeOld: boolean;
    },
  ): Promise<boolean> => {
    const { channel_id, begin_at, changes, figures, isFrozen, mayBeOld } = input;
    const kept = await sql.run(
      `INSERT INTO show_figures (channel_id, show_at, changes, figures, frozen, sums)
       SELECT channel_id, begin_at, changes, CAST($4 AS TEXT), CAST($5 AS BIGINT), CAST($7 AS TEXT) FROM shows
       WHERE channel_id = $1 AND begin_at = $2 AND (changes = $3 OR CAST($6 AS BIGINT) = 1)
       ON CONFLICT (channel_id, show_at) DO UPDATE
       SET changes = excluded.changes, figures = excluded.figures, frozen = excluded.frozen, sums = excluded.sums
       WHERE show_figures.frozen = 0`,
      [
        channel_id,
        begin_at,
        changes,
        JSON.stringify(figures),
        Number(isFrozen),
        Number(mayBeOld),
        JSON.stringify(sumsOf(figures)),
      ],
    );
    return kept > 0;
  },
);

function sumsOf({ minutes: _, unplaced: __, ...sums }: CountedFigures): ShowSums {
  return sums;
}

/** Shows that ended within a time, of which nothing is kept that still holds; so many at most. */
export async function uncountedShows(
  sql: Sql,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<{ id: number; channel_id: number; account_id: number }[]> {
  return await sql.all(
    `SELECT s.id, s.channel_id, c.account_id FROM shows s JOIN channels c ON c.id = s.channel_id
     WHERE s.end_at >= $1 AND s.end_at <= $2 AND NOT EXISTS (SELECT 1 FROM show_figures f
       WHERE f.channel_id = s.channel_id AND f.show_at = s.begin_at
         AND (f.changes = s.changes OR f.frozen = 1))
     ORDER BY s.end_at LIMIT CAST($3 AS BIGINT)`,
    [from, to, limit],
  );
}

/** Shows that ended within a time and are not told yet; so many at most. */
export async function untoldShows(
  sql: Sql,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<{ id: number; channel_id: number; account_id: number }[]> {
  return await sql.all(
    `SELECT s.id, s.channel_id, c.account_id FROM shows s JOIN channels c ON c.id = s.channel_id
     WHERE s.told = 0 AND s.end_at >= $1 AND s.end_at <= $2
     ORDER BY s.end_at LIMIT CAST($3 AS BIGINT)`,
    [from, to, limit],
  );
}

/** Tells that a show has ended, with what is kept of it, once; false where that holds no more. */
export const tellShow = write(
  'reports.tell',
  async (sql, { id, channel_id }: { id: number; channel_id: number }): Promise<boolean> => {
    const show = await sql.one<{ begin_at: number; end_at: number; sums: string }>(
      `SELECT s.begin_at, s.end_at, COALESCE(f.sums, f.figures) AS sums
       FROM shows s JOIN show_figures f ON f.channel_id = s.channel_id AND f.show_at = s.begin_at
         AND (f.changes = s.changes OR f.frozen = 1)
       WHERE s.id = $1 AND s.end_at IS NOT NULL`,
      [id],
    );
    const channel = await sql.one<{ account_id: number; manager_id: number }>(
      'SELECT account_id, manager_id FROM channels WHERE id = $1',
      [channel_id],
    );
    if (!show || !channel) return false;
    const { begin_at, end_at } = show;
    const told = await sql.run(
      'UPDATE shows SET told = 1 WHERE id = $1 AND told = 0 AND end_at = $2',
      [id, end_at],
    );
    if (told === 0) return false;
    const data = {
      channel_id,
      show_id: id,
      begin: isoTime(begin_at),
      end: isoTime(end_at),
      video_ids: await videosOf(sql, { channel_id, begin_at }),
      figures: shownSums(show, JSON.parse(show.sums)),
    };
    appendEvents(sql, [{ type: 'show.ended', ...channel, data }]);
    return true;
  },
);

/** Shows that are over, have sessions older than that, and are to be counted before those are removed. */
export async function showsToFreeze(
  sql: Sql,
  { channel_id, before }: { channel_id: number; before: number },
): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `SELECT s.id FROM shows s
     WHERE s.channel_id = $1 AND s.begin_at < $2 AND s.end_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM show_figures f
         WHERE f.channel_id = s.channel_id AND f.show_at = s.begin_at AND f.frozen = 1)
     ORDER BY s.id`,
    [channel_id, before],
  );
  return rows.map(({ id }) => id);
}

/** A show that goes on for longer than records are kept loses its first ones. */
export const noteRemoval = write(
  'reports.noteRemoval',
  async (sql, { channel_id, before }: { channel_id: number; before: number }): Promise<void> => {
    await sql.run(
      `UPDATE shows SET records_from = $2, changes = changes + 1
       WHERE channel_id = $1 AND end_at IS NULL AND begin_at < $2`,
      [channel_id, before],
    );
  },
);

export interface ShowLine extends Pick<FoundShow, 'id' | 'begin_at' | 'end_at' | 'videos'> {
  /** What it came to when it was last counted, where that still holds. */
  sums: ShowSums | undefined;
}

/** The newest first. */
export const listShows = read(
  'reports.list',
  ofAccount,
  async (
    sql,
    { channel_id, p, perPage }: Page & { account_id: number; channel_id: number },
  ): Promise<{ total: number; rows: ShowLine[] }> => {
    const counted = await sql.one<{ total: number }>(
      'SELECT COUNT(*) AS total FROM shows WHERE channel_id = $1',
      [channel_id],
    );
    const found = await sql.all<
      Pick<ShowLine, 'id' | 'begin_at' | 'end_at'> & { sums: string | null }
    >(
      `SELECT s.id, s.begin_at, s.end_at, COALESCE(f.sums, f.figures) AS sums
       FROM shows s LEFT JOIN show_figures f ON f.channel_id = s.channel_id AND f.show_at = s.begin_at
         AND (f.changes = s.changes OR f.frozen = 1)
       WHERE s.channel_id = $1 ORDER BY s.id DESC
       LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)`,
      [channel_id, perPage, (p - 1) * perPage],
    );
    const rows: ShowLine[] = [];
    for (const { sums, ...row } of found)
      rows.push({
        ...row,
        sums: sums === null ? undefined : sumsOf(JSON.parse(sums)),
        videos: await videosOf(sql, { channel_id, begin_at: row.begin_at }),
      });
    return { total: counted?.total ?? 0, rows };
  },
);
