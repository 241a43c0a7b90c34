// The job queue in the database: who runs what is a lease, which ends by itself when its holder dies.
import { dialectWords } from '../../base/db/dialect.ts';
import { walked } from '../../base/db/index-walk.ts';
import {
  limitFrom,
  placeholders,
  read,
  type Sql,
  telling,
  where,
  write,
} from '../../base/db/sql.ts';
import { ofAccount, ofNamed } from '../../base/db/whose.ts';
import { addToTotal, keptTotal } from '../access/total-store.ts';
import {
  anyNode,
  type JobKind,
  type JobRow,
  type JobState,
  jobKinds,
  jobStates,
  triesMax,
} from './job.ts';
import { tellFailed, tellIfReady } from './job-event-store.ts';

const columns =
  'id, kind, video_id, account_id, state, tries, run_at, leased_by, lease_until, problem, created_at, changed_at';

/** Part of the transaction that makes the video; jobs the video already has are left as they are. */
export async function addJobs(
  sql: Sql,
  order: {
    video_id: number;
    account_id: number;
    kinds: readonly JobKind[];
    node: string;
    now: number;
  },
): Promise<void> {
  const { video_id, account_id, kinds, node, now } = order;
  if (kinds.length === 0) return;
  const added = await sql.run(
    `INSERT INTO jobs (kind, awaits_mp4, video_id, account_id, node, state, tries, run_at, problem, created_at, changed_at)
     VALUES ${placeholders(kinds.length, 11)} ON CONFLICT (video_id, kind) DO NOTHING`,
    kinds.flatMap((kind) => {
      const awaits_mp4 = kind === 'mp4' ? 0 : 1;
      return [kind, awaits_mp4, video_id, account_id, node, 'waiting', 0, now, '', now, now];
    }),
  );
  await countJobs(sql, account_id, added);
  await addTurn(sql, node, account_id);
  await settleMp4(sql, video_id);
}

async function addTurn(sql: Sql, node: string, account_id: number): Promise<void> {
  await sql.run(
    'INSERT INTO job_turns (node, account_id, turn) VALUES ($1, $2, 0) ON CONFLICT (node, account_id) DO NOTHING',
    [node, account_id],
  );
}

/** Part of the transaction that moves a recording: its jobs are for whoever can read it then. */
export async function moveJobs(
  sql: Sql,
  { video_id, node }: { video_id: number; node: string },
): Promise<void> {
  const moved = await sql.one<{ account_id: number }>(
    'UPDATE jobs SET node = $2 WHERE video_id = $1 RETURNING account_id',
    [video_id, node],
  );
  if (moved) await addTurn(sql, node, moved.account_id);
}

/**
 * Part of the transaction that removes a video, or what was to be made of it: then one that runs at the time stays.
 * It comes behind the totals of videos, as where both are added: otherwise two would wait for each other.
 */
export async function removeJobs(
  sql: Sql,
  { video_id, exceptRunningAt }: { video_id: number; exceptRunningAt?: number },
): Promise<void> {
  const { text, params } = where([
    ['video_id = ?', video_id],
    ["NOT (state = 'running' AND lease_until > ?)", exceptRunningAt],
  ]);
  const removed = await sql.all<{ account_id: number }>(
    `DELETE FROM jobs ${text} RETURNING account_id`,
    params,
  );
  const [first] = removed;
  if (first) await countJobs(sql, first.account_id, -removed.length);
}

const jobsOf = (account_id: number) =>
  ({ account_id, kind: 'jobs', part: 'account', part_id: 0 }) as const;

async function countJobs(sql: Sql, account_id: number, more: number): Promise<void> {
  if (more !== 0) await addToTotal(sql, jobsOf(account_id), more);
}

/** Part of every change of a job's state: the other jobs of a video wait while its MP4 is still to be made. */
async function settleMp4(sql: Sql, video_id: number): Promise<void> {
  const mp4 = await sql.one(
    "SELECT 1 FROM jobs WHERE video_id = $1 AND kind = 'mp4' AND state IN ('waiting', 'running')",
    [video_id],
  );
  await sql.run(
    "UPDATE jobs SET awaits_mp4 = $2 WHERE video_id = $1 AND kind <> 'mp4' AND awaits_mp4 <> $2",
    [video_id, mp4 ? 1 : 0],
  );
}

/** A job as its runner holds it. `leased_by` is new for each lease, so that an old one is never taken for it. */
export interface Lease {
  id: number;
  leased_by: string;
}

/**
 * Takes the node's next job that is due, or whose holder has let its lease run out; undefined where there is none.
 * Accounts take turns, so that however many jobs one has, another's waits for the running one alone. Within an
 * account the kinds go in their order, whatever the video: what everybody waits for, what is soon made, what may
 * take hours. Each look leads to one place of an index, so that a thousand jobs cost no more than one.
 */
export const claimJob = write(
  'jobs.claim',
  async (sql, claim: Claim): Promise<JobRow | undefined> => {
    await giveUpLost(sql, claim.now);
    for (;;) {
      const next = await nextInTurn(sql, claim);
      if (!next) return undefined;
      const job = await begin(sql, next.id, claim);
      // Undefined where another runner has just begun it.
      if (!job) continue;
      await takeTurn(sql, claim.node, next.account_id);
      return job;
    }
  },
);

export interface Claim {
  node: string;
  leased_by: string;
  lease_until: number;
  now: number;
}

/** In the words of the index, or it would not be used. `$1` is now. */
const isDue = `state IN ('waiting', 'running') AND awaits_mp4 = 0 AND run_at <= $1
  AND (state = 'waiting' OR lease_until <= $1)`;

/** Of the node `$2` and the account whose turn is looked at. A question a kind: any other would read past jobs to find one. */
const firstDue = jobKinds.map(
  (kind) =>
    `(SELECT id FROM jobs WHERE jobs.node = $2 AND jobs.account_id = job_turns.account_id AND kind = '${kind}'
      AND ${isDue} ORDER BY run_at, id LIMIT 1)`,
);

/** Of the accounts with a job that is due, the one whose last began longest ago, and its first job. */
async function nextInTurn(sql: Sql, { node, now }: Claim) {
  return await sql.one<{ account_id: number; id: number }>(
    `SELECT account_id, id FROM (
       SELECT account_id, turn, COALESCE(${firstDue.join(', ')}) AS id FROM job_turns WHERE node = $2
     ) AS turns WHERE id IS NOT NULL ORDER BY turn, account_id LIMIT 1`,
    [now, node],
  );
}

/** When the job was due that has waited longest for its turn on a node; undefined where none waits. */
export const longestDue = read(
  'jobs.longestDue',
  async (sql, { node, now }: { node: string; now: number }): Promise<number | undefined> => {
    const found = await sql.one<{ due_at: number | null }>(
      `SELECT MIN(due_at) AS due_at FROM (${jobKinds.flatMap(firstDueAt).join(' UNION ALL ')}) AS due`,
      [now, node],
    );
    return found?.due_at ?? undefined;
  },
);

/**
 * One that is begun again has no moment of its own (`retryJob`): it has been due since it was changed. Of several such the
 * next to run tells, not the one that has waited longest.
 */
function firstDueAt(kind: JobKind): string[] {
  const first = (column: string, which: string) =>
    `SELECT (SELECT ${column} FROM jobs WHERE jobs.node = $2 AND jobs.account_id = job_turns.account_id
      AND kind = '${kind}' AND ${which} AND ${isDue} ORDER BY run_at, id LIMIT 1) AS due_at
     FROM job_turns WHERE node = $2`;
  return [first('run_at', 'run_at > 0'), first('changed_at', 'run_at = 0')];
}

async function begin(sql: Sql, id: number, { leased_by, lease_until, now }: Claim) {
  return await sql.one<JobRow>(
    `UPDATE jobs SET state = 'running', tries = tries + 1, leased_by = $3, lease_until = $4, changed_at = $1
     WHERE id = $2 AND ${isDue} RETURNING ${columns}`,
    [now, id, leased_by, lease_until],
  );
}

/** Counted, not timed: a clock that is set back must not give somebody two turns. */
async function takeTurn(sql: Sql, node: string, account_id: number): Promise<void> {
  await sql.run(
    `UPDATE job_turns SET turn = (SELECT MAX(turn) + 1 FROM job_turns WHERE node = $1)
     WHERE node = $1 AND account_id = $2`,
    [node, account_id],
  );
}

/** Jobs that this node had begun before it was killed may begin again at once; a lease begins with the name of its node. */
export const releaseNode = write(
  'jobs.releaseNode',
  async (sql, { node, now }: { node: string; now: number }) => {
    const prefix = `${node}/`;
    await sql.run(
      `UPDATE jobs SET lease_until = $2 WHERE state = 'running' AND lease_until > $2
         AND (node = $1 OR (node = '${anyNode}' AND substr(leased_by, 1, length($3)) = $3))`,
      [node, now, prefix],
    );
  },
);

/** A job whose holders died at every try would be begun for ever. */
async function giveUpLost(sql: Sql, now: number): Promise<void> {
  const lost = await sql.all<JobRow>(
    `UPDATE jobs SET state = 'failed', leased_by = NULL, lease_until = NULL, problem = $3, changed_at = $1
     WHERE state = 'running' AND run_at <= $1 AND lease_until <= $1 AND tries >= $2 RETURNING ${columns}`,
    [now, triesMax, 'whoever ran it was lost without a word'],
  );
  for (const job of lost) await givenUp(sql, job);
}

async function givenUp(sql: Sql, job: Parameters<typeof tellFailed>[1]): Promise<void> {
  await settleMp4(sql, job.video_id);
  await tellFailed(sql, job);
  await tellIfReady(sql, job.video_id);
}

/** Whether the lease was still held and now lasts longer. */
export const renewLease = write(
  'jobs.renew',
  async (sql, { id, leased_by, lease_until }: Lease & { lease_until: number }): Promise<boolean> =>
    (await sql.run(`UPDATE jobs SET lease_until = $3 ${whereHeld}`, [
      id,
      leased_by,
      lease_until,
    ])) === 1,
);

/** Whether the lease was still held; where it was not, nothing changes. */
export const finishJob = write(
  'jobs.finish',
  async (sql, { id, leased_by, now }: Lease & { now: number }): Promise<boolean> => {
    const job = await sql.one<{ video_id: number }>(
      `UPDATE jobs SET state = 'done', leased_by = NULL, lease_until = NULL, problem = '', changed_at = $3
       ${whereHeld} RETURNING video_id`,
      [id, leased_by, now],
    );
    if (!job) return false;
    await settleMp4(sql, job.video_id);
    await tellIfReady(sql, job.video_id);
    return true;
  },
);

/** A problem is a sentence for the operator, not a log. */
const problemCharactersMax = 500;
/** How long a job rests after its first failure and after its second: what ails it may pass. */
const restsMs = [30_000, 300_000];

export interface Failure extends Lease {
  problem: string;
  /** No further try would help. */
  isFinal: boolean;
  now: number;
}

/** What became of the job; undefined where the lease was no longer held, and nothing changes. */
export const failJob = write(
  'jobs.fail',
  async (sql, failure: Failure): Promise<JobState | undefined> => {
    const { id, leased_by, isFinal, now } = failure;
    const problem = failure.problem.slice(0, problemCharactersMax);
    const held = await sql.one<Pick<JobRow, 'kind' | 'tries' | 'video_id'>>(
      `SELECT kind, tries, video_id FROM jobs ${whereHeld} ${dialectWords(sql.dialect).forUpdate}`,
      [id, leased_by],
    );
    if (!held) return undefined;
    const state = isFinal || held.tries >= triesMax ? 'failed' : 'waiting';
    await sql.run(
      `UPDATE jobs SET state = $2, run_at = $3, problem = $4, leased_by = NULL, lease_until = NULL, changed_at = $5
       WHERE id = $1`,
      [id, state, now + (restsMs[held.tries - 1] ?? 0), problem, now],
    );
    if (state === 'failed') await givenUp(sql, { id, ...held, problem });
    else await settleMp4(sql, held.video_id);
    return state;
  },
);

export interface Release extends Lease {
  /** It is not begun again before. */
  run_at: number;
  /** Why it is put off; what it was where the service stops. */
  problem: string;
  now: number;
}

/**
 * Gives a job back as if it had not been begun: the service stops or the disk is full, which is not the job's
 * fault. Were it counted, three restarts during a long one would fail it for good. Whether the lease was still held.
 */
export const releaseJob = write(
  'jobs.release',
  async (sql, { id, leased_by, run_at, problem, now }: Release): Promise<boolean> =>
    (await sql.run(
      `UPDATE jobs SET state = 'waiting', tries = tries - 1, run_at = $3, problem = $4, leased_by = NULL,
         lease_until = NULL, changed_at = $5
       ${whereHeld}`,
      [id, leased_by, run_at, problem.slice(0, problemCharactersMax), now],
    )) === 1,
);

/** A lease that has run out is still held until someone else takes the job: no work is thrown away for a late word. */
const whereHeld = "WHERE id = $1 AND leased_by = $2 AND state = 'running'";

/** The state the job was in; undefined where there is none. One that had failed waits again as if it were new. */
export const retryJob = telling(
  { of: ({ id }) => ({ kind: 'job', id }), changed: (state) => state === 'failed' },
  write(
    'jobs.retry',
    ofNamed,
    // The command line names no account.
    async (
      sql,
      { account_id, id, now }: { account_id?: number; id: number; now: number },
    ): Promise<JobState | undefined> => {
      const job = await sql.one<{ state: JobState; video_id: number }>(
        `SELECT state, video_id FROM jobs WHERE id = $1 AND account_id = COALESCE($2, account_id)
       ${dialectWords(sql.dialect).forUpdate}`,
        [id, account_id ?? null],
      );
      if (job?.state === 'failed') {
        // Due at once, by whatever clock its node goes.
        await sql.run(
          "UPDATE jobs SET state = 'waiting', tries = 0, run_at = 0, changed_at = $2 WHERE id = $1",
          [id, now],
        );
        await settleMp4(sql, job.video_id);
      }
      return job?.state;
    },
  ),
);

/** How many of the video's jobs of these kinds had failed, and wait again as if they were new. */
export async function retryFailed(
  sql: Sql,
  { video_id, kinds, now }: { video_id: number; kinds: readonly JobKind[]; now: number },
): Promise<number> {
  const retried = await sql.run(
    `UPDATE jobs SET state = 'waiting', tries = 0, run_at = 0, changed_at = $2
     WHERE video_id = $1 AND state = 'failed' AND kind IN ${placeholders(1, kinds.length, 3)}`,
    [video_id, now, ...kinds],
  );
  if (retried > 0) await settleMp4(sql, video_id);
  return retried;
}

/** A job as its video shows it. */
export interface JobOfVideo
  extends Pick<JobRow, 'video_id' | 'kind' | 'state' | 'tries' | 'problem' | 'changed_at'> {
  /** Of the file it has made, in bytes; null where there is none, or it was made before sizes were kept. */
  size: number | null;
}

export async function jobsOfVideos(sql: Sql, ids: readonly number[]): Promise<JobOfVideo[]> {
  const { listed } = dialectWords(sql.dialect);
  const filter = where([[`video_id IN (${listed})`, JSON.stringify(ids)]]);
  return await sql.all<JobOfVideo>(
    `SELECT video_id, kind, state, tries, problem, changed_at, size FROM jobs ${filter.text}`,
    filter.params,
  );
}

export interface JobQuery {
  /** Undefined: in any state. */
  state: JobState | undefined;
  limit: number;
  offset: number;
}

/** An account's jobs, the newest first, with the names of their videos, and how many there are in each state. */
export const listAccountJobs = read(
  'jobs.listOfAccount',
  ofAccount,
  async (sql, { account_id, state, limit, offset }: JobQuery & { account_id: number }) => {
    const undone = countsOf(
      await sql.all(
        `SELECT state, COUNT(*) AS n FROM jobs
         WHERE account_id = $1 AND state IN ('waiting', 'running', 'failed') GROUP BY state`,
        [account_id],
      ),
    );
    const { waiting, running, failed } = undone;
    // What is done only grows: it is what is left of all.
    const done = (await keptTotal(sql, jobsOf(account_id))) - waiting - running - failed;
    const counts = { ...undone, done };
    const columnsOf = [
      ['j.account_id', account_id],
      ['j.state', state],
    ] as const;
    const { conditions, order } = walked(sql.dialect, { id: 'j.id', columns: columnsOf });
    const filter = where(conditions);
    const rows = await sql.all<JobRow & { video_name: string | null }>(
      `SELECT ${columns.replace(/\w+/g, 'j.$&')}, v.name AS video_name
       FROM jobs j LEFT JOIN videos v ON v.id = j.video_id ${filter.text}
       ORDER BY ${order} ${limitFrom(filter.next)}`,
      [...filter.params, limit, offset],
    );
    return { counts, rows };
  },
);

/** Jobs, newest first, and how many there are in each state. */
export const listJobs = read('jobs.list', async (sql, { state, limit, offset }: JobQuery) => {
  const counts = countsOf(await sql.all('SELECT state, COUNT(*) AS n FROM jobs GROUP BY state'));
  const filter = where([['state = ?', state]]);
  const rows = await sql.all<JobRow>(
    `SELECT ${columns} FROM jobs ${state ? filter.text : ''} ORDER BY id DESC ${limitFrom(filter.next)}`,
    [...filter.params, limit, offset],
  );
  return { counts, rows };
});

function countsOf(counted: { state: JobState; n: number }[]): Record<JobState, number> {
  const counts = Object.fromEntries(jobStates.map((name) => [name, 0])) as Record<JobState, number>;
  for (const row of counted) counts[row.state] = row.n;
  return counts;
}
