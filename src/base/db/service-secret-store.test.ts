// The service's secrets: one of each name, whoever asks first.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { takeServiceSecret } from './service-secret-store.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    test('every node of a database has the same secret, also one that starts later', async () => {
      const settings = await engine.fresh();
      const taken: string[] = [];
      for (const name of ['tickets', 'tickets', 'cookies']) {
        const node = await openTestStore({ ...engine, fresh: async () => settings });
        taken.push(await node.perform(takeServiceSecret, { name }));
        await node.close();
      }
      const [first = '', later = '', ofAnotherName = ''] = taken;
      expect(first).toMatch(/^\w{40,}$/);
      expect(later).toBe(first);
      expect(ofAnotherName).not.toBe(first);
    });
  });
}

test('nodes that start together on one PostgreSQL get the same secret', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL to test on');
  const settings = await engine.fresh();
  const open = () => openTestStore({ ...engine, fresh: async () => settings });
  const nodes = [await open(), await open(), await open()];
  const name = 'tickets';
  const taken = await Promise.all(nodes.map((node) => node.perform(takeServiceSecret, { name })));
  expect(new Set(taken).size).toBe(1);
  for (const node of nodes) await node.close();
});
