// Everybody who has registered, as a file of any size: some rows are read when the caller has taken the last ones.
import { csvLine, csvMark } from '../../base/api/csv.ts';
import { type Pieces, rowsPerPiece } from '../../base/api/pieces.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import type { KeyPlace } from './access-key-store.ts';
import {
  answerCells,
  answerColumn,
  type RegistrationRow,
  registrationView,
} from './registration.ts';
import { type After, answeredNames, registrationsAfter } from './registration-store.ts';

export type RegistrationFormat = 'csv' | 'ndjson';

/** CSV has a column for each field that anybody answered, NDJSON the answers as they are. */
export async function openRegistrations(
  { store, zone }: { store: Store; zone: Zone },
  { format, ...asked }: KeyPlace & { account_id: number; format: RegistrationFormat },
): Promise<Pieces> {
  const names = format === 'csv' ? await store.perform(answeredNames, asked) : [];
  const columns = [...ownColumns, ...names.map(answerColumn)];
  const textOf = (row: RegistrationRow) => {
    const { answers, ...own } = registrationView(row, zone);
    if (format === 'ndjson') return `${JSON.stringify({ ...own, answers })}\n`;
    const cells: Record<string, string | number> = { ...own, ...answerCells(answers) };
    return csvLine(columns.map((column) => cells[column] ?? ''));
  };
  let head = format === 'csv' ? csvMark + csvLine(columns) : '';
  let after: After = { registered_at: -1, id: '' };
  return async () => {
    const page = { ...asked, after, limit: rowsPerPiece };
    const rows = await store.perform(registrationsAfter, page);
    after = rows.at(-1) ?? after;
    const piece = head + rows.map(textOf).join('');
    head = '';
    return piece === '' ? undefined : piece;
  };
}

const ownColumns = ['id', 'viewer_id', 'registered_at', 'ended_at', 'visit_times'] as const;
