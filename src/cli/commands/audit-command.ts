// `footlight audit`.
import { type AuditEntry, auditEntry } from '../../library/audit/audit-entry.ts';
import { auditGroups } from '../../library/audit/audit-operations.ts';
import { readAudit } from '../../library/audit/audit-reading.ts';
import type { AuditCursor } from '../../library/audit/audit-store.ts';
import { command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { option, usually } from '../parts/option.ts';
import { oneOf, whole } from '../parts/value-kinds.ts';

/** Read at a time. */
const pageRows = 200;

export const auditCommand = command({
  name: 'audit',
  audit: 'nothing',
  sentence: 'Who did what, when and from where, the newest first.',
  options: {
    account: usually(whole, '1', 'Of which account; 0 for what is no account’s.'),
    last: usually(whole, '50', 'How many at most.'),
    group: option(oneOf(auditGroups), 'Only what is about these things.'),
  },
  examples: ['audit --last 10 --group tokens'],
  run: async ({ account: account_id, last, group }, run) => {
    const { zone } = run.config;
    const listing = run.out.list<AuditEntry>([
      'at',
      'via',
      ['who', ({ who }) => who.name || who.kind],
      'operation',
      ['done to', ({ target }) => target && `${target.kind} ${target.id} ${target.name}`],
      'address',
    ]);
    await withStore(run, async (store) => {
      let left = last;
      for (let before: AuditCursor | undefined; left > 0; ) {
        const limit = Math.min(left, pageRows);
        const { rows, next } = await readAudit(store, { account_id, group, before, limit });
        await listing.add(rows.map((row) => auditEntry(row, zone)));
        left -= rows.length;
        before = next;
        if (!next) return;
      }
    });
    await listing.end();
  },
});
