// What `npm test` runs: every test, two files at a time, with one PostgreSQL for all of them.
import { startPostgres } from './support/postgres.ts';

// Each file is run by itself, and would start a server by itself: three seconds, some fifty times.
const server = await startPostgres();
const run = Bun.spawn(
  [process.execPath, 'test', '--timeout', '120000', '--parallel=2', ...process.argv.slice(2)],
  {
    env: { ...process.env, TEST_DATABASE_URL: server.serverUrl },
    stdio: ['inherit', 'inherit', 'inherit'],
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal));
process.exitCode = await run.exited;
await server.stop();
