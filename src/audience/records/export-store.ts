// Reads of an export: which numbers it covers, then run after run of their rows.
import { ApiError } from '../../base/api/errors.ts';
import { read, type Sql } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { checkStillThere } from '../../library/channels/channel-store.ts';
import { firstEntry } from './audience-page-store.ts';
import { type AudienceKind, audienceTables } from './block-counts.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

export interface ExportOrder {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  kind: AudienceKind;
  /** Entered at or after, and before; undefined for no such end. Sessions only. */
  enteredFrom?: number | undefined;
  enteredBefore?: number | undefined;
}

/** Rows of the numbers from `from` to before `before`, while the numbering is the one they were found under. */
export interface ExportRange {
  account_id: number;
  channel_id: number;
  kind: AudienceKind;
  from: number;
  before: number;
  numbering: number;
}

/** The range as the export begins. Later entries are left out, so the export of a live channel ends. */
export const exportRange = read(
  'audience.exportRange',
  ofAccount,
  async (
    sql,
    { account_id, channel_id, kind, enteredFrom, enteredBefore }: ExportOrder,
  ): Promise<ExportRange> => {
    const next = kind === 'session' ? 'next_session_seq' : 'next_visitor_seq';
    const audience = await sql.one<{ end: number; numbering: number }>(
      `SELECT ${next} AS "end", numbering FROM channel_audience WHERE channel_id = $1`,
      [channel_id],
    );
    const { end, numbering } = audience ?? { end: 0, numbering: 0 };
    const seqAt = async (enteredAt: number) =>
      (await firstEntry(sql, { channel_id, enteredAt })) ?? end;
    return {
      account_id,
      channel_id,
      kind,
      from: enteredFrom === undefined ? 0 : await seqAt(enteredFrom),
      before: enteredBefore === undefined ? end : await seqAt(enteredBefore),
      numbering,
    };
  },
);

/** The range's first rows, in the order of their numbers. */
export const exportRows = read(
  'audience.exportRows',
  ofAccount,
  async (
    sql,
    { limit, ...range }: ExportRange & { limit: number },
  ): Promise<(SessionRow | VisitorRow)[]> => {
    const { channel_id, kind, from, before, numbering } = range;
    await checkNumbering(sql, channel_id, numbering);
    await checkStillThere(sql, channel_id);
    return await sql.all<SessionRow | VisitorRow>(
      `SELECT * FROM ${audienceTables[kind]} WHERE channel_id = $1 AND seq >= $2 AND seq < $3
       ORDER BY seq LIMIT CAST($4 AS BIGINT)`,
      [channel_id, from, before, limit],
    );
  },
);

/** Throws where an import has numbered the rows anew: to go on by the old numbers would repeat rows or leave some out. */
export async function checkNumbering(
  sql: Sql,
  channel_id: number,
  numbering: number,
): Promise<void> {
  const audience = await sql.one<{ numbering: number }>(
    'SELECT numbering FROM channel_audience WHERE channel_id = $1',
    [channel_id],
  );
  if ((audience?.numbering ?? 0) === numbering) return;
  throw new ApiError('unavailable', {
    message: 'An import has numbered the rows anew: start again',
  });
}
