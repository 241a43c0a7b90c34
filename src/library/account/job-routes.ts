// What is being made of an account's recordings, beside the interface: list, try again.
import { get, post } from '../../base/api/endpoint.ts';
import { ApiError } from '../../base/api/errors.ts';
import { choice, idMax, integer } from '../../base/api/fields.ts';
import { envelope, pageNumber, pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { jobStates } from '../jobs/job.ts';
import * as jobStore from '../jobs/job-store.ts';
import { jobDocs } from './job-docs.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  /** There may be a job to be done. */
  wakeJobs(): void;
}

export function jobRoutes(parts: Parts): AnyRoute[] {
  const handlers = { listJobs, retryJob };
  return routes({ table: jobTable, docs: jobDocs, handlers, parts });
}

const jobsPerPage = { default: 30, max: 100 };

/** Each is answered by the function of its name. */
const jobTable = {
  listJobs: get('/manage/v1/jobs', 'manage', {
    query: {
      state: choice('only those', { of: ['all', ...jobStates], cleared: 'all' }),
      p: pageNumber,
      perPage: pageSize(jobsPerPage),
    },
  }),
  retryJob: post('/manage/v1/jobs/{job_id}/retry', 'manage', {
    params: { job_id: integer('job id', { min: 1, max: idMax }) },
    absent: 'noJob',
    body: {},
  }),
};

type Handle = Handlers<typeof jobTable, typeof jobDocs, Parts>;

const listJobs: Handle['listJobs'] = async (call, { store, zone }) => {
  const { state: wanted = 'all', p = 1, perPage = jobsPerPage.default } = call.query;
  const state = wanted === 'all' ? undefined : wanted;
  const { rows, counts } = await store.perform(jobStore.listAccountJobs, {
    account_id: call.caller.account_id,
    state,
    limit: perPage,
    offset: (p - 1) * perPage,
  });
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const total = state === undefined ? all : counts[state];
  const jobs = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    video: { id: row.video_id, name: row.video_name ?? '' },
    state: row.state,
    tries: row.tries,
    problem: row.problem,
    created_at: zone.dateTime(row.created_at),
    changed_at: zone.dateTime(row.changed_at),
  }));
  return { body: { jobs, counts, ...envelope(total, { p, perPage }, call) } };
};

const retryJob: Handle['retryJob'] = async ({ caller, params }, { store, now, wakeJobs }) => {
  const { job_id: id } = params;
  const order = { account_id: caller.account_id, id, now: now() };
  const state = await store.perform(jobStore.retryJob, order);
  if (state === undefined) throw new ApiError('noJob', { message: `No job ${id}` });
  if (state !== 'failed')
    throw new ApiError('notFailed', {
      message: `Job ${id} is ${state}: only a failed one can be tried again`,
    });
  wakeJobs();
  return { body: { id, state: 'waiting' } };
};
