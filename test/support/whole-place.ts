// All that a service keeps, to be compared with another's: rows by table, files by hash.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backedShapes } from '../../src/backup/backup.ts';
import { backedUp } from '../../src/base/db/backup-tables.ts';
import { atOneMoment } from '../../src/base/db/database-copy.ts';
import { type Row, rowsOf } from '../../src/base/db/table-rows.ts';
import { tableShapes } from '../../src/base/db/table-shape.ts';
import type { DatabaseSettings } from './snapshot.ts';

/** The rows of every table that a backup has, in the order of their keys as JavaScript sorts them. */
export async function allRows({
  DATA_DIR,
  DATABASE_URL,
}: DatabaseSettings): Promise<Record<string, string[]>> {
  const settings = { dataDir: DATA_DIR, databaseUrl: DATABASE_URL };
  return await atOneMoment({ ...settings, deadlineMs: 10_000, connectionsMax: 1 }, async (sql) => {
    const all: Record<string, string[]> = {};
    for (const shape of backedShapes(await tableShapes(sql))) {
      const rows: Row[] = [];
      for await (const some of rowsOf(sql, shape, backedUp[shape.name])) rows.push(...some);
      // Engines sort text differently.
      all[shape.name] = rows.map(shown).sort();
    }
    return all;
  });
}

function shown(row: Row): string {
  return JSON.stringify(row.map((value) => (value instanceof Uint8Array ? hashOf(value) : value)));
}

/** By name within the folder of recordings. */
export function allFiles({ DATA_DIR }: DatabaseSettings): Record<string, string> {
  const root = join(DATA_DIR, 'recordings');
  const found = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return Object.fromEntries(
    paths.sort().map((path) => [path.slice(root.length + 1), hashOf(readFileSync(path))]),
  );
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
