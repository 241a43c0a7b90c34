// What `npm test` runs: every test, five files at a time, with one PostgreSQL for all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase, sqliteFile } from '../src/base/db/store.ts';
import { startPostgres } from './support/postgres.ts';

/** More than twice as many as cores: most of what the longer tests do is wait, for a push, a browser or a service's end. */
const filesAtOnce = 5;
/** So that the longest begin first; `npm test -- --update-timings` writes it anew. */
const timings = join(import.meta.dir, 'timings.json');

// Each file is run by itself, and would start a server by itself: three seconds, some fifty times.
const server = await startPostgres({ isForgetful: true });
// Tables are made once, not for each of hundreds of databases; tests of making them begin with none.
const template = await server.freshDatabase();
const dataDir = mkdtempSync(join(tmpdir(), 'footlight-template-'));
for (const databaseUrl of [template, ''])
  await migrateDatabase({ databaseUrl, dataDir, deadlineMs: 10_000, connectionsMax: 1 });
const words = [`--parallel=${filesAtOnce}`, `--timings=${timings}`];
const run = Bun.spawn([process.execPath, 'test', ...words, ...process.argv.slice(2)], {
  env: {
    ...process.env,
    TEST_DATABASE_URL: server.serverUrl,
    TEST_DATABASE_TEMPLATE: new URL(template).pathname.slice(1),
    TEST_SQLITE_TEMPLATE: sqliteFile({ dataDir }),
  },
  stdio: ['inherit', 'inherit', 'pipe'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal));
const rest = await restOf(run.stderr);
process.exitCode = await run.exited;
await server.stop();
rmSync(dataDir, { recursive: true });
// Why a test failed may stand 5,000 lines above the end.
if (process.exitCode !== 0) console.error(`\nWithout what passed:\n${rest.join('\n')}`);

/** Passes on what the run says, and keeps what is not of a test that passed. */
async function restOf(said: ReadableStream<Uint8Array>): Promise<string[]> {
  const kept: string[] = [];
  for await (const line of lines(said)) {
    console.error(line);
    if (!/^(\((pass|skip)\).*|\S+\.test\.ts:| *\d+ (pass|fail|skip)|)$/.test(line)) kept.push(line);
  }
  return kept;
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const [...whole] = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = whole.pop() ?? '';
    yield* whole;
  }
  if (rest) yield rest;
}
