// The audit log, beside the interface: read page by page, or taken along as a file.
import { csvLine, csvMark } from '../../base/api/csv.ts';
import { type CallOf, get } from '../../base/api/endpoint.ts';
import { invalidField, quoted } from '../../base/api/errors.ts';
import { choice, idMax, integer, periodEnd, text } from '../../base/api/fields.ts';
import { pageSize } from '../../base/api/paging.ts';
import { type Pieces, rowsPerPiece } from '../../base/api/pieces.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { auditDocs } from './audit-docs.ts';
import { type AuditEntry, auditEntry, cursorText, readCursor } from './audit-entry.ts';
import { auditGroups } from './audit-operations.ts';
import { readAudit } from './audit-reading.ts';
import type { AuditQuery } from './audit-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
}

export function auditRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listAudit, exportAudit };
  return routes({ table: auditTable(parts.zone), docs: auditDocs, handlers, parts });
}

const entriesPerPage = { default: 50, max: 200 };

/** Each is answered by the function of its name. */
function auditTable(zone: Zone) {
  const id = (description: string) => integer(description, { min: 1, max: idMax });
  const filters = {
    person: id('only what this person did'),
    token: id('only what this token did'),
    channel: id('only what is about this channel'),
    group: choice('only what is of this group', { of: ['all', ...auditGroups], cleared: 'all' }),
    since: periodEnd('only from then on', zone, 'start'),
    until: periodEnd('only until then', zone, 'end'),
    q: text('only rows with this in a name, a value or the address', { max: 255, trim: true }),
  };
  return {
    listAudit: get('/manage/v1/audit', 'manage', {
      query: {
        ...filters,
        before: text('`next_before` of the page before', { max: 40, trim: true }),
        perPage: pageSize(entriesPerPage),
      },
    }),
    exportAudit: get('/manage/v1/audit.csv', 'manage', {
      query: filters,
      streamed: 'text/csv',
      audit: 'taken',
    }),
  };
}

type Table = ReturnType<typeof auditTable>;
type Handle = Handlers<Table, typeof auditDocs, Parts>;

const listAudit: Handle['listAudit'] = async (call, { store, zone }) => {
  const { before = '', perPage = entriesPerPage.default } = call.query;
  const cursor = before === '' ? undefined : readCursor(before);
  if (before !== '' && !cursor)
    throw invalidField('before', `before must be a next_before (got ${quoted(before)})`);
  const query = { ...filterOf(call), before: cursor, limit: perPage };
  const { rows, next } = await readAudit(store, query);
  return {
    body: {
      entries: rows.map((row) => auditEntry(row, zone)),
      next_before: next ? cursorText(next) : null,
    },
  };
};

const exportAudit: Handle['exportAudit'] = async (call, { store, zone }) => ({
  body: csvOf(store, filterOf(call), zone),
  headers: { 'Content-Disposition': 'attachment; filename="audit.csv"' },
});

function filterOf({
  caller,
  query,
}: Pick<CallOf<Table[keyof Table]>, 'caller' | 'query'>): Omit<AuditQuery, 'limit'> {
  const { person, token, channel, group = 'all', since, until, q = '' } = query;
  if (since != null && until != null && since > until)
    throw invalidField('since', 'since must not be after until');
  return {
    account_id: caller.account_id,
    person,
    token,
    channel,
    group: group === 'all' ? undefined : group,
    since: since ?? undefined,
    // The end's whole second belongs to the period.
    until: until == null ? undefined : until + 999,
    q,
  };
}

const csvColumns = [
  'id',
  'at',
  'via',
  'who_kind',
  'who_id',
  'who',
  'manager',
  'operation',
  'group',
  'target_kind',
  'target_id',
  'target',
  'channel_id',
  'fields',
  'values',
  'address',
  'times',
] as const;

/** The newest first. */
function csvOf(store: Store, filter: Omit<AuditQuery, 'limit'>, zone: Zone): Pieces {
  let head = csvMark + csvLine(csvColumns);
  let before: AuditQuery['before'];
  let isOver = false;
  return async () => {
    if (isOver) return undefined;
    const { rows, next } = await readAudit(store, { ...filter, before, limit: rowsPerPiece });
    before = next;
    isOver = next === undefined;
    const piece = head + rows.map((row) => csvEntry(auditEntry(row, zone))).join('');
    head = '';
    return piece;
  };
}

function csvEntry(entry: AuditEntry): string {
  const { who, target } = entry;
  const cells: Record<(typeof csvColumns)[number], string | number> = {
    id: entry.id,
    at: entry.at,
    via: entry.via,
    who_kind: who.kind,
    who_id: who.id,
    who: who.name,
    manager: who.manager?.username ?? '',
    operation: entry.operation,
    group: entry.group,
    target_kind: target?.kind ?? '',
    target_id: target?.id ?? '',
    target: target?.name ?? '',
    channel_id: entry.channel_id,
    fields: entry.fields.join(' '),
    values: Object.entries(entry.values)
      .map(([name, value]) => `${name}: ${value}`)
      .join('; '),
    address: entry.address,
    times: entry.times,
  };
  return csvLine(csvColumns.map((column) => cells[column]));
}
