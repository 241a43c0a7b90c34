// SIGTERM while the database is away, with viewers, a push and calls under way: the exit is clean, and what is lost is said.
import { afterAll, expect, test } from 'bun:test';
import { locks } from '../../trial/slow-database.ts';
import { newViewers } from '../support/beating-viewers.ts';
import { startClipPush } from '../support/clip-push.ts';
import { type Engine, engines, temporaryFolder } from '../support/engines.ts';
import { isLive, newLiveChannel, until, videosOf } from '../support/live-channel.ts';
import { onDatabase, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type ServiceProcess, startProcess } from '../support/service-process.ts';
import { asking, type DatabaseSettings } from '../support/snapshot.ts';

/** A flush falls into it, so that one is under way when the signal comes. */
const awayMs = 2_500;

/** A way to lose the database. */
interface Loss {
  name: string;
  fresh(): Promise<DatabaseSettings>;
  /** Takes it away; the promise's function brings it back. */
  lose(settings: DatabaseSettings): Promise<() => Promise<void>>;
}

const losses: Loss[] = [
  {
    name: 'PostgreSQL is frozen',
    fresh: freshOnOwnServer,
    lose: async ({ DATABASE_URL }) => {
      const pids = await serverPids(DATABASE_URL);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      return async () => {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
      };
    },
  },
  {
    name: 'PostgreSQL is gone',
    fresh: freshOnOwnServer,
    lose: async ({ DATABASE_URL }) => {
      const [postmaster = 0] = await serverPids(DATABASE_URL);
      process.kill(postmaster, 'SIGQUIT');
      const { port } = new URL(DATABASE_URL);
      const server = servers.find(({ serverUrl }) => new URL(serverUrl).port === port);
      return async () => await server?.crashAndRestart();
    },
  },
  ...locks
    .filter(({ engine }) => engine === 'sqlite')
    .map(({ name, engine, take }) => ({
      name: `another program holds ${name}`,
      fresh: () => (engines.find((one) => one.name === engine) as Engine).fresh(),
      lose: take,
    })),
];

const servers: TestPostgres[] = [];
const started: ServiceProcess[] = [];
afterAll(async () => {
  for (const service of started) await service.kill();
  for (const server of servers) await server.stop();
});

// Mostly they wait: for a flush, and for a database that does not answer.
test.concurrent.each(losses)('SIGTERM ends the service while $name', async ({ fresh, lose }) => {
  const settings = await fresh();
  const service = await start(settings);
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl);
  await until(() => isLive(service, channel.id), { withinMs: 5_000, otherwise: 'not live' });
  const viewers = await newViewers(settings, { channel_id: channel.id, count: 4 });
  const late = viewers.pop();
  for (const viewer of viewers) await viewer.connect(service.url);

  const bringBack = await lose(settings);
  try {
    for (const viewer of viewers) viewer.beat();
    // The moment is the point here: no event is waited for.
    await Bun.sleep(awayMs);
    const underWay = [
      late?.connect(service.url),
      service.call('POST', '/v1/activities', { body: { name: 'never made' } }),
    ].map((call) => Promise.resolve(call).catch(() => undefined));
    for (const viewer of viewers) viewer.beat();
    expect(await service.stop()).toBe(0);
    for (const words of [
      'what viewers came to could not be written before the end',
      'that channels are not live could not be written before the end',
      'a recording could not be made a video yet',
      '"stopped"',
    ])
      expect(service.log()).toContain(words);
    await Promise.all(underWay);
    expect(await push.over).toContain('The service is stopping');
  } finally {
    await bringBack();
  }

  const again = await start(settings, service.token);
  const isVideo = async () => (await videosOf(again, channel.id)).length === 1;
  await until(isVideo, { withinMs: 5_000, otherwise: 'the push has become no video' });
  expect(await isLive(again, channel.id)).toBe(false);
  const sums = await asking(settings, (ask) => ask('SELECT watch_ms, online_ms FROM sessions'));
  expect(sums.map(({ watch_ms, online_ms }) => Number(watch_ms) <= Number(online_ms))).toEqual(
    viewers.map(() => true),
  );
});

async function start(settings: DatabaseSettings, token?: string): Promise<ServiceProcess> {
  const given = { ...settings, DATABASE_DEADLINE_MS: '20000', MIN_FREE_DISK: '10M' };
  const service = await startProcess(given, token === undefined ? {} : { token });
  started.push(service);
  return service;
}

/** The server of the other tests must not be lost. */
async function freshOnOwnServer(): Promise<DatabaseSettings> {
  const server = await startPostgres({ isOwn: true });
  servers.push(server);
  return { DATA_DIR: temporaryFolder(), DATABASE_URL: await server.freshDatabase() };
}

/** The postmaster's first: while it is stopped no backend is added. */
async function serverPids(url: string): Promise<number[]> {
  const { rows } = await onDatabase(url, (client) =>
    client.query<{ pid: number }>(
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid
       UNION ALL SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`,
    ),
  );
  return rows.map(({ pid }) => pid);
}
