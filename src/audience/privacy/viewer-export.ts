// Everything that is known of one viewer, as lines, a piece at a time.
import { type Pieces, rowsPerPiece } from '../../base/api/pieces.ts';
import type { Store } from '../../base/db/sql.ts';
import { readStoredAnswers } from '../../library/admission/registration.ts';
import { spanView } from '../records/exported-row.ts';
import { readSpans } from '../records/span.ts';
import {
  listedRowsOfViewer,
  listTable,
  rowsOfViewer,
  tracesOfViewer,
  type ViewerQuery,
  type ViewerRow,
  type ViewerTable,
  viewerTables,
} from './viewer-data-store.ts';

/** One JSON object a line: `table` says of which table, the rest is the row as it is, instants in ISO 8601. */
export async function openViewerExport(store: Store, query: ViewerQuery): Promise<Pieces> {
  const { account_id, viewer_id } = query;
  const { channels, listed } = await store.perform(tracesOfViewer, query);
  const lists = [...channels];
  const parts = channels.flatMap((channel_id) => tables.map((table) => ({ channel_id, table })));
  let after: ViewerRow[string] | undefined;
  return async () => {
    for (let part = parts[0]; part; part = parts[0]) {
      const { channel_id, table } = part;
      const limit = rowsPerPiece;
      const asked = { account_id, channel_id, viewer_id, table, after, limit };
      const rows = await store.perform(rowsOfViewer, asked);
      after = rows.at(-1)?.[viewerTables[table]];
      if (rows.length < rowsPerPiece) {
        parts.shift();
        after = undefined;
      }
      if (rows.length > 0) return rows.map((row) => lineOf(table, row)).join('');
    }
    for (let channel_id = lists.shift(); channel_id !== undefined; channel_id = lists.shift()) {
      const rows = await store.perform(listedRowsOfViewer, { account_id, channel_id, listed });
      if (rows.length > 0) return rows.map((row) => lineOf(listTable, row)).join('');
    }
    return undefined;
  };
}

const tables = Object.keys(viewerTables) as ViewerTable[];

function lineOf(table: ViewerTable | typeof listTable, row: ViewerRow): string {
  const shown = Object.entries(row).map(([name, value]) => [name, readable(name, value)]);
  return `${JSON.stringify({ table, ...Object.fromEntries(shown) })}\n`;
}

/** Instants are the numbers whose column ends in `_at` or `until`. */
function readable(name: string, value: ViewerRow[string]): unknown {
  if (name === 'spans' && typeof value === 'string') return readSpans(value).map(spanView);
  if (name === 'answers' && typeof value === 'string') return readStoredAnswers(value);
  if (name === 'names' && typeof value === 'string') return JSON.parse(value);
  const isInstant = typeof value === 'number' && /(_at|until)$/.test(name);
  return isInstant ? new Date(value).toISOString() : value;
}
