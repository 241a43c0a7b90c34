// Channels with large audiences, made set by set inside one database and kept for the next run.
import { recountBlocks } from '../../src/audience/records/block-count-store.ts';
import type { AudienceKind } from '../../src/audience/records/block-counts.ts';
import type { AnyOperation, Dialect, Store } from '../../src/base/db/sql.ts';
import { openCommandStore, type StoreSettings } from '../../src/base/db/store.ts';
import { createFirstAccount } from '../../src/library/access/account-store.ts';
import { createChannel } from '../../src/library/channels/channel-store.ts';

/** A channel by the number of its sessions; visitors are as many, because here nobody comes twice. */
export interface Crowd {
  channel_id: number;
  sessions: number;
}

/** Channels are numbered in the order they are made. */
export function crowdsOf(sessionCounts: readonly number[]): Crowd[] {
  return sessionCounts.map((sessions, at) => ({ channel_id: at + 1, sessions }));
}

/** All channels have their entries spread over the same thirty days. */
export const firstEntryAt = Date.UTC(2026, 3, 1);
export const spanMs = 30 * 24 * 3_600_000;

/** A change to what is made below needs a new number, so that kept rows are made anew. */
const recipe = 2;
const recipeMark = 'bench_paging_recipe';
/** Rows of one statement: few enough for SQLite's log to stay small. */
const rowsPerInsert = 1_000_000;

/** Whether the database holds every row of this recipe. */
export async function isMade(settings: StoreSettings): Promise<boolean> {
  const store = await openCommandStore(settings, []);
  try {
    const mark = await store.one<{ value: number }>('SELECT value FROM marks WHERE name = $1', [
      recipeMark,
    ]);
    return mark?.value === recipe;
  } finally {
    await store.close();
  }
}

/** Fills an empty database. */
export async function makePagingData(
  settings: StoreSettings,
  crowds: readonly Crowd[],
): Promise<void> {
  const operations = [createFirstAccount, createChannel] as unknown as AnyOperation[];
  const store = await openCommandStore(settings, operations);
  try {
    if (store.dialect === 'sqlite') await store.one('PRAGMA cache_size = -1000000');
    await makeChannels(store, crowds);
    const indexes = await dropIndexes(store);
    for (const crowd of crowds) {
      for (let first = 1; first <= crowd.sessions; first += rowsPerInsert)
        await addSessions(store, crowd, first);
      await addVisitors(store, crowd);
    }
    for (const { sql } of indexes) await store.run(sql);
    for (const crowd of crowds) await finishChannel(store, crowd);
    if (store.dialect === 'postgres') await store.run('VACUUM ANALYZE');
    await store.run('INSERT INTO marks (name, value) VALUES ($1, $2)', [recipeMark, recipe]);
  } finally {
    await store.close();
  }
}

async function makeChannels(store: Store, crowds: readonly Crowd[]): Promise<void> {
  const now = firstEntryAt;
  await store.perform(createFirstAccount, { now });
  for (const { channel_id, sessions } of crowds) {
    const order = { owner: { account_id: 1, manager_id: 0 }, manager_id: 0, now };
    const page = { set: {}, clear: [] };
    const name = `${sessions} sessions`;
    const { row } = await store.perform(createChannel, {
      ...order,
      name,
      page,
      idempotency: undefined,
    });
    if (row.id !== channel_id) throw new Error(`channel ${row.id} came for ${name}`);
  }
}

interface Index {
  name: string;
  sql: string;
}

/** Indexes beside the primary keys are made after the rows: much faster, and the same in the end. */
async function dropIndexes(store: Store): Promise<Index[]> {
  const indexes = await store.all<Index>(
    store.dialect === 'sqlite'
      ? `SELECT name, sql FROM sqlite_master
         WHERE type = 'index' AND tbl_name IN ('sessions', 'visitors') AND sql IS NOT NULL`
      : `SELECT indexname AS name, indexdef AS sql FROM pg_indexes
         WHERE tablename IN ('sessions', 'visitors') AND indexname NOT LIKE '%_pkey'`,
  );
  for (const { name } of indexes) await store.run(`DROP INDEX ${name}`);
  return indexes;
}

async function addSessions(
  store: Store,
  { channel_id, sessions }: Crowd,
  first: number,
): Promise<void> {
  const last = Math.min(sessions, first + rowsPerInsert - 1);
  const { series, hex } = words[store.dialect];
  // Odd multiplier, so within 32 bits each number has a scattered number of its own.
  const scattered = '(n * 2654435761 % 4294967296)';
  await store.run(
    `INSERT INTO sessions (channel_id, seq, record_id, viewer_id, nick, addr, phone, device, browser,
       origin, ip, entered_at, last_seen_at, online_ms, watch_ms, credited_until)
     SELECT ${channel_id}, n, n, 'viewer-' || ${hex('s')}, 'Viewer ' || CAST(n AS TEXT),
       ${oneOf('s / 64', ['广东省深圳市', '北京市', '上海市', '浙江省杭州市', 'Germany', ''])},
       CASE WHEN s % 4 = 0 THEN '138' || CAST(10000000 + s % 90000000 AS TEXT) ELSE '' END,
       ${oneOf('s / 512', ['iPhone', 'Android', 'Windows', 'Mac'])},
       ${oneOf('s / 4096', ['WeChat', 'Chrome 126', 'Safari 17', 'Edge 125', 'Firefox 127'])},
       ${oneOf('s / 128', ['', 'example.com', 'news.example.org'])},
       '203.0.' || CAST(s / 256 % 256 AS TEXT) || '.' || CAST(s % 256 AS TEXT),
       entered, entered + watched + 5000, watched + 5000, watched, entered + watched
     FROM (
       SELECT n, s, entered, ${watched('s / 65536', 's')} AS watched
       FROM (
         SELECT n, ${scattered} AS s, ${firstEntryAt} + n * ${spanMs} / ${sessions} AS entered
         FROM (${series(first, last)}) numbers
       ) entries
     ) sessions`,
  );
}

/** Seven in ten watched, from a second to an hour; the others left before the first second was over. */
function watched(chance: string, scattered: string): string {
  return `CASE WHEN (${chance}) % 10 < 7 THEN 1000 + (${scattered}) % 3600000 ELSE (${scattered}) % 1000 END`;
}

function oneOf(number: string, texts: readonly string[]): string {
  const cases = texts.map((text, at) => `WHEN ${at} THEN '${text}'`).join(' ');
  return `CASE (${number}) % ${texts.length} ${cases} END`;
}

async function addVisitors(store: Store, { channel_id }: Crowd): Promise<void> {
  await store.run(
    `INSERT INTO visitors (channel_id, seq, viewer_id, nick, addr, phone, device, browser, referer,
       last_ip, first_entered_at, last_seen_at, watch_ms, credited_until, visit_times, share_times,
       comment_count)
     SELECT channel_id, seq, viewer_id, nick, addr, phone, device, browser, origin, ip, entered_at,
       last_seen_at, watch_ms, credited_until, 1, seq % 2, seq % 7
     FROM sessions WHERE channel_id = ${channel_id} ORDER BY seq`,
  );
}

/** Counts its blocks and tells the allocator of numbers where to go on. */
async function finishChannel(store: Store, { channel_id, sessions }: Crowd): Promise<void> {
  for (const kind of ['session', 'visitor'] satisfies AudienceKind[])
    await recountBlocks(store, { channel_id, kind, fromSeq: 0 });
  await store.run(
    `INSERT INTO channel_audience (channel_id, next_session_seq, next_visitor_seq, last_entry_at, numbering)
     VALUES ($1, $2, $2, $3, 0)`,
    [channel_id, sessions + 1, firstEntryAt + spanMs],
  );
}

const words: Record<
  Dialect,
  { series(first: number, last: number): string; hex(number: string): string }
> = {
  sqlite: {
    series: (first, last) =>
      `WITH RECURSIVE series (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM series WHERE n < ${last})
       SELECT n FROM series`,
    hex: (number) => `printf('%08x', ${number})`,
  },
  postgres: {
    series: (first, last) => `SELECT n FROM generate_series(${first}, ${last}) AS n`,
    hex: (number) => `lpad(to_hex(${number}), 8, '0')`,
  },
};
