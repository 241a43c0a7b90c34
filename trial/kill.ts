// Fault 1: kill -9 at a random moment, many rounds; every acknowledged write is there after the restart.
import { temporaryFolder } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { Ledger } from '../test/support/ledger.ts';
import { late } from '../test/support/machine-pace.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, spawnServe, startProcess } from '../test/support/service-process.ts';
import { type DatabaseSettings, snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { createShared, repeatDoubtful, startWriters } from './support/writers.ts';

/** From the start of the process to the first answered read. */
const servingWithinMs = 2_000;
/** The longest that writers write before the kill. */
const killWithinMs = 400;
/** The longest that a start lasts before it is killed, in the rounds that do so. */
const killStartWithinMs = 250;

export const trial: Trial = {
  sentence: 'kill -9 at random moments under writes; nothing acknowledged is lost',
  rounds: 200,
  run: killRounds,
};

export async function killRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const figures = { rounds: 0, acknowledged: 0, unanswered: 0, lost: 0, killed_starts: 0 };
  let slowestMs = 0;
  const DATA_DIR = temporaryFolder();
  const settings = { DATA_DIR, DATABASE_URL: '', PORT: String(await freePort()) };
  const ledger = new Ledger();
  let service = await startProcess(settings);
  const { token } = service;
  try {
    for (let at = 0; at < rounds; at++) {
      const roundSeed = seed + at;
      await round('kill', roundSeed, async () => {
        const random = seeded(roundSeed);
        await writeUntilKilled({ service, ledger, random, tag: `r${at}` });
        if (random.whole(1, 5) === 1) {
          await killStart(settings, random);
          figures.killed_starts += 1;
        }
        const startedAt = performance.now();
        service = await startProcess(settings, { token });
        const found = await checkServing(service, { settings, ledger, startedAt });
        slowestMs = Math.max(slowestMs, found.servingInMs);
        figures.lost += found.lost;
        demand(found.problems);
      });
      figures.rounds += 1;
      if ((at + 1) % 20 === 0) say(`${at + 1} rounds, ${ledger.counts.acknowledged} acknowledged`);
    }
  } finally {
    await service.kill();
  }
  const { acknowledged, unanswered } = ledger.counts;
  return { ...figures, acknowledged, unanswered, slowest_start_ms: Math.round(slowestMs) };
}

async function writeUntilKilled(given: {
  service: ServiceProcess;
  ledger: Ledger;
  random: Random;
  tag: string;
}): Promise<void> {
  const { service, ledger, random, tag } = given;
  const { url, token } = service;
  const connection = await HttpConnection.open(url);
  const sharedId = await createShared(connection, { token, ledger, tag });
  connection.close();
  const writers = startWriters({ url, token, ledger, random, tag, sharedId });
  await writers.next('acknowledged');
  // The moment is the point here: no event is waited for.
  await Bun.sleep(random.next() * killWithinMs);
  await service.kill();
  await writers.ended;
}

/** A start that is killed before, while or just after the service opens its database. */
async function killStart(settings: Record<string, string>, random: Random): Promise<void> {
  const child = spawnServe(settings);
  await Bun.sleep(random.next() * killStartWithinMs);
  child.kill('SIGKILL');
  await child.exited;
}

async function checkServing(
  service: ServiceProcess,
  given: { settings: DatabaseSettings; ledger: Ledger; startedAt: number },
): Promise<{ servingInMs: number; lost: number; problems: string[] }> {
  const { settings, ledger, startedAt } = given;
  const { url, token } = service;
  const connection = await HttpConnection.open(url);
  const first = await connection.request('GET', '/v1/activities', { token });
  const servingInMs = performance.now() - startedAt;
  const found = await snapshot(settings);
  const { lost, broken } = ledger.compare(found);
  const problems = [...lost, ...broken];
  if (first.status !== 200) problems.push(`the first read was answered ${first.text}`);
  if (first.body?.meta.total !== found.channels.length)
    problems.push(`the list counts ${first.body?.meta.total}, there are ${found.channels.length}`);
  problems.push(...late('serving again', servingInMs, servingWithinMs));
  await repeatDoubtful(connection, { token, ledger });
  const after = await snapshot(settings);
  problems.push(...Object.values(ledger.compare(after)).flat());
  ledger.settle(after);
  connection.close();
  return { servingInMs, lost: lost.length, problems };
}
