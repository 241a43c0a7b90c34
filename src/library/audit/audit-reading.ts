// Reads the audit log: as many looks as it takes for a page, and no more than one answer may take.
import type { Store } from '../../base/db/sql.ts';
import { auditLimits } from './audit-limits.ts';
import { type AuditPage, type AuditQuery, type AuditRow, lookThrough } from './audit-store.ts';

/** A page; it may have fewer rows than asked for, even none, and still a next one. */
export async function readAudit(store: Store, query: AuditQuery): Promise<AuditPage> {
  const rows: AuditRow[] = [];
  let { before } = query;
  for (let look = 0; look < auditLimits.looksMax; look++) {
    const limit = query.limit - rows.length;
    const found = await store.perform(lookThrough, { ...query, before, limit });
    rows.push(...found.rows);
    before = found.next;
    if (!before || rows.length === query.limit) break;
  }
  return { rows, next: before };
}
