// One try of a job, under its three ends: the deadline, the loss of its lease, the stop of the service.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type JobRow, Postponed } from './job.ts';
import { type Lease, renewLease } from './job-store.ts';

/** Throws HopelessError or Postponed where another try would not help, or not now. */
export type JobHandler = (job: JobRow, signal: AbortSignal) => Promise<void>;

/** Why a running job is ended. */
export type Ending = 'stopping' | 'deadline' | 'lease lost';

export type Outcome = 'done' | Ending | { error: unknown };

export interface JobTry {
  job: JobRow;
  lease: Lease;
  leaseMs: number;
  /** Aborts with the reason 'stopping'. */
  stopping: AbortSignal;
  handle: JobHandler;
  deadlineMs(job: JobRow): number | Promise<number>;
  store: Store;
  now: () => number;
  log: Log;
}

/** A handler that has not ended this long after its signal is left to itself. */
const settleWithinMs = 10_000;

export async function tryJob(given: JobTry): Promise<Outcome> {
  const { job, stopping, handle } = given;
  const ending = new AbortController();
  const end = (why: Ending) => ending.abort(why);
  const signal = AbortSignal.any([ending.signal, stopping]);
  let deadline: Timer | undefined;
  const leaseKeeper = keepLease(given, () => end('lease lost'));
  const abandoned = Promise.withResolvers<void>();
  const settle = () => setTimeout(abandoned.resolve, settleWithinMs).unref();
  signal.addEventListener('abort', settle);
  try {
    deadline = setTimeout(end, await given.deadlineMs(job), 'deadline');
    if (!signal.aborted) await Promise.race([handle(job, signal), abandoned.promise]);
    // A handler that was told to end and says that it is done may have stopped half-way.
    return signal.aborted ? signal.reason : 'done';
  } catch (error) {
    return signal.aborted ? signal.reason : { error };
  } finally {
    clearTimeout(deadline);
    clearInterval(leaseKeeper);
    signal.removeEventListener('abort', settle);
  }
}

/** Renews the lease again and again; `lost` is called once it belongs to someone else, or may. */
function keepLease({ job, lease, leaseMs, store, now, log }: JobTry, lost: () => void): Timer {
  let heldUntil = job.lease_until ?? 0;
  return setInterval(async () => {
    const lease_until = now() + leaseMs;
    try {
      if (await store.perform(renewLease, { ...lease, lease_until })) heldUntil = lease_until;
      else lost();
    } catch (error) {
      log.warn('the lease of a job cannot be renewed; trying again', { error });
      if (now() >= heldUntil) lost();
    }
  }, leaseMs / 3);
}

export function isPutOff(outcome: Outcome): boolean {
  return typeof outcome === 'object' && outcome.error instanceof Postponed;
}

export function problemOf(outcome: Outcome): string {
  if (outcome === 'deadline') return 'it took longer than it may';
  if (typeof outcome === 'string') return outcome;
  return outcome.error instanceof Error ? outcome.error.message : String(outcome.error);
}
