// A start that cannot be: the folder or the port is another's, and the program says so plainly.
import { afterEach, expect, test } from 'bun:test';
import { startBucketStore } from '../support/bucket-store.ts';
import { type Engine, engines, temporaryFolder } from '../support/engines.ts';
import { refusedStart, type ServiceProcess, startProcess } from '../support/service-process.ts';
import { typed } from '../support/typed-line.ts';

const postgres = engines.find(({ name }) => name === 'postgres') as Engine;

const started: ServiceProcess[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.kill();
});

test.each([...engines])(
  'a second service on a data folder is refused, and a kill -9 of the first frees it ($name)',
  async (engine) => {
    const settings = await engine.fresh();
    const first = await start(settings);
    const refused = await refusedStart(settings);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toBe(
      `footlight: another Footlight is running on the data folder ${settings.DATA_DIR}: stop it, or give this one a DATA_DIR of its own\n`,
    );
    const body = { name: 'one' };
    expect((await first.call('POST', '/v1/activities', { body })).status).toBe(200);
    await first.kill();
    const second = await start(settings, first.token);
    expect((await second.call('GET', '/v1/activities')).body.meta.total).toBe(1);
  },
);

test('a second service on a PostgreSQL without S3 is refused with the reason; a restart after a kill is not', async () => {
  const settings = { ...(await postgres.fresh({ mayHaveTables: true })), NODE_NAME: 'first' };
  const first = await start(settings);
  const second = { ...settings, NODE_NAME: 'second', DATA_DIR: temporaryFolder() };
  const reason =
    'another service, the node "first", runs on this database, and neither has S3, by which nodes share recordings: set S3_URL and the settings that belong to it, the same on both, or stop "first" first';
  expect(await refusedStart(second)).toMatchObject({
    exitCode: 1,
    stderr: `footlight: ${reason}\n`,
  });
  const store = await startBucketStore();
  expect((await refusedStart({ ...second, ...store.environment })).stderr).toStartWith(
    'footlight: the node "first" runs on this database without S3, and this one keeps recordings there: stop "first", ',
  );
  const { code, lines } = await typed(second, ['doctor', '--json']);
  expect([code, lines().find(({ says }: { says: string }) => says === reason)]).toEqual([
    1,
    expect.objectContaining({ check: 'database', state: 'failed' }),
  ]);
  // The doctor of the first itself finds nothing in its way.
  expect((await typed(settings, ['doctor', '--json'])).out).not.toContain('neither has S3');
  await first.kill();
  const again = await start(settings, first.token);
  expect((await again.call('GET', '/v1/activities')).status).toBe(200);
  await again.kill();
  // The first is dead, though its row is still there.
  await start(second, first.token);
  await store.stop();
});

test('a port in use is said plainly, and the folder stays free', async () => {
  const first = await start({ DATA_DIR: temporaryFolder() });
  const { port } = new URL(first.url);
  const DATA_DIR = temporaryFolder();
  const refused = await refusedStart({ DATA_DIR, PORT: port });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toBe(
    `footlight: port ${port} is in use: stop the program that has it, or choose another with PORT\n`,
  );
  await start({ DATA_DIR }, first.token);
});

test('an RTMP port in use is said plainly too, and the folder stays free', async () => {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const DATA_DIR = temporaryFolder();
  const refused = await refusedStart({ DATA_DIR, RTMP_PORT: String(taken.port) });
  taken.stop();
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: `footlight: port ${taken.port} is in use: stop the program that has it, or choose another with RTMP_PORT\n`,
  });
  await start({ DATA_DIR, RTMP_PORT: String(taken.port) });
});

async function start(settings: Record<string, string>, token?: string): Promise<ServiceProcess> {
  const service = await startProcess(settings, token === undefined ? {} : { token });
  started.push(service);
  return service;
}
