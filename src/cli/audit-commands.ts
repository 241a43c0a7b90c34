// `footlight audit`.
import { auditEntry } from '../library/audit/audit-entry.ts';
import { auditGroups } from '../library/audit/audit-operations.ts';
import { readAudit } from '../library/audit/audit-reading.ts';
import type { AuditCursor } from '../library/audit/audit-store.ts';
import {
  type Command,
  printLine,
  readOptions,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

/** Read at a time. */
const pageRows = 200;

export const auditCommands: Command[] = [
  {
    name: 'audit',
    audit: 'nothing',
    usage: `audit [--account N] [--last N] [--group ${auditGroups.join('|')}]`,
    sentence:
      'Who did what, when and from where: the last 50, one JSON line each, the newest first. Account 0: what is no account’s.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account', 'last', 'group']);
      const account_id = wholeNumber(options.account ?? '1', '--account');
      const last = wholeNumber(options.last ?? '50', '--last');
      const group = auditGroups.find((one) => one === options.group);
      if (options.group !== undefined && !group)
        throw new UsageError(`--group must be one of ${auditGroups.join(', ')}`);
      await withStore(config, async (store) => {
        let left = last;
        for (let before: AuditCursor | undefined; left > 0; ) {
          const limit = Math.min(left, pageRows);
          const { rows, next } = await readAudit(store, { account_id, group, before, limit });
          for (const row of rows) printLine(auditEntry(row, config.zone));
          left -= rows.length;
          before = next;
          if (!next) return;
        }
      });
      return 0;
    },
  },
];
