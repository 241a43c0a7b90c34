// While the service starts "not now" is asked again, and after the start it is an answer.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { unavailable } from '../api/errors.ts';
import { callsThrough } from './calls-through.ts';
import { Patience } from './patience.ts';
import { probe } from './probe.ts';
import { read } from './sql.ts';

const look = read('test.look', async (sql, { n }: { n: number }) => {
  return await sql.one('SELECT CAST($1 AS BIGINT) AS n', [n]);
});

for (const engine of engines) {
  describe(engine.name, () => {
    /** Its first calls are refused. */
    const refusing = async (count: number) => {
      const open = await openTestStore(engine, [look]);
      let left = count;
      const store = callsThrough(open, (call) => {
        left -= 1;
        if (left >= 0) throw unavailable('not now');
        return call();
      });
      return { store, asked: () => count - left };
    };
    const patienceFor = (forMs: number) => {
      const told: string[] = [];
      const patience = new Patience({ forMs, onFirst: ({ message }) => told.push(message) });
      return { patience, told };
    };

    test('a read that is refused for now is made again until it is answered', async () => {
      const { store, asked } = await refusing(2);
      const { patience, told } = patienceFor(600_000);
      const patient = patience.with(store);
      expect(await patient.one('SELECT CAST($1 AS BIGINT) AS n', [1])).toEqual({ n: 1 });
      expect(asked()).toBe(3);
      expect(told).toEqual(['not now']);
      expect(await patient.perform(look, { n: 2 })).toEqual({ n: 2 });
      expect(asked()).toBe(4);
    });

    test('a write is made once, but where somebody says that it may be made twice', async () => {
      const { store, asked } = await refusing(2);
      const { patience } = patienceFor(600_000);
      await expect(patience.with(store).perform(probe, { now: 7 })).rejects.toThrow('not now');
      expect(asked()).toBe(1);
      await patience.ask(() => store.perform(probe, { now: 7 }));
      expect(asked()).toBe(3);
    });

    test('what is wrong is said at once, and so is everything after the start', async () => {
      const { store, asked } = await refusing(1);
      const { patience, told } = patienceFor(600_000);
      const patient = patience.with(await openTestStore(engine));
      await expect((async () => await patient.one('SELECT nothing'))()).rejects.toThrow('nothing');
      patience.end();
      const late = patience.with(store).perform(look, { n: 1 });
      await expect(late).rejects.toThrow('not now');
      expect(asked()).toBe(1);
      expect(told).toEqual([]);
    });

    test('a start is not patient for ever', async () => {
      const { store, asked } = await refusing(1_000);
      const { patience } = patienceFor(300);
      await expect(patience.with(store).perform(look, { n: 1 })).rejects.toThrow('not now');
      expect(asked()).toBeLessThan(4);
    });
  });
}
