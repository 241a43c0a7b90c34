// SIGTERM while requests run: those under way are answered, and the exit is clean.
import { afterEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { locks } from '../../trial/slow-database.ts';
import { stopRounds } from '../../trial/stop.ts';
import { innermost } from '../../trial/support/installed-package.ts';
import { type Engine, engines, temporaryFolder } from '../support/engines.ts';
import { notLinux, testWith } from '../support/needs.ts';
import { HttpConnection, requestText } from '../support/rude/http-connection.ts';
import {
  collected,
  type ServiceProcess,
  spawnServe,
  startProcess,
} from '../support/service-process.ts';
import { shortly } from '../support/trial.ts';

const writes = 10;
const halfSent = 3;

const started: ServiceProcess[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.kill();
});

for (const lock of locks.filter(({ stopsChannelReads }) => !stopsChannelReads)) {
  test(`requests under way at SIGTERM are answered (waiting for ${lock.name})`, async () => {
    const engine = engines.find(({ name }) => name === lock.engine) as Engine;
    const settings = await engine.fresh();
    const service = await start(settings);
    const { token } = service;
    const connections = await openUsed(service, writes + halfSent);
    const release = await lock.take(settings);
    try {
      const text = requestText('POST', '/v1/activities', { token, body: { name: 'under way' } });
      const answers = connections.slice(halfSent).map((connection) => connection.send(text));
      for (const connection of connections.slice(0, halfSent))
        connection.sendPart(text.slice(0, -5));
      // What came before these two reads has reached its handler when they are answered.
      const [probe] = await openUsed(service, 1);
      await probe?.request('GET', '/livez');
      const exit = service.stop();
      await service.logged('"stopping"');
      for (const connection of connections.slice(0, halfSent))
        answers.push(connection.send(text.slice(-5)));
      await release();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses).toEqual(Array(writes + halfSent).fill(200));
      expect(await exit).toBe(0);
    } finally {
      await release();
    }
    const again = await start(settings, token);
    const list = await again.call('GET', '/v1/activities');
    expect(list.body.meta.total).toBe(writes + halfSent);
  });
}

test('no request that was sent before SIGTERM stays unanswered', async () => {
  const figures = await stopRounds(shortly(2));
  expect(figures['rounds']).toBe(2);
  expect(figures['answered']).toBeGreaterThan(2);
});

test('a request that never ends and idle connections hold the exit back no longer than allowed', async () => {
  const ends = async (STOP_WITHIN_MS: string) => {
    const waits = { STOP_WITHIN_MS, HTTP_BODY_MS: '60000', HTTP_IDLE_SECONDS: '240' };
    const service = await start({ DATA_DIR: temporaryFolder(), ...waits });
    const { token } = service;
    const [stuck] = await openUsed(service, 6);
    stuck?.sendPart(
      requestText('POST', '/v1/activities', { token, body: { name: 'x' } }).slice(0, -5),
    );
    await service.call('GET', '/livez');
    return async () => [STOP_WITHIN_MS, await service.stop()];
  };
  const patient = await ends('60000');
  const impatient = await ends('500');
  expect(await Promise.race([patient(), impatient()])).toEqual(['500', 0]);
});

testWith(notLinux, 'SIGTERM to `npm start` ends the service in good order', async () => {
  // What stands behind the line of a shell is the name it goes by.
  const command = ['sh', '-c', 'exec npm --silent start'];
  const npm = spawnServe({ DATA_DIR: temporaryFolder() }, { command });
  await collected(npm.stdout).holds('npx footlight token create');
  const service = innermost(npm.pid);
  try {
    npm.kill('SIGTERM');
    expect(await npm.exited).toBe(0);
    expect(existsSync(`/proc/${service}`)).toBeFalse();
  } finally {
    if (existsSync(`/proc/${service}`)) process.kill(service, 'SIGKILL');
  }
});

async function start(settings: Record<string, string>, token?: string): Promise<ServiceProcess> {
  const service = await startProcess(settings, token === undefined ? {} : { token });
  started.push(service);
  return service;
}

/** Connections that the server has taken: each has had an answer. */
async function openUsed(service: ServiceProcess, count: number): Promise<HttpConnection[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await HttpConnection.open(service.url);
      await connection.request('GET', '/livez');
      return connection;
    }),
  );
}
