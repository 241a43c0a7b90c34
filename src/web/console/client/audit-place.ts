// What of the audit log is looked at, as it stands in the address.
import { type AuditGroup, auditGroups } from '../../../library/audit/audit-operations.ts';

export interface AuditPlace {
  person?: number;
  token?: number;
  channel?: number;
  group?: AuditGroup;
  q?: string;
  /** Where an older page begins. */
  before?: string;
}

/** What it can be narrowed to by a click, in the order of its chips. */
export const auditFilters = ['person', 'token', 'channel', 'group'] as const;
export type AuditFilter = (typeof auditFilters)[number];

export function readAuditPlace(query: string): AuditPlace {
  const given = new URLSearchParams(query);
  const place: AuditPlace = {};
  for (const name of ['person', 'token', 'channel'] as const) {
    const id = Number(given.get(name));
    if (Number.isSafeInteger(id) && id > 0) place[name] = id;
  }
  const group = auditGroups.find((one) => one === given.get('group'));
  if (group) place.group = group;
  for (const name of ['q', 'before'] as const) {
    const text = given.get(name);
    if (text) place[name] = text;
  }
  return place;
}

/** With its question mark; empty for the newest of everything. */
export function writeAuditPlace(place: AuditPlace): string {
  const query = new URLSearchParams();
  for (const name of [...auditFilters, 'q', 'before'] as const) {
    const value = place[name];
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size > 0 ? `?${query}` : '';
}

/** The same place without one of its filters; a page is a page of what was narrowed. */
export function widened(place: AuditPlace, name: AuditFilter): AuditPlace {
  const { [name]: _, before: __, ...rest } = place;
  return rest;
}
