// The channels in a database as another program reads them, and what contradicts itself there.
import { DatabaseSync } from 'node:sqlite';
import { sqliteFile } from '../../src/base/db/store.ts';
import { onDatabase } from './postgres.ts';

export interface Snapshot {
  channels: { id: number; name: string; page: Record<string, unknown> }[];
  problems: string[];
}

export type DatabaseSettings = { DATA_DIR: string; DATABASE_URL: string };

type Row = Record<string, unknown>;
type Ask = (text: string) => Promise<Row[]>;

export async function snapshot(settings: DatabaseSettings): Promise<Snapshot> {
  return await asking(settings, async (ask) => {
    const rows = await ask('SELECT * FROM channels ORDER BY id');
    const channels: Snapshot['channels'] = [];
    const problems: string[] = [];
    for (const { id, name, page, stream_key, play_id, live } of rows) {
      const whole = parsedPage(page);
      if (!whole) problems.push(`the page of channel ${id} is not whole: ${page}`);
      if (!stream_key || !play_id) problems.push(`channel ${id} is half made`);
      if (Number(live) !== 0) problems.push(`channel ${id} is shown live and is not`);
      channels.push({ id: Number(id), name: String(name), page: whole ?? {} });
    }
    problems.push(...(await wrongTotals(ask)), ...(await looseKeys(ask)));
    if (settings.DATABASE_URL === '') problems.push(...(await sqliteProblems(ask)));
    return { channels, problems };
  });
}

/** Runs queries on the database the settings name, on a connection of their own. */
export async function asking<T>(
  { DATA_DIR, DATABASE_URL }: DatabaseSettings,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  if (DATABASE_URL !== '')
    return await onDatabase(DATABASE_URL, (client) =>
      work(async (text) => (await client.query<Row>(text)).rows),
    );
  const db = new DatabaseSync(sqliteFile({ dataDir: DATA_DIR }), { readOnly: true });
  try {
    db.exec('PRAGMA busy_timeout = 5000; BEGIN');
    return await work(async (text) => db.prepare(text).all() as Row[]);
  } finally {
    db.close();
  }
}

/** Kept totals and a count must agree both ways: a total that is missing is wrong too. */
async function wrongTotals(ask: Ask): Promise<string[]> {
  const kept = await ask(
    "SELECT account_id, part, part_id, total FROM totals WHERE kind = 'channels'",
  );
  const counted = await ask(`
    SELECT account_id, 'account' AS part, 0 AS part_id, COUNT(*) AS total FROM channels GROUP BY account_id
    UNION ALL
    SELECT account_id, 'manager', manager_id, COUNT(*) FROM channels GROUP BY account_id, manager_id`);
  const named = (rows: Row[]) =>
    new Map(
      rows.map((row) => [
        `${row['account_id']} ${row['part']} ${row['part_id']}`,
        Number(row['total']),
      ]),
    );
  const [keptBy, countedBy] = [named(kept), named(counted)];
  return [...new Set([...keptBy.keys(), ...countedBy.keys()])]
    .filter((part) => (keptBy.get(part) ?? 0) !== (countedBy.get(part) ?? 0))
    .map((part) => `the total of ${part} is ${keptBy.get(part)}, counted ${countedBy.get(part)}`);
}

/** A key is claimed in the transaction that makes its channel. */
async function looseKeys(ask: Ask): Promise<string[]> {
  const rows = await ask(
    'SELECT key FROM idempotency_keys WHERE channel_id NOT IN (SELECT id FROM channels)',
  );
  return rows.map(({ key }) => `the key ${key} names no channel`);
}

async function sqliteProblems(ask: Ask): Promise<string[]> {
  const found = (await ask('PRAGMA integrity_check')).map((row) => String(Object.values(row)[0]));
  const foreign = await ask('PRAGMA foreign_key_check');
  return [
    ...found.filter((line) => line !== 'ok').map((line) => `integrity check: ${line}`),
    ...foreign.map((row) => `foreign key check: ${JSON.stringify(row)}`),
  ];
}

function parsedPage(text: unknown): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(String(text));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
