// Fault 1 for the audit log: kill -9 while callers write; every write that was answered has its row, and no row lies.
import type { Engine } from '../test/support/engines.ts';
import { freePort } from '../test/support/free-port.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection, NoAnswer } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

const callersAtOnce = 6;
/** The longest that callers write before the kill. */
const killWithinMs = 400;

export const trial: Trial = {
  sentence: 'kill -9 while callers write; every answered write is in the audit log, and no other',
  rounds: 100,
  run: (options) => onEachEngine(options, (engine) => killAuditRounds({ ...options, engine })),
};

/** Channels by id with the name that was answered last; those whose answer never came are not in it. */
type Answered = Map<number, string>;

export async function killAuditRounds({
  rounds,
  seed,
  engine,
}: RoundOptions & { engine: Engine }): Promise<Figures> {
  const figures = { rounds: 0, acknowledged: 0 };
  const settings = { ...(await engine.fresh()), PORT: String(await freePort()) };
  let service = await startProcess(settings);
  const { token } = service;
  try {
    for (let at = 0; at < rounds; at++) {
      await round('kill-audit', seed + at, async () => {
        const answered: Answered = new Map();
        figures.acknowledged += await writeUntilKilled(service, seeded(seed + at), answered);
        service = await startProcess(settings, { token });
        demand(await problemsOf(settings, answered));
      });
      figures.rounds += 1;
    }
  } finally {
    await service.kill();
  }
  return figures;
}

/** Callers make channels and rename them until the service is killed; how many calls were answered. */
async function writeUntilKilled(
  service: ServiceProcess,
  random: Random,
  answered: Answered,
): Promise<number> {
  const { url, token } = service;
  const first = Promise.withResolvers<void>();
  const callers = Array.from({ length: callersAtOnce }, async (_, caller) => {
    const connection = await HttpConnection.open(url);
    let count = 0;
    try {
      for (;;) {
        const body = { name: `made by ${caller}` };
        const made = await connection.request('POST', '/v1/activities', { token, body });
        const { id } = JSON.parse(made.text);
        answered.set(id, body.name);
        const name = `renamed by ${caller}`;
        await connection.request('PUT', `/v1/activities/${id}`, { token, body: { name } });
        answered.set(id, name);
        count += 2;
        first.resolve();
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    } finally {
      connection.close();
    }
    return count;
  });
  await first.promise;
  // The moment is the point here: no event is waited for.
  await Bun.sleep(random.next() * killWithinMs);
  await service.kill();
  return (await Promise.all(callers)).reduce((sum, count) => sum + count, 0);
}

/** What the log lacks of what was answered, and what it has that was not done. */
async function problemsOf(settings: DatabaseSettings, answered: Answered): Promise<string[]> {
  return await asking(settings, async (ask) => {
    const problems: string[] = [];
    const rows = await ask(
      "SELECT operation, of_channel FROM audit_log WHERE op_group = 'channels'",
    );
    const noted = new Set(rows.map((row) => `${row['operation']} ${row['of_channel']}`));
    const channels = await ask('SELECT id, name FROM channels');
    const names = new Map(channels.map((row) => [Number(row['id']), String(row['name'])]));
    for (const [id, name] of answered) {
      const renamed = name.startsWith('renamed');
      const wanted = ['createChannel', ...(renamed ? ['renameChannel'] : [])];
      for (const operation of wanted)
        if (!noted.has(`${operation} ${id}`)) problems.push(`${operation} of ${id} has no row`);
    }
    // One transaction: a row that is there was done, answered or not.
    for (const id of names.keys())
      if (!noted.has(`createChannel ${id}`)) problems.push(`channel ${id} has no row`);
    for (const row of rows) {
      const id = Number(row['of_channel']);
      const isRename = row['operation'] === 'renameChannel';
      if (!names.has(id)) problems.push(`a row tells of channel ${id}, which was not made`);
      if (isRename && !names.get(id)?.startsWith('renamed'))
        problems.push(`a row tells that ${id} was renamed, and it was not`);
    }
    return problems;
  });
}
