// Fault 5 in its short form; `npm run trial slow-database` is the long one.
import { expect, test } from 'bun:test';
import { locks, slowDatabaseRounds } from '../../trial/slow-database.ts';
import { type Engine, engines } from '../support/engines.ts';
import { startTestService } from '../support/service.ts';
import { shortly } from '../support/trial.ts';

// Mostly they wait. A write that waits for a quarter of the deadline is served before it, also by a busy machine.
test.concurrent.each([...locks])(
  'behind $name writes are refused in time and not made, reads go on',
  async (lock) => {
    const figures = await slowDatabaseRounds({ ...shortly(1), lock, deadlineMs: 3_000 });
    expect(figures['refused']).toBeGreaterThan(0);
    expect(figures['reads_beside_the_lock']).toBeGreaterThan(0);
  },
);

test('a deadline is kept by a worker much younger than its process', async () => {
  // This process has run for seconds; Bun counts the monotonic time of a thread from the thread's start.
  const sqlite = engines.find(({ name }) => name === 'sqlite') as Engine;
  const lock = locks.find(({ engine }) => engine === 'sqlite');
  const service = await startTestService(sqlite, { settings: { DATABASE_DEADLINE_MS: '300' } });
  const { DATA_DIR = '' } = service.settings;
  const release = await lock?.take({ DATA_DIR, DATABASE_URL: '' });
  try {
    const ageMs = performance.now();
    const reply = await service.call('POST', '/v1/activities', { body: { name: 'one' } });
    expect(reply.status).toBe(503);
    // By the younger clock the deadline would be as much later as this process is older.
    expect(performance.now() - ageMs).toBeLessThan(ageMs);
  } finally {
    await release?.();
    await service.stop();
  }
});
