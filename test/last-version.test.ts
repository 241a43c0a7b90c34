// The data of the last version that people have, started by this one: everything is there, and answered as it was.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../src/base/db/migrations.ts';
import { migrateDatabase, sqliteFile } from '../src/base/db/store.ts';
import { startLog } from '../src/base/lib/log.ts';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/main.ts';
import { type Engine, engines } from './support/engines.ts';
import { patientSettings } from './support/patient-settings.ts';
import { onDatabase } from './support/postgres.ts';
import type { DatabaseSettings } from './support/snapshot.ts';

const fixture = join(import.meta.dir, 'fixtures/last-version');
const { version, made_at, answers } = JSON.parse(
  readFileSync(join(fixture, 'answers.json'), 'utf8'),
) as {
  version: string;
  made_at: number;
  answers: { method: string; path: string; body?: unknown; token: string; answer: object }[];
};
const hourMs = 3_600_000;

for (const engine of engines)
  describe(`data of ${version} on ${engine.name}`, () => {
    let service: Service;
    let url = '';
    beforeAll(async () => {
      const database = await upgraded(engine);
      const config = readConfig({
        HOST: '127.0.0.1',
        PORT: '0',
        RTMP_PORT: '0',
        ...patientSettings,
        ...database,
      });
      // Not much later: what was deleted then can still be restored.
      const startedAt = performance.now();
      const now = () => made_at + hourMs + Math.floor(performance.now() - startedAt);
      service = await startService(config, { log: startLog('silent'), now });
      url = `http://127.0.0.1:${service.port}`;
    });
    afterAll(() => service.stop());

    test('no first account is made: there is one', () => {
      expect(service.firstToken).toBeUndefined();
    });

    test.each(answers)('$method $path is answered as it was', async (asked) => {
      const { method, path, body, token, answer } = asked;
      const response = await fetch(url + path, {
        method,
        headers: {
          host: 'live.example.com',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(response.status).toBe(200);
      // A later version may tell more, and never less or otherwise.
      expect(withoutPort(await response.json())).toMatchObject(withoutPort(answer));
    });

    test.each(['index.m3u8', 'video.mp4', 'cover.jpg'])(
      'the recording has its %s',
      async (file) => {
        const response = await fetch(`${url}/recordings/1/${file}`);
        expect(response.status).toBe(200);
        expect((await response.bytes()).length).toBeGreaterThan(100);
      },
    );
  });

/** RTMP addresses have the port, and it is a free one each time. */
function withoutPort(value: unknown): object {
  return JSON.parse(JSON.stringify(value).replaceAll(/(rtmp:\/\/[^/]+):\d+/g, '$1'));
}

/** The data as it was left, on SQLite; on PostgreSQL its rows in the tables that the same steps make there. */
async function upgraded(engine: Engine): Promise<DatabaseSettings> {
  const database = await engine.fresh();
  const archive = join(fixture, 'data.tar.gz');
  const unpacked = Bun.spawnSync(['tar', '-xzf', archive, '-C', database.DATA_DIR]);
  if (unpacked.exitCode !== 0) throw new Error(unpacked.stderr.toString());
  if (database.DATABASE_URL === '') return database;
  const old = new DatabaseSync(sqliteFile({ dataDir: database.DATA_DIR }), { readOnly: true });
  try {
    await broughtToPostgres(old, database);
  } finally {
    old.close();
  }
  return database;
}

async function broughtToPostgres(old: DatabaseSync, database: DatabaseSettings): Promise<void> {
  const [{ steps = 0 } = {}] = old.prepare('SELECT COUNT(*) AS steps FROM migrations').all();
  const settings = { dataDir: database.DATA_DIR, databaseUrl: database.DATABASE_URL };
  await migrateDatabase(
    { ...settings, deadlineMs: 60_000, connectionsMax: 1 },
    migrations.slice(0, Number(steps)),
  );
  await onDatabase(database.DATABASE_URL, async (client) => {
    const { rows } = await client.query<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    );
    // Tables in any order: what one row names in another is there in the end.
    await client.query("SET session_replication_role = 'replica'");
    const made = await client.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND is_generated = 'ALWAYS'`,
    );
    const isGiven = (name: string) => !made.rows.some((one) => one.name === name);
    for (const { tablename } of rows) {
      await client.query(`DELETE FROM "${tablename}"`);
      for (const row of old.prepare(`SELECT * FROM "${tablename}"`).all()) {
        const given = Object.entries(row).filter(([column]) => isGiven(`${tablename}.${column}`));
        const columns = given.map(([column]) => `"${column}"`);
        const places = given.map((_, at) => `$${at + 1}`);
        await client.query(
          `INSERT INTO "${tablename}" (${columns}) VALUES (${places})`,
          given.map(([, value]) => value),
        );
      }
    }
    await client.query("SET session_replication_role = 'origin'");
    const ids = await client.query<{ t: string; s: string }>(
      `SELECT table_name AS t, pg_get_serial_sequence(table_name, column_name) AS s
       FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'`,
    );
    for (const { t, s } of ids.rows)
      await client.query(`SELECT setval('${s}', COALESCE((SELECT MAX(id) FROM "${t}"), 0) + 1)`);
  });
}
