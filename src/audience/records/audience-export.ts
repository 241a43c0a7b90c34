// An export of any size in constant memory: a run of rows is read when the caller has taken the last one.
import { csvLine, csvMark } from '../../base/api/csv.ts';
import { type Pieces, rowsPerPiece } from '../../base/api/pieces.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { answerCells, answerColumn } from '../../library/admission/registration.ts';
import type { Answers } from '../../library/admission/registration-form.ts';
import { answeredNames } from '../../library/admission/registration-store.ts';
import { type ExportOrder, type ExportRange, exportRange, exportRows } from './export-store.ts';
import {
  exportedSession,
  exportedVisitor,
  sessionLine,
  sessionWithSpans,
  visitorLine,
} from './exported-row.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';
import { visitorAnswers } from './visitor-answers.ts';

export type ExportFormat = 'csv' | 'ndjson';

export interface Export extends Omit<ExportOrder, 'account_id' | 'channel_id'> {
  channel: { id: number; name: string; account_id: number };
  format: ExportFormat;
}

export async function openExport(
  { store, zone }: { store: Store; zone: Zone },
  { channel, format, ...order }: Export,
): Promise<Pieces> {
  const { id: channel_id, account_id } = channel;
  const range = await store.perform(exportRange, { account_id, channel_id, ...order });
  const names =
    order.kind === 'visitor' ? await store.perform(answeredNames, { account_id, channel_id }) : [];
  const columns = [...columnsOf(range), ...names.map(answerColumn)];
  const nextRows = rowsOf(store, range);
  const answersOf = async (rows: readonly (SessionRow | VisitorRow)[]) => {
    if (names.length === 0) return new Map<string, Answers>();
    const viewers = rows.map(({ viewer_id }) => viewer_id);
    return new Map(await store.perform(visitorAnswers, { account_id, channel_id, viewers }));
  };
  const csvOf = (line: Record<string, string | number>) =>
    csvLine(columns.map((column) => line[column] ?? ''));
  const jsonOf = (line: object) => `${JSON.stringify(line)}\n`;
  const isCsv = format === 'csv';
  const sessionText = (row: SessionRow) =>
    isCsv ? csvOf(sessionLine(row, zone)) : jsonOf(sessionWithSpans(row, zone));
  const visitorText = (row: VisitorRow, answers: Answers) => {
    const line = visitorLine(row, channel, zone);
    return isCsv ? csvOf({ ...line, ...answerCells(answers) }) : jsonOf({ ...line, answers });
  };
  let head = isCsv ? csvMark + csvLine(columns) : '';
  return async () => {
    const rows = await nextRows();
    const answers = await answersOf(rows);
    const textOf = (row: SessionRow | VisitorRow) =>
      'record_id' in row ? sessionText(row) : visitorText(row, answers.get(row.viewer_id) ?? {});
    const piece = head + rows.map(textOf).join('');
    head = '';
    return piece === '' ? undefined : piece;
  };
}

function columnsOf({ kind }: ExportRange): string[] {
  return Object.keys((kind === 'session' ? exportedSession : exportedVisitor).shape);
}

/** Each call gives the next rows of a range; none when there are no more. */
function rowsOf(store: Store, range: ExportRange): () => Promise<(SessionRow | VisitorRow)[]> {
  let from = range.from;
  return async () => {
    const rows = await store.perform(exportRows, { ...range, from, limit: rowsPerPiece });
    const last = rows.at(-1);
    if (last) from = last.seq + 1;
    return rows;
  };
}
