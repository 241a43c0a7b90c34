// What is known of a write before it is done, as its row in the audit log will have it.
import type { Target } from '../../base/api/audited.ts';
import type { AuditGroup } from './audit-operations.ts';

/** By which way it came: the console's page, a program by the interface, or the command line. */
export const auditWays = ['console', 'interface', 'command'] as const;
export type AuditVia = (typeof auditWays)[number];

/** Who did it, with the names they had then. */
export interface Who {
  /** 0 where no person did it. */
  person_id: number;
  /** 0 where no token did it. */
  token_id: number;
  name: string;
  /** Whom they stand for; 0 for the account's own side. */
  manager_id: number;
  manager_username: string;
}

/** What is known of a write before it is done. */
export interface AuditNote {
  at: number;
  via: AuditVia;
  /** Undefined where the operation says whose it is. */
  account_id: number | undefined;
  /** Undefined where the operation says who it is. */
  who: Who | undefined;
  operation: string;
  group: AuditGroup;
  target: Target | undefined;
  /** 0 where the path names none. */
  of_channel: number;
  /** Those that the request set. */
  fields: readonly string[];
  told: Readonly<Record<string, string>>;
  address: string;
}

/** Of a command that somebody of this machine runs; `name` is theirs. */
export function commandNote(
  given: Pick<AuditNote, 'at' | 'account_id' | 'operation' | 'group'> & { name: string },
): AuditNote {
  const { at, account_id, operation, group, name } = given;
  return {
    at,
    via: 'command',
    account_id,
    who: { person_id: 0, token_id: 0, name, manager_id: 0, manager_username: '' },
    operation,
    group,
    target: undefined,
    of_channel: 0,
    fields: [],
    told: {},
    address: '',
  };
}
