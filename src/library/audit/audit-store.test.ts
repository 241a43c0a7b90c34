// The audit log page by page against the plain truth, its sweep, and what its statements look at, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { auditLimits } from './audit-limits.ts';
import type { AuditNote } from './audit-note.ts';
import { readAudit } from './audit-reading.ts';
import { type AuditCursor, type AuditQuery, addNote } from './audit-store.ts';
import { removeOldRows } from './audit-sweep.ts';

const dayMs = 86_400_000;

interface Row {
  at: number;
  person: number;
  token: number;
  channel: number;
  group: 'channels' | 'chat' | 'tokens';
  name: string;
}

const someRows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: 20 }),
    person: fc.constantFrom(0, 1, 2),
    token: fc.constantFrom(0, 3),
    channel: fc.constantFrom(0, 12, 13),
    group: fc.constantFrom('channels', 'chat', 'tokens'),
    name: fc.constantFrom('Anna', 'ÅSE', 'shop %_', ''),
  }),
  { maxLength: 40 },
);

const someQuery = fc.record(
  {
    person: fc.constantFrom(1, 2, 9),
    token: fc.constantFrom(3),
    channel: fc.constantFrom(12, 13),
    group: fc.constantFrom('channels', 'chat'),
    since: fc.integer({ min: 1, max: 20 }),
    until: fc.integer({ min: 1, max: 20 }),
    q: fc.constantFrom('anna', 'åse', '%_', 'none'),
  },
  { requiredKeys: [] },
);

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    let account = 100;

    test('every filter shows those rows that fit, each once, the newest first', async () => {
      await fc.assert(
        fc.asyncProperty(
          someRows,
          someQuery,
          fc.integer({ min: 1, max: 7 }),
          async (rows, query, limit) => {
            const account_id = account++;
            for (const row of rows) await store.perform(addNote, noteOf(row, account_id));
            const found = await allPages(store, { ...query, account_id, limit });
            const wanted = rows.filter((row) => fits(row, query));
            expect(found.map(shownRow).sort()).toEqual(wanted.map(plainRow).sort());
            const order = found.map(({ at, id }) => [at, id] as const);
            const newestFirst = order.toSorted((a, b) => b[0] - a[0] || b[1] - a[1]);
            expect(order).toEqual(newestFirst);
          },
        ),
        { numRuns: 25 },
      );
    });

    test('what fits seldom is looked for in bounded looks, and found further on', async () => {
      const account_id = account++;
      const count = 3 * auditLimits.rowsPerLook;
      await addMany(store, account_id, count);
      const rare = { at: 2, person: 1, token: 0, channel: 0, group: 'chat', name: 'rare' } as const;
      await store.perform(addNote, { ...noteOf(rare, account_id), at: 0 });
      const query: AuditQuery = { account_id, q: 'rare', limit: 5 };
      expect((await readAudit(store, query)).rows.length).toBe(1);
      expect((await allPages(store, { account_id, limit: 200 })).length).toBe(count + 1);
    });

    test('each filter alone is led by an index, in the order that is shown', async () => {
      const account_id = account++;
      await addMany(store, account_id, 2_000);
      await store.run('ANALYZE');
      const filters = ['person_id = 1 AND person_id <> 0', 'of_channel = 5 AND of_channel <> 0'];
      for (const filter of ['1 = 1', "op_group = 'channels'", ...filters]) {
        const text = `SELECT * FROM audit_log WHERE account_id = ${account_id} AND ${filter}
          AND (at, id) < (900, 0) ORDER BY at DESC, id DESC LIMIT 50`;
        const plan = JSON.stringify(
          await store.all(
            engine.name === 'sqlite' ? `EXPLAIN QUERY PLAN ${text}` : `EXPLAIN ${text}`,
          ),
        );
        expect(plan).toMatch(/audit_by_\w+/);
        expect(plan).not.toMatch(/TEMP B-TREE|Seq Scan|"Sort/);
      }
    });

    test('old rows go in steps, of every account, and 0 keeps them for ever', async () => {
      const now = 10 * dayMs;
      const [one, other] = [account++, account++];
      await addMany(store, one, 2 * auditLimits.rowsPerSweep + 5);
      const young = { person: 1, token: 0, channel: 0, group: 'chat', name: '' } as const;
      for (const account_id of [one, other])
        await store.perform(addNote, noteOf({ ...young, at: now - dayMs }, account_id));
      const days = (auditDays: number) => removeOldRows({ store, now: () => now, auditDays });
      const left = async (account_id: number) =>
        (await allPages(store, { account_id, limit: 200 })).length;
      await days(0);
      expect(await left(one)).toBe(2 * auditLimits.rowsPerSweep + 6);
      await days(2);
      expect([await left(one), await left(other)]).toEqual([1, 1]);
      await days(0.5);
      expect([await left(one), await left(other)]).toEqual([0, 0]);
    });
  });
}

function noteOf({ at, person, token, channel, group, name }: Row, account_id: number): AuditNote {
  return {
    at,
    via: 'interface',
    account_id,
    who: { person_id: person, token_id: token, name, manager_id: 0, manager_username: '' },
    operation: 'any',
    group,
    target: undefined,
    of_channel: channel,
    fields: [],
    told: {},
    address: '',
  };
}

/** At the milliseconds from 1 on, of the channels from 1 on. */
async function addMany(store: Store, account_id: number, count: number): Promise<void> {
  await store.run(
    `INSERT INTO audit_log (account_id, at, via, person_id, token_id, who_name, manager_id, manager_username,
       operation, op_group, target_kind, target_id, target_name, of_channel, fields, told, address, folded, times)
     WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
     SELECT ${account_id}, n, 'console', n % 9, 0, '', 0, '', 'any', 'channels', '', 0, '', n % 20, '[]', '{}', '',
       'often', 1 FROM n`,
  );
}

async function allPages(store: Store, query: AuditQuery) {
  const rows = [];
  let before: AuditCursor | undefined;
  do {
    const page = await readAudit(store, { ...query, before });
    rows.push(...page.rows);
    before = page.next;
  } while (before);
  return rows;
}

function fits(row: Row, query: Omit<AuditQuery, 'account_id' | 'limit'>): boolean {
  const { person, token, channel, group, since = 0, until = 99, q = '' } = query;
  return (
    (person === undefined || row.person === person) &&
    (token === undefined || row.token === token) &&
    (channel === undefined || row.channel === channel) &&
    (group === undefined || row.group === group) &&
    row.at >= since &&
    row.at <= until &&
    row.name.toLowerCase().includes(q)
  );
}

function plainRow({ at, person, token, channel, group, name }: Row): string {
  return [at, person, token, channel, group, name].join(' ');
}

function shownRow(row: Awaited<ReturnType<typeof allPages>>[number]): string {
  const { at, person_id, token_id, of_channel, op_group, who_name } = row;
  return [at, person_id, token_id, of_channel, op_group, who_name].join(' ');
}
