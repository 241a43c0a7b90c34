// Codes in the database: each is found by its own key, however many there are beside it.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Sql } from '../../base/db/sql.ts';
import { keyOfCode, newCode } from './access-code.ts';
import { addCodes, listCodes, removeCode } from './access-key-store.ts';
import { channelThing } from './admission.ts';

for (const engine of engines)
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    test('a code is taken back by its id, and no other is', async () => {
      const channel_id = await newChannel(store);
      const place = { channel_id, thing: channelThing(channel_id) };
      const codes = Array.from({ length: 500 }, () => keyOfCode('of the test', newCode()));
      await addCodes(store, { ...place, codes, note: '', uses_max: 1, now: 0 });
      const [{ id: first } = { id: '' }] = codes;
      for (const id of ['', first.slice(0, 1), `${first}0`, first.toUpperCase(), '%'])
        if (id !== first) expect(await removeCode(store, place, id)).toBe(false);
      for (const { id } of codes.slice(0, 20)) {
        expect(await removeCode(store, { ...place, thing: channelThing(0) }, id)).toBe(false);
        expect(await removeCode(store, place, id)).toBe(true);
        expect(await removeCode(store, place, id)).toBe(false);
      }
      const left = { account_id: 1, ...place, limit: 500, offset: 0 };
      const { rows } = await store.perform(listCodes, left);
      expect(rows.map(({ key }) => key)).toEqual(
        codes
          .slice(20)
          .map(({ key }) => key)
          .toSorted(),
      );
    });

    test('what is read to find it does not grow with the codes that there are', async () => {
      const plans: unknown[] = [];
      const run: Sql['run'] = async (text, params) => {
        const explain = engine.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
        // PostgreSQL walks through a table that is as small as here.
        if (engine.name === 'postgres') await store.run('SET enable_seqscan = off');
        plans.push(...(await store.all(`${explain} ${text}`, params)));
        return await store.run(text, params);
      };
      const sql = { dialect: store.dialect, run } as Sql;
      await removeCode(sql, { channel_id: 1, thing: channelThing(1) }, '0123456789abcdef');
      expect(JSON.stringify(plans)).toMatch(/key>\? AND key<\?|key >= '?code 0123456789abcdef/);
    });
  });
