// One row of the audit log as it is shown.
import type { Zone } from '../../base/lib/time.ts';
import type { AuditCursor, AuditRow } from './audit-store.ts';

export const doerKinds = ['person', 'token', 'command'] as const;
export type DoerKind = (typeof doerKinds)[number];

export function auditEntry(row: AuditRow, zone: Zone) {
  const { manager_id, manager_username, target_kind } = row;
  return {
    id: row.id,
    at: zone.dateTime(row.at),
    via: row.via,
    who: {
      kind: doerOf(row),
      id: row.person_id || row.token_id,
      name: row.who_name,
      manager: manager_id === 0 ? null : { id: manager_id, username: manager_username },
    },
    operation: row.operation,
    group: row.op_group,
    target:
      target_kind === '' ? null : { kind: target_kind, id: row.target_id, name: row.target_name },
    channel_id: row.of_channel,
    fields: JSON.parse(row.fields) as string[],
    values: JSON.parse(row.told) as Record<string, string>,
    address: row.address,
    times: row.times,
  };
}

export type AuditEntry = ReturnType<typeof auditEntry>;

function doerOf({ person_id, token_id }: AuditRow): DoerKind {
  if (person_id !== 0) return 'person';
  return token_id === 0 ? 'command' : 'token';
}

/** Where a page goes on, as its caller carries it. */
export function cursorText({ at, id }: AuditCursor): string {
  return `${at}-${id}`;
}

export function readCursor(text: string): AuditCursor | undefined {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id: Number(id) };
}
