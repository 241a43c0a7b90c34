// A PostgreSQL of the benchmarks' own: its data stays in a folder, and it forces commits to disk.
import { totalmem } from 'node:os';
import { freePort } from '../../test/support/free-port.ts';
import {
  binariesFolder,
  onDatabase,
  type PostgresServer,
  runPostgres,
} from '../../test/support/postgres.ts';

export interface BenchPostgres {
  /** Absent where the server is not ours to look at. */
  pid?: number;
  /** The address of a database, which is made where it is absent. */
  database(name: string): Promise<string>;
  /** The address of a database that is made anew. */
  emptyDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the server on a folder that an earlier run may have made; `wrap` may bind its command to a core. */
export async function startBenchPostgres(
  folder: string,
  wrap = (command: string[]) => command,
): Promise<BenchPostgres> {
  const server = await runPostgres({
    data: folder,
    binaries: binariesFolder(),
    port: await freePort(),
    settings: {
      shared_buffers: `${sharedBuffersMb()}MB`,
      maintenance_work_mem: '512MB',
      // Room between checkpoints, so that one does not fall into every round.
      max_wal_size: '8GB',
      fsync: 'on',
    },
    endSignal: 'SIGINT',
    wrap,
    log: `${folder}.log`,
  });
  const { pid, stop } = server;
  return {
    pid,
    stop,
    database: (name) => database(server, name),
    emptyDatabase: async (name) => {
      await onDatabase(server.address('postgres'), (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name}`),
      );
      return await database(server, name);
    },
  };
}

/** A quarter of the memory, as PostgreSQL's manual advises for a server of its own, up to 4 GB. */
function sharedBuffersMb(): number {
  return Math.min(4_096, Math.floor(totalmem() / 4 / 1_048_576));
}

async function database(server: PostgresServer, name: string): Promise<string> {
  await onDatabase(server.address('postgres'), async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
  });
  return server.address(name);
}
