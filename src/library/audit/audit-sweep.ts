// Rows of the audit log that are old enough go: every hour and at the start, in small steps, whichever service comes.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { sweepAudit } from './audit-store.ts';

interface AuditSweepOptions {
  store: Store;
  now: () => number;
  log: Log;
  /** 0 keeps them for ever. */
  auditDays: number;
}

const sweepEveryMs = 3_600_000;
const dayMs = 86_400_000;

export function startAuditSweep(options: AuditSweepOptions): Rounds {
  return startRounds(sweepEveryMs, (signal) =>
    removeOldRows(options, signal).catch((error) =>
      options.log.warn('old rows of the audit log could not be removed', { error }),
    ),
  );
}

/** One round over all accounts; each step may be done by several services, or again after a kill. */
export async function removeOldRows(
  { store, now, auditDays }: Omit<AuditSweepOptions, 'log'>,
  signal?: AbortSignal,
): Promise<void> {
  if (auditDays === 0) return;
  const before = now() - auditDays * dayMs;
  for (let after: number | undefined = -1; after !== undefined && !signal?.aborted; ) {
    const startedAt = performance.now();
    after = await store.perform(sweepAudit, { after, before });
    // The writer rests for as long as the step took.
    if (after !== undefined) await Bun.sleep(performance.now() - startedAt);
  }
}
