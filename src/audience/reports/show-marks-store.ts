// Chat and shares of a show in the database, as they are marked on its curve: by minute, or one by one.
import { read } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { pieceRows } from './show-report-store.ts';

/** What is marked on the curve, with what its rows are ordered by beside their time. */
const markTables = {
  chat: { table: 'chat_messages', at: 'sent_at', key: 'id' },
  shares: { table: 'shares', at: 'shared_at', key: 'viewer_id' },
} as const;

export type MarkKind = keyof typeof markTables;

interface MarksQuery {
  account_id: number;
  channel_id: number;
  begin_at: number;
  end_at: number | null;
  minutes_each: number;
}

/** Lines of chat and shares while the show was on, by minute of its report. */
export const readMarks = read(
  'reports.marks',
  ofAccount,
  async (sql, query: MarksQuery): Promise<{ chat: number[]; shares: number[] }> => {
    const by = async (kind: MarkKind) => {
      const { table, at } = markTables[kind];
      const rows = await sql.all<{ minute: number; times: number }>(
        // A parameter may reach SQLite as a fraction, and then divides as one.
        `SELECT (${at} - CAST($2 AS BIGINT)) / CAST($4 AS BIGINT) AS minute, COUNT(*) AS times FROM ${table}
         WHERE channel_id = $1 AND ${at} >= $2 AND ${at} <= $3 GROUP BY 1 ORDER BY 1`,
        [
          query.channel_id,
          query.begin_at,
          query.end_at ?? Number.MAX_SAFE_INTEGER,
          query.minutes_each * 60_000,
        ],
      );
      const marks = new Array<number>((rows.at(-1)?.minute ?? -1) + 1).fill(0);
      for (const { minute, times } of rows) marks[minute] = times;
      return marks;
    };
    return { chat: await by('chat'), shares: await by('shares') };
  },
);

/** Where a piece begins: behind that row. */
export interface MarkPlace {
  at: number;
  key: number | string;
}

/** Before all that was said, or shared, from a moment on. */
export function firstMark(kind: MarkKind, at: number): MarkPlace {
  return { at, key: kind === 'chat' ? 0 : '' };
}

export interface MarkPieceQuery {
  account_id: number;
  channel_id: number;
  end_at: number | null;
  kind: MarkKind;
  behind: MarkPlace;
}

export interface MarkPiece {
  /** `Mark`s as JSON, as the rows of a piece are. */
  marks: string;
  /** Undefined behind the last. */
  next: MarkPlace | undefined;
}

/** Who did it, and when. */
export type Mark = readonly [viewer_id: string, at: number];

/** Lines of chat or shares while the show was on, one by one: whose they are decides whether a filter leaves them. */
export const readMarkPiece = read(
  'reports.markPiece',
  ofAccount,
  async (sql, query: MarkPieceQuery): Promise<MarkPiece> => {
    const { channel_id, end_at, behind } = query;
    const { table, at, key } = markTables[query.kind];
    const rows = await sql.all<MarkPlace & { viewer_id: string }>(
      `SELECT viewer_id, ${at} AS at, ${key} AS key FROM ${table}
       WHERE channel_id = $1 AND (${at}, ${key}) > ($2, $3) AND ${at} <= $4
       ORDER BY ${at}, ${key} LIMIT CAST($5 AS BIGINT)`,
      [channel_id, behind.at, behind.key, end_at ?? Number.MAX_SAFE_INTEGER, pieceRows],
    );
    const marks = rows.map(({ viewer_id, at }): Mark => [viewer_id, at]);
    const last = rows.length === pieceRows ? rows.at(-1) : undefined;
    return { marks: JSON.stringify(marks), next: last && { at: last.at, key: last.key } };
  },
);
