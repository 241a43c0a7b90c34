// A start that cannot be: the folder or the port is another's, and the program says so plainly.
import { afterEach, expect, test } from 'bun:test';
import { engines, temporaryFolder } from '../support/engines.ts';
import { refusedStart, type ServiceProcess, startProcess } from '../support/service-process.ts';

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
