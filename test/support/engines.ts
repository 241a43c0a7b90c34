// Both database engines, for tests that must hold on either.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteFile } from '../../src/base/db/store.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

export interface Engine {
  name: 'sqlite' | 'postgres';
  /**
   * Settings of an empty database: a temporary folder, and on PostgreSQL a new database. With `mayHaveTables` a
   * copy of the one whose tables the run has made (`test/run.ts`), where there is one.
   */
  fresh(order?: { mayHaveTables: boolean }): Promise<{ DATA_DIR: string; DATABASE_URL: string }>;
}

export const engines: readonly Engine[] = [
  {
    name: 'sqlite',
    fresh: async ({ mayHaveTables } = { mayHaveTables: false }) => {
      const dataDir = temporaryFolder();
      const copied = process.env['TEST_SQLITE_TEMPLATE'];
      if (mayHaveTables && copied) copyFileSync(copied, sqliteFile({ dataDir }));
      return { DATA_DIR: dataDir, DATABASE_URL: '' };
    },
  },
  {
    name: 'postgres',
    fresh: async ({ mayHaveTables } = { mayHaveTables: false }) => ({
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: await (await postgres()).freshDatabase(
        mayHaveTables ? process.env['TEST_DATABASE_TEMPLATE'] : undefined,
      ),
    }),
  },
];

const shared: { postgres?: Promise<TestPostgres>; folders: string[] } = { folders: [] };

/** The server of the whole run (`test/run.ts`); a file that is run alone starts one with the first test that needs it. */
export function postgres(): Promise<TestPostgres> {
  shared.postgres ??= startPostgres();
  return shared.postgres;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footlight-test-'));
  shared.folders.push(folder);
  return folder;
}

/** Called when every test of a file has run. */
export async function cleanUp(): Promise<void> {
  if (shared.postgres) await (await shared.postgres).stop();
  for (const folder of shared.folders) rmSync(folder, { recursive: true, force: true });
}
