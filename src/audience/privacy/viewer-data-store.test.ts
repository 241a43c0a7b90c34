// One viewer's data: the export has all of it, the erasure leaves none, and nobody else loses anything.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { bringSessions, expectExactBlocks } from '../../../test/support/past-sessions.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { createAccount } from '../../library/access/account-store.ts';
import { keyOfListed } from '../../library/admission/access-code.ts';
import { setListed } from '../../library/admission/access-key-store.ts';
import { register } from '../../library/admission/registration-store.ts';
import { createChannel } from '../../library/channels/channel-store.ts';
import { countShare } from '../records/audience-store.ts';
import { eraseViewerEverywhere, viewerTables } from './viewer-data-store.ts';
import { openViewerExport } from './viewer-export.ts';

const start = Date.UTC(2026, 0, 1);
const ada = { account_id: 1, viewer_id: 'ada' };
const now = start + 60_000;

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const channels = [await newChannel(store), await newChannel(store), await newChannel(store)];
    const [first = 0, second = 0] = channels;
    const elsewhere = await channelOfAnother(store);
    for (const channel_id of [first, second, elsewhere]) await addTraces(store, channel_id);
    afterAll(() => store.close());

    test('no table that names a viewer is forgotten', async () => {
      const columns = {
        sqlite: `SELECT m.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'viewer_id'
          WHERE m.type = 'table'`,
        postgres: `SELECT table_name AS name FROM information_schema.columns
          WHERE column_name = 'viewer_id' AND table_schema = current_schema()`,
      };
      const tables = await store.all<{ name: string }>(columns[engine.name]);
      expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(viewerTables).sort());
    });

    test('the export has every value of every row of the viewer in the account, and no other', async () => {
      const lines = linesOf(await textOf(store, ada));
      const wanted: Record<string, unknown>[] = [];
      for (const channel_id of [first, second]) {
        for (const [table, key] of Object.entries(viewerTables)) {
          const rows = await store.all<Record<string, unknown>>(
            `SELECT * FROM ${table} WHERE channel_id = $1 AND viewer_id = 'ada' ORDER BY ${key}`,
            [channel_id],
          );
          expect(rows.length).toBeGreaterThan(0);
          wanted.push(...rows.map((row) => ({ table, ...row })));
        }
      }
      for (const channel_id of [first, second])
        for (const key of ['+44', 'ada'].map(keyOfListed))
          wanted.push({
            table: 'access_keys',
            ...(await store.one<Record<string, unknown>>(
              'SELECT * FROM access_keys WHERE channel_id = $1 AND key = $2',
              [channel_id, key],
            )),
          });
      expect(lines.map(withNumbers)).toEqual(wanted);
      expect(lines.find(({ table }) => table === 'chat_messages')?.['sent_at']).toBe(
        '2026-01-01T00:00:05.250Z',
      );
    });

    test('of one channel it has that channel alone', async () => {
      const lines = linesOf(await textOf(store, { ...ada, channel_id: second }));
      expect(new Set(lines.map(({ channel_id }) => channel_id))).toEqual(new Set([second]));
    });

    test('of more rows than a piece holds each comes once', async () => {
      const channel_id = await newChannel(store);
      const list = Array.from({ length: 1_100 }, (_, at) => ({
        record_id: at,
        viewer_id: 'often',
        entered_at: start + at * 1_000,
      }));
      await bringSessions(store, channel_id, list);
      const lines = linesOf(await textOf(store, { account_id: 1, viewer_id: 'often' }));
      const sessions = lines.filter(({ table }) => table === 'sessions');
      expect(sessions.map(({ external_id }) => Number(external_id))).toEqual(
        list.map(({ record_id }) => record_id),
      );
    });

    test('the erasure of one channel leaves the other', async () => {
      expect(await eraseViewerEverywhere(store, { ...ada, channel_id: first, now })).toEqual([
        {
          channel_id: first,
          records: 3,
          message_ids: [1, 3],
          silences: 2,
          registrations: 2,
          lists: 2,
        },
      ]);
      expect(await tracesOf(store, 'ada')).toEqual({ [second]: 10, [elsewhere]: 10 });
    });

    test('the erasure of the account leaves nothing of it, and everything of others', async () => {
      const bob = await tracesOf(store, 'bob');
      expect(await eraseViewerEverywhere(store, { ...ada, now })).toEqual([
        {
          channel_id: second,
          records: 3,
          message_ids: [1, 3],
          silences: 2,
          registrations: 2,
          lists: 2,
        },
      ]);
      expect(await tracesOf(store, 'ada')).toEqual({ [elsewhere]: 10 });
      expect(await tracesOf(store, 'bob')).toEqual(bob);
      expect(await listedIn(store)).toEqual({ [first]: 1, [second]: 1, [elsewhere]: 3 });
      for (const channel_id of channels) await expectExactBlocks(store, channel_id);
      expect(await textOf(store, ada)).toBe('');
      expect(await eraseViewerEverywhere(store, { ...ada, now })).toEqual([]);
    });
  });
}

/**
 * Two sessions, a visitor, two messages, a mute, a ban, a share and two forms of ada, and a list that has her twice; a session, a
 * visitor, a message and a form of bob.
 */
async function addTraces(store: Store, channel_id: number): Promise<void> {
  await bringSessions(store, channel_id, [
    { record_id: 1, viewer_id: 'ada', entered_at: start, watch_ms: 90_000, phone: '+44' },
    { record_id: 2, viewer_id: 'bob', entered_at: start + 1_000, watch_ms: 90_000 },
    { record_id: 3, viewer_id: 'ada', entered_at: start + 2_000, ip: '203.0.113.9' },
  ]);
  for (const [at, viewer_id] of ['ada', 'bob', 'ada'].entries())
    await store.run(
      `INSERT INTO chat_messages (channel_id, id, viewer_id, nick, text, sent_at)
       VALUES ($1, $2, $3, 'nick', 'hello', $4)`,
      [channel_id, at + 1, viewer_id, start + 5_250 + at],
    );
  for (const kind of ['mute', 'ban'])
    await store.run(
      `INSERT INTO chat_silences (channel_id, viewer_id, kind, until, created_at)
       VALUES ($1, 'ada', $2, $3, $4)`,
      [channel_id, kind, kind === 'ban' ? null : start + 60_000, start],
    );
  await store.perform(countShare, { channel_id, viewer_id: 'ada', at: start + 9_000 });
  const list = ['Ada ', '+44', 'bob'];
  await setListed(store, { channel_id, thing: `c${channel_id}` }, { list, now: start });
  for (const [viewer_id, thing] of [
    ['ada', `c${channel_id}`],
    ['ada', `v${channel_id}`],
    ['bob', `c${channel_id}`],
  ] as const)
    await store.perform(register, {
      ...{ channel_id, viewer_id, thing, id: `${viewer_id} ${thing}`, now: start },
      ...{ names: ['company', 'news'], answers: { company: 'ACME', news: true } },
    });
}

/** How many names the lists of each channel have. */
async function listedIn(store: Store): Promise<Record<number, number>> {
  const rows = await store.all<{ channel_id: number; count: number }>(
    'SELECT channel_id, COUNT(*) AS count FROM access_keys GROUP BY channel_id',
  );
  return Object.fromEntries(rows.map(({ channel_id, count }) => [channel_id, Number(count)]));
}

async function channelOfAnother(store: Store): Promise<number> {
  const account_id = await store.perform(createAccount, {
    name: 'other',
    plan: 'standard',
    now: 0,
  });
  const { row } = await store.perform(createChannel, {
    owner: { account_id, manager_id: 0 },
    name: 'channel',
    manager_id: 0,
    page: { set: {}, clear: [] },
    now: 0,
    idempotency: undefined,
  });
  return row.id;
}

/** How many rows of a viewer each channel has. */
async function tracesOf(store: Store, viewer_id: string): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const table of Object.keys(viewerTables)) {
    const rows = await store.all<{ channel_id: number }>(
      `SELECT channel_id FROM ${table} WHERE viewer_id = $1`,
      [viewer_id],
    );
    for (const { channel_id } of rows) counts[channel_id] = (counts[channel_id] ?? 0) + 1;
  }
  return counts;
}

async function textOf(
  store: Store,
  query: Parameters<typeof openViewerExport>[1],
): Promise<string> {
  const pieces = await openViewerExport(store, query);
  let text = '';
  for (let piece = await pieces(); piece !== undefined; piece = await pieces()) text += piece;
  return text;
}

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A line with its instants, and what is kept as JSON, as the database keeps them. */
function withNumbers(line: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(line).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
        ? Date.parse(value)
        : asKept(value),
    ]),
  );
}

function asKept(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
