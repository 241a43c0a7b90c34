// A job that is to begin again is begun at once, not at the runner's next look.
import { expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { write } from '../../base/db/sql.ts';
import { Zone } from '../../base/lib/time.ts';
import { addJobs, claimJob, failJob } from '../jobs/job-store.ts';
import { jobRoutes } from './job-routes.ts';

const add = write('test.addJob', async (sql) =>
  addJobs(sql, { video_id: 1, account_id: 1, kinds: ['mp4'], node: 'here', now: 0 }),
);

test.each(engines)('whoever tries it again wakes the runner ($name)', async (engine) => {
  const store = await openTestStore(engine, [add]);
  try {
    await store.perform(add, undefined);
    const lease = { node: 'here', leased_by: 'me', now: 0, lease_until: 1 };
    const job = await store.perform(claimJob, lease);
    const id = job?.id ?? 0;
    await store.perform(failJob, { id, leased_by: 'me', problem: 'no', isFinal: true, now: 0 });
    let woken = 0;
    const wakeJobs = () => {
      woken += 1;
    };
    const routes = jobRoutes({ store, zone: new Zone('UTC'), now: () => 0, wakeJobs });
    const retry = routes.find(({ operationId }) => operationId === 'retryJob');
    const call = { caller: { account_id: 1 }, params: { job_id: id } } as never;
    expect((await retry?.handle(call))?.body).toEqual({ id, state: 'waiting' });
    expect(woken).toBe(1);
    // It waits already.
    await retry?.handle(call).catch(() => {});
    expect(woken).toBe(1);
  } finally {
    await store.close();
  }
});
