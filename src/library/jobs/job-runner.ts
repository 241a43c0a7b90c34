// Runs jobs of the queue, one at a time: takes one, has it tried, says what became of it.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { randomText } from '../../base/lib/secret.ts';
import { anyNode, HopelessError, type JobKind, type JobRow } from './job.ts';
import {
  claimJob,
  failJob,
  finishJob,
  type Lease,
  longestDue,
  releaseJob,
  releaseNode,
} from './job-store.ts';
import {
  type Ending,
  isPutOff,
  type JobHandler,
  type Outcome,
  problemOf,
  tryJob,
} from './job-try.ts';

export interface JobRunnerOptions {
  store: Store;
  nodeId: string;
  /** Whether it can read what lies in the bucket: then it takes what any node may do, too. */
  readsBucket?: boolean;
  now: () => number;
  log: Log;
  /** Each makes what its kind says, leaves nothing behind when it fails, and ends soon after its signal. */
  handlers: Record<JobKind, JobHandler>;
  /** How long the job may take; asked once, when it is begun. */
  deadlineMs(job: JobRow): number | Promise<number>;
  /** How often the queue is asked when nobody wakes the runner. */
  pollMs: number;
  /** A job whose runner is lost is taken by another after this long; it is renewed three times as often. */
  leaseMs?: number;
}

export interface JobRunner {
  /** There may be a job now. */
  wake(): void;
  /** Tries since the start, by how they ended. */
  readonly counts: Readonly<JobCounts>;
  /** For how long the job has been due that waits longest; 0 where none waits. */
  waitingMs(): Promise<number>;
  /** Ends the running job and gives it back. */
  stop(): Promise<void>;
}

export interface JobCounts {
  done: number;
  failed: number;
  /** There was no room for its file. */
  put_off: number;
}

export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const runner = new Runner(options);
  const ended = runner.run();
  return {
    wake: () => runner.wake(),
    counts: runner.counts,
    waitingMs: async () => {
      const { store } = options;
      const now = options.now();
      const due = queuesOf(options).map((node) => store.perform(longestDue, { node, now }));
      return now - Math.min(now, ...(await Promise.all(due)).map((at) => at ?? now));
    },
    stop: async () => {
      runner.stop();
      await ended;
    },
  };
}

/** Its own jobs, and those of any node. */
function queuesOf({ nodeId, readsBucket = false }: JobRunnerOptions): string[] {
  return readsBucket ? [nodeId, anyNode] : [nodeId];
}

/** Long enough that a database outage of a minute takes no job from its runner. */
const usualLeaseMs = 120_000;
/** A job that was put off is looked at again after this long. */
const putOffMs = 60_000;
/** Of a random name: no two leases share it. */
const leaseNameBits = 64;

class Runner {
  private readonly options: JobRunnerOptions;
  private readonly leaseMs: number;

  readonly counts: JobCounts = { done: 0, failed: 0, put_off: 0 };
  private readonly stopping = new AbortController();
  private isWoken = false;
  private wakeUp = () => {};
  /** Each goes first in turn, so that neither keeps the other waiting. */
  private queues: string[];

  constructor(options: JobRunnerOptions) {
    this.options = options;
    this.queues = queuesOf(options);
    this.leaseMs = options.leaseMs ?? usualLeaseMs;
  }

  async run(): Promise<void> {
    await this.forgetEarlier();
    while (!this.isStopping) {
      const job = await this.claim();
      if (job) await this.runJob(job, { id: job.id, leased_by: job.leased_by ?? '' });
      else await this.rest();
    }
  }

  wake(): void {
    this.isWoken = true;
    this.wakeUp();
  }

  stop(): void {
    this.stopping.abort('stopping' satisfies Ending);
    this.wakeUp();
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** One service runs under a name: whoever held its jobs before is dead. */
  private async forgetEarlier(): Promise<void> {
    const { store, nodeId, now, log } = this.options;
    await store.perform(releaseNode, { node: nodeId, now: now() }).catch((error) => {
      log.warn('jobs of an earlier run are waited for', { error });
    });
  }

  private async claim(): Promise<JobRow | undefined> {
    const { store, nodeId, now, log } = this.options;
    this.isWoken = false;
    this.queues = this.queues.toReversed();
    try {
      for (const node of this.queues) {
        const job = await store.perform(claimJob, {
          node,
          leased_by: `${nodeId}/${randomText(leaseNameBits)}`,
          lease_until: now() + this.leaseMs,
          now: now(),
        });
        if (job) return job;
      }
      return undefined;
    } catch (error) {
      log.warn('the job queue cannot be asked; trying again', { error });
      return undefined;
    }
  }

  /** Until the next poll, a wake or the stop. */
  private async rest(): Promise<void> {
    if (this.isWoken || this.isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.options.pollMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = () => {};
  }

  private async runJob(job: JobRow, lease: Lease): Promise<void> {
    const { log } = this.options;
    const about = { job: job.id, kind: job.kind, video: job.video_id, attempt: job.tries };
    log.debug('job begun', about);
    const outcome = await tryJob({
      ...this.options,
      job,
      lease,
      leaseMs: this.leaseMs,
      stopping: this.stopping.signal,
      handle: this.options.handlers[job.kind],
    });
    if (outcome === 'done') this.counts.done += 1;
    else if (isPutOff(outcome)) this.counts.put_off += 1;
    else if (outcome !== 'stopping') this.counts.failed += 1;
    if (outcome === 'lease lost') {
      log.warn('job lost: its lease ran out', about);
      return;
    }
    const told = await this.tell(job, lease, outcome);
    const problem = problemOf(outcome);
    if (outcome === 'done') log.info(told ? 'job done' : 'job done too late', about);
    else if (outcome === 'stopping') log.info('job given back', about);
    else if (!isPutOff(outcome)) log.warn('job failed', { ...about, state: told, problem });
    // Once, not every minute: the job remembers why it was put off the last time.
    else if (job.problem !== problem) log.warn('job put off', { ...about, problem });
  }

  /** Says what became of the job, for as long as the database does not listen; true or its state where it was heard. */
  private async tell({ run_at, problem }: JobRow, lease: Lease, outcome: Outcome) {
    const { store, now, log } = this.options;
    for (;;) {
      try {
        const said = { ...lease, now: now() };
        if (outcome === 'done') return await store.perform(finishJob, said);
        if (outcome === 'stopping')
          return await store.perform(releaseJob, { ...said, run_at, problem });
        const failure = { ...said, problem: problemOf(outcome) };
        if (isPutOff(outcome))
          return await store.perform(releaseJob, { ...failure, run_at: said.now + putOffMs });
        const isFinal = typeof outcome === 'object' && outcome.error instanceof HopelessError;
        return await store.perform(failJob, { ...failure, isFinal });
      } catch (error) {
        log.warn('the end of a job cannot be written; trying again', { error });
        // The lease will run out, and the job is begun anew.
        if (this.isStopping) return undefined;
        this.isWoken = false;
        await this.rest();
      }
    }
  }
}
