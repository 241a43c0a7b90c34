// `/readyz` as anybody may ask it.
import { afterAll, expect, test } from 'bun:test';
import { engines } from '../test/support/engines.ts';
import { openTestStore } from '../test/support/store.ts';
import { readConfig } from './config.ts';
import { startReadiness } from './readiness.ts';

test('however many ask, the database is asked one question at a time', async () => {
  const [engine] = engines as [(typeof engines)[number]];
  const store = await openTestStore(engine);
  afterAll(() => store.close());
  const answered = Promise.withResolvers<void>();
  let asked = 0;
  const one = async <Row>(text: string): Promise<Row | undefined> => {
    asked += 1;
    await answered.promise;
    return await store.one<Row>(text);
  };
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const config = readConfig({ HOST: '127.0.0.1', DATA_DIR: '.' });
  const given = { config, store: { ...store, one }, now: () => 0, rtmpPort: listener.port };
  const readiness = startReadiness(given);
  const answers = Array.from({ length: 100 }, () => readiness.answer());
  expect(asked).toBe(1);
  answered.resolve();
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  await readiness.answer();
  expect(asked).toBe(2);
  listener.stop(true);
});
