// The PostgreSQL of a cluster: npm's, with its data in the cluster's folder and a password of its own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { binariesFolder, onDatabase, runPostgres } from '../test/support/postgres.ts';
import { Unable } from './places.ts';
import type { Processes } from './processes.ts';

const databaseName = 'footlight';
/** Three services of 20 each, commands and who looks into it. */
const connections = 100;
const logTailChars = 2_000;

/** Its address, password included. */
export async function startDatabase(folder: string, processes: Processes) {
  const data = join(folder, 'postgres');
  const log = join(folder, 'postgres.log');
  mkdirSync(data, { recursive: true });
  const binaries = binariesFolder();
  checkUser(binaries, folder);
  const password = keptPassword(join(folder, 'postgres-password'));
  const server = await runPostgres({
    data,
    binaries,
    port: await freePort(),
    password,
    settings: { max_connections: connections, log_checkpoints: 'off' },
    endSignal: 'SIGINT',
    isDetached: true,
    log,
  }).catch((error: Error) => {
    throw new Unable(`${error.message}: ${readFileSync(log, 'utf8').slice(-logTailChars)}`);
  });
  processes.add('store', server);
  const known = await onDatabase(server.address('postgres'), (client) =>
    client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]),
  );
  if (known.rowCount === 0)
    await onDatabase(server.address('postgres'), (client) =>
      client.query(`CREATE DATABASE ${databaseName}`),
    );
  return { url: server.address(databaseName), exited: server.exited };
}

/** Anybody on this machine may connect: who may do what they like there may run programs as its user. */
function keptPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const password = crypto.randomUUID();
    writeFileSync(file, password, { mode: 0o600 });
    return password;
  }
}

/** PostgreSQL refuses root; as `nobody` it must be able to enter both folders. */
function checkUser(binaries: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const nobody = 65_534;
  const asNobody = { uid: nobody, gid: nobody, cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
  for (const place of [binaries, folder])
    if (!Bun.spawnSync(['ls', '-d', join(place, '.')], asNobody).success)
      throw new Unable(
        `PostgreSQL does not run as root, and the user nobody may not enter ${place}: do this as another user, or in a checkout that everybody may enter`,
      );
}
