// The nodes as an account and a command are told of them, over several whole services.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startClipPush, testClip } from '../../test/support/clip-push.ts';
import { engines } from '../../test/support/engines.ts';
import { type LinkedServices, startLinkedServices } from '../../test/support/linked-services.ts';
import { newLiveChannel, until } from '../../test/support/live-channel.ts';
import { TestPage, ticketsOf } from '../../test/support/page.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import { typed } from '../../test/support/typed-line.ts';
import { createAccount } from '../library/access/account-store.ts';
import { createToken } from '../library/access/token-store.ts';

let nodes: LinkedServices;
beforeAll(async () => {
  nodes = await startLinkedServices(2, { settings: { MIN_FREE_DISK: '10M' } });
  await nodes.linked();
});
afterAll(() => nodes.stop());

function at(number: number): TestService {
  const one = nodes.all[number];
  if (!one) throw new Error(`there is no node ${number}`);
  return one.service;
}

const listed = async (service: TestService, token = at(0).token) =>
  (await service.call('GET', '/manage/v1/nodes', { token })).body;

test('each node tells of all: who answers, links, pushes, and viewers of each', async () => {
  const channel = await newLiveChannel(at(0));
  const push = await startClipPush(channel.publishUrl, testClip());
  const sign = await ticketsOf(at(0));
  const page = new TestPage(at(1).url, { ticket: sign(channel.id, { viewer_id: 'ada' }) });
  await page.welcome();
  await until(async () => (await listed(at(1))).nodes[0]?.pushes === 1, {
    withinMs: 20_000,
    otherwise: 'the push is not told of',
  });
  await until(async () => (await listed(at(1))).nodes[0]?.round_trip_ms !== null, {
    withinMs: 20_000,
    otherwise: 'the round trip is not known',
  });
  const { several, nodes: rows } = await listed(at(1));
  expect(several).toBe(true);
  const usual = { state: 'there', recordings: 'bucket', version: expect.any(String) };
  expect(rows).toMatchObject([
    {
      ...{ ...usual, name: 'node-1', answers: false, linked: true, viewers: 0 },
      ...{ round_trip_ms: expect.any(Number), pushes: 1, channels: [{ id: channel.id }] },
      spool: { waiting: expect.any(Number), away: false },
    },
    {
      ...{ ...usual, name: 'node-2', answers: true, linked: null, viewers: 1 },
      ...{ round_trip_ms: null, pushes: 0, channels: [] },
    },
  ]);
  const told = async (service: TestService) =>
    (await service.call('GET', '/metrics', { token: null })).text;
  expect(await told(at(0))).toContain('footlight_node_info{node="node-1",version=');
  expect(await told(at(0))).toContain('footlight_nodes{state="there"} 2');
  expect(await told(at(0))).toContain('footlight_leases 1\n');
  expect(await told(at(0))).toContain('footlight_lease_claims_total{result="granted"} 1\n');
  expect(await told(at(1))).toContain('footlight_leases 0\n');
  // Who watches on the other node has it follow the stream.
  const { pathname } = new URL(channel.playlistUrl);
  await until(async () => (await fetch(at(1).url + pathname)).status === 200, {
    withinMs: 20_000,
    otherwise: 'it is not shown on the other node',
  });
  await until(async () => /^footlight_follower_lag_seconds [\d.]+$/m.test(await told(at(1))), {
    withinMs: 20_000,
    otherwise: 'how far it is behind is not told',
  });
  expect(await told(at(1))).toContain('footlight_followed_streams 1\n');
  expect(await told(at(0))).toContain('footlight_stream_followers 1\n');
  // Where nodes are reached is no business of an account's.
  expect(JSON.stringify(rows)).not.toContain('http');
  // Another account learns how many pushes there are, and not which.
  const token = await tokenOfAnother(at(0));
  expect((await listed(at(0), token)).nodes[0]).toMatchObject({ pushes: 1, channels: [] });
  const { out, lines } = await typed(at(0).settings, ['node', 'list']);
  expect(lines()).toMatchObject([
    { name: 'node-1', state: 'there', pushes: 1, address: nodes.all[0]?.line.url },
    { name: 'node-2', state: 'there', pushes: 0, recordings: 'recordings/shows/' },
  ]);
  expect(out).not.toContain('silent');
  await page.leave();
  await push.end();
});

test('a node without a link is told of by its row; one that is silent or drains is said to be', async () => {
  for (const { line } of nodes.all) line.cut();
  const { store } = at(0);
  const add = (node: string, draining: number) =>
    store.run(
      `INSERT INTO nodes (node, run, link_url, version, draining, started_at, seen_at, renewals,
         clock_ahead_ms, flushed_until)
       SELECT $1, $1, '', '0.9.0', $2, started_at, seen_at - 60000, 1, 0, 0
       FROM nodes WHERE node = 'node-1'`,
      [node, draining],
    );
  await add('node-0', 0);
  await add('node-3', 1);
  await until(
    async () => {
      // A sign of life of the one that drains.
      await store.run(
        `UPDATE nodes SET renewals = renewals + 1,
           seen_at = (SELECT seen_at FROM nodes WHERE node = 'node-1') WHERE node = 'node-3'`,
      );
      const rows = (await listed(at(0))).nodes;
      return rows[0]?.state === 'silent' && rows[3]?.state === 'draining';
    },
    { withinMs: 20_000, otherwise: 'the states are not told' },
  );
  const [zero] = (await listed(at(0))).nodes;
  expect(zero).toMatchObject({
    ...{ name: 'node-0', version: '0.9.0', linked: false, viewers: null },
    ...{ recordings: null, spool: null },
  });
  const { out, err, code } = await typed(at(0).settings, ['node', 'list'], { terminal: true });
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^NAME +ADDRESS +VERSION +STATE +RUNS SINCE +PUSHES +CLOCK AHEAD/i);
  expect(out).toMatch(/node-0 .+silent since \d{4}-/);
  expect(out).toMatch(/node-3 .+draining/);
  const { text } = await at(0).call('GET', '/metrics', { token: null });
  expect(text).toContain('footlight_nodes{state="silent"} 1');
  expect(text).toContain('footlight_nodes{state="draining"} 1');
});

test('a service that is alone says so', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const service = await startTestService(sqlite, { now: Date.now() });
  const { several, nodes: rows } = await listed(service, service.token);
  expect(several).toBe(false);
  expect(rows).toMatchObject([{ answers: true, state: 'there', linked: null, recordings: 'disk' }]);
  const { code, err } = await typed(service.settings, ['node', 'list'], { terminal: true });
  expect([code, err]).toEqual([0, expect.stringContaining('this is SQLite')]);
  await service.stop();
});

async function tokenOfAnother({ store, clock }: TestService): Promise<string> {
  const { now } = clock;
  const account_id = await store.perform(createAccount, { name: 'b', plan: 'standard', now });
  const order = { account_id, manager_id: 0, name: '', scopes: ['manage'] as const };
  return (await store.perform(createToken, { ...order, now, expires_at: null })).token;
}
