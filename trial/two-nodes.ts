// Fault 14: two services on one PostgreSQL database; of 100 calls at once of the watch records exactly 10 succeed.
import { openCommandStore } from '../src/base/db/store.ts';
import { createAccount } from '../src/library/access/account-store.ts';
import { createToken } from '../src/library/access/token-store.ts';
import { operations } from '../src/operations.ts';
import { startBucketStore } from '../test/support/bucket-store.ts';
import { type Engine, engines, temporaryFolder } from '../test/support/engines.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

const callsAtOnce = 100;
const callsPerDay = 10;

export const trial: Trial = {
  sentence: '100 parallel userRecords calls on two nodes of one PostgreSQL: exactly 10 succeed',
  rounds: 50,
  run: twoNodesRounds,
};

export async function twoNodesRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const postgres = engines.find(({ name }) => name === 'postgres') as Engine;
  const store = await startBucketStore();
  const settings = {
    ...(await postgres.fresh()),
    ...store.environment,
    TIME_ZONE: noonZone(),
    RECORDS_CALLS_PER_DAY: String(callsPerDay),
    LOG_LEVEL: 'silent',
  };
  const nodes: ServiceProcess[] = [];
  const figures = { rounds: 0, calls: 0, answered_200: 0, answered_429: 0, slowest_round_ms: 0 };
  try {
    // At once, on an empty database: both come up, and one of them makes the first token. Each has its own folder.
    const other = { ...settings, DATA_DIR: temporaryFolder() };
    nodes.push(...(await Promise.all([startProcess(settings), startProcess(other)])));
    const tokens = nodes.filter(({ token }) => token !== '');
    if (tokens.length !== 1) throw new Error(`${tokens.length} nodes printed a first token`);
    for (let at = 0; at < rounds; at++) {
      const startedAt = performance.now();
      await round('two-nodes', seed + at, async () => {
        const statuses = await callAtOnce(nodes, settings);
        figures.calls += statuses.length;
        figures.answered_200 += statuses.filter((status) => status === 200).length;
        figures.answered_429 += statuses.filter((status) => status === 429).length;
      });
      figures.rounds += 1;
      const tookMs = Math.round(performance.now() - startedAt);
      figures.slowest_round_ms = Math.max(figures.slowest_round_ms, tookMs);
      if ((at + 1) % 10 === 0) say(`${at + 1} rounds`);
    }
  } finally {
    for (const node of nodes) await node.kill();
    await store.stop();
  }
  return figures;
}

/** A new account calls from many connections, half of them to each node. */
async function callAtOnce(
  nodes: readonly ServiceProcess[],
  settings: DatabaseSettings,
): Promise<number[]> {
  const { account_id, token } = await newAccount(settings);
  const connections = await Promise.all(
    Array.from({ length: callsAtOnce }, (_, at) =>
      HttpConnection.open(nodes[at % nodes.length]?.url ?? ''),
    ),
  );
  try {
    const [first] = connections;
    const made = await first?.request('POST', '/v1/activities', { token, body: { name: 'one' } });
    const path = `/v1/activities/${made?.body.id}/userRecords`;
    const answers = await Promise.all(
      connections.map((connection) => connection.request('POST', path, { token })),
    );
    const problems: string[] = [];
    const counts = Map.groupBy(answers, ({ status }) => status);
    if (counts.get(200)?.length !== callsPerDay || counts.get(429)?.length !== 90)
      problems.push(`answers: ${[...counts].map(([status, of]) => `${status} × ${of.length}`)}`);
    for (const { headers, text } of counts.get(429) ?? [])
      if (!(Number(headers['retry-after']) > 0)) problems.push(`no Retry-After: ${text}`);
    const [row] = await asking(settings, (ask) =>
      ask(`SELECT SUM(calls) AS calls FROM daily_calls WHERE account_id = ${account_id}`),
    );
    if (Number(row?.['calls']) !== callsPerDay) problems.push(`counted are ${row?.['calls']}`);
    demand(problems);
    return answers.map(({ status }) => status);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function newAccount(settings: DatabaseSettings) {
  const store = await openCommandStore(
    {
      databaseUrl: settings.DATABASE_URL,
      dataDir: settings.DATA_DIR,
      deadlineMs: 10_000,
      connectionsMax: 1,
    },
    operations,
  );
  try {
    const now = Date.now();
    const account_id = await store.perform(createAccount, { name: 'n', plan: 'standard', now });
    const scopes = ['channels:write', 'audience:read'] as const;
    const order = { account_id, manager_id: 0, name: '', scopes, now, expires_at: null };
    return { account_id, token: (await store.perform(createToken, order)).token };
  } finally {
    await store.close();
  }
}

/** A time zone in which it is about noon now, so that no round meets midnight. */
function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  // The sign of these names is turned around: Etc/GMT-5 is five hours ahead of UTC.
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
