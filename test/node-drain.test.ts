// `footlight node drain`: a node is sent away from any machine on the database, and whoever asked sees it go.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type BucketStore, startBucketStore } from './support/bucket-store.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { freePort } from './support/free-port.ts';
import { until } from './support/live-channel.ts';
import { type ServiceProcess, startProcess } from './support/service-process.ts';
import { asking } from './support/snapshot.ts';
import { typed } from './support/typed-line.ts';

const running: ServiceProcess[] = [];
let bucketStore: BucketStore;

beforeAll(async () => {
  bucketStore = await startBucketStore();
});
afterEach(async () => {
  for (const service of running.splice(0)) if (service.isAlive()) await service.kill();
});
afterAll(() => bucketStore.stop());

async function startNodes() {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL');
  const { DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const place = bucketStore.emptyPlace();
  for (const NODE_NAME of ['node-1', 'node-2']) {
    const PORT = String(await freePort());
    const NODE_URL = `http://127.0.0.1:${PORT}`;
    const settings = {
      ...{ DATABASE_URL, DATA_DIR: temporaryFolder(), NODE_NAME, NODE_URL, PORT },
      ...place,
    };
    const [first] = running;
    running.push(await startProcess(settings, first ? { token: first.token } : {}));
  }
  // Another machine: it has the database, and nothing else of theirs.
  const elsewhere = { DATABASE_URL, DATA_DIR: temporaryFolder() };
  return {
    nodes: running as [ServiceProcess, ServiceProcess],
    run: (...words: string[]) => typed(elsewhere, ['node', 'drain', ...words]),
    ask: (text: string) => asking(elsewhere, (asked) => asked(text)),
    audit: () => typed(elsewhere, ['audit', '--account', '0']),
  };
}

test('a node that is named drains, and has ended with 0 when the command returns', async () => {
  const { nodes, run, ask, audit } = await startNodes();
  const [first, second] = nodes;
  const drained = await run('node-1');
  expect([drained.code, drained.lines()]).toEqual([0, [{ node: 'node-1', gone: true }]]);
  expect(drained.err).toContain('what it has goes to node-2');
  expect(drained.err).toContain('node-1 is gone');
  expect(await first.exited).toBe(0);
  expect(await ask('SELECT node FROM nodes')).toEqual([{ node: 'node-2' }]);
  expect(first.log()).toContain('"drains"');
  const [row] = (await audit()).lines();
  expect(row).toMatchObject({ operation: 'node drain', via: 'command', group: 'service' });
  // The last one has nobody to hand anything to, and whoever asked is told.
  const left = await run('node-2', '--no-wait');
  expect([left.code, left.lines()]).toEqual([0, [{ node: 'node-2', gone: false }]]);
  expect(left.err).toContain('no other node is there');
  expect(await second.exited).toBe(0);
});

test('a name that nobody has, and a node that says nothing, are refused with what to do', async () => {
  const { nodes, run, ask, audit } = await startNodes();
  const unknown = await run('node-7');
  expect(unknown.code).toBe(3);
  expect(unknown.err).toContain('No node "node-7"; those that run are node-1, node-2');
  await nodes[1].kill();
  const silent = `SELECT node FROM nodes
    WHERE seen_at < extract(epoch FROM clock_timestamp()) * 1000 - 3100`;
  const isSilent = async () => (await ask(silent)).length > 0;
  await until(isSilent, { withinMs: 20_000, otherwise: 'it is not silent' });
  const killed = await run('node-2');
  expect(killed.code).toBe(4);
  expect(killed.err).toContain('the node "node-2" has said nothing for');
  await nodes[0].kill();
  expect((await audit()).lines().filter(({ operation }) => operation === 'node drain')).toEqual([]);
  expect(await ask('SELECT node FROM nodes WHERE draining = 1')).toEqual([]);
});

test('a service with its database for itself is refused', async () => {
  const { code, err } = await typed({ DATA_DIR: temporaryFolder() }, ['node', 'drain', 'node-1']);
  expect(code).toBe(4);
  expect(err).toContain('stop it with SIGTERM');
});
