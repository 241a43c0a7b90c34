// Fault 20: migrations killed at every statement go on at the next start; an older program refuses a newer database.
import { join } from 'node:path';
import { dialectWords } from '../src/base/db/dialect.ts';
import { migrateDatabase, openCommandStore, type StoreSettings } from '../src/base/db/store.ts';
import { exitCodes } from '../src/cli/parts/exit-codes.ts';
import { createFirstAccount } from '../src/library/access/account-store.ts';
import { createChannel } from '../src/library/channels/channel-store.ts';
import { operations } from '../src/operations.ts';
import type { Engine } from '../test/support/engines.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { collected, footlight, refusedStart } from '../test/support/service-process.ts';
import { asking, type DatabaseSettings } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  onEachEngine,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { allSteps, marksAfterAll } from './support/next-steps.ts';
import { knownNow, type UpgradeOrder } from './support/upgrade-child.ts';

const channelCount = 12;
/** The longest that a migration runs before it is killed from outside. */
const killWithinMs = 30;

/** Where a migration is killed: before a statement of a step, or at a moment. */
type KillPoint = { step: number; statement: number } | 'moment';

export const trial: Trial = {
  sentence: 'migrations killed at every statement, both engines; older programs; two at once',
  // Kills at a random moment, besides one at every statement.
  rounds: 20,
  run: async (options) => {
    const figures = await onEachEngine(options, async (engine) => {
      const points = [...killPoints(engine), ...Array(options.rounds).fill('moment')];
      const found = await upgradeRounds({ ...options, engine, points });
      await refuseNewer(engine);
      await migrateAtOnce(engine, 4);
      return found;
    });
    return { ...figures, older_program: 'refused', four_at_once: 'each step ran once' };
  },
};

/** Before each statement of each step, and between its last statement and its commit. */
export function killPoints(engine: Engine): KillPoint[] {
  return allSteps.flatMap((migration, step) => {
    const { length } = migration.statements(dialectWords(engine.name), engine.name);
    return Array.from({ length: length + 1 }, (_, statement) => ({ step, statement }));
  });
}

export async function upgradeRounds(
  options: RoundOptions & { engine: Engine; points: readonly KillPoint[] },
): Promise<Figures> {
  const { seed, engine, points } = options;
  const schemas = await cleanSchemas(engine);
  let killed = 0;
  for (const [at, point] of points.entries()) {
    await round('upgrade', seed + at, async () => {
      const database = await engine.fresh();
      const isLive = point === 'moment' || point.step >= knownNow;
      if (isLive) await makeLive(database);
      const order = { settings: storeSettings(database), known: allSteps.length };
      if (await killedUpgrade(order, point, seeded(seed + at))) killed += 1;
      else if (point !== 'moment') throw new Error('the migration was not killed');
      const half = await state(database);
      const problems: string[] = [];
      if (point !== 'moment' && half.steps.length !== point.step)
        problems.push(`killed in step ${point.step}, ${half.steps.length} are done`);
      if (half.schema !== schemas[half.steps.length])
        problems.push(`after the kill the tables are not those of step ${half.steps.length}`);
      await migrateDatabase(order.settings, allSteps);
      problems.push(...(await wholeProblems(database, { schemas, isLive })));
      demand(problems.map((problem) => `${JSON.stringify(point)}: ${problem}`));
    });
  }
  return { kill_points: points.length, killed, lost: 0, applied_twice: 0 };
}

/** An older program, the real one, on a newer database: a clear sentence, and nothing is changed. */
export async function refuseNewer(engine: Engine): Promise<void> {
  const database = await engine.fresh();
  await makeLive(database);
  await migrateDatabase(storeSettings(database), allSteps);
  const before = await dump(database);
  const served = await refusedStart(database);
  const listed = Bun.spawnSync([...footlight, 'token', 'list'], {
    env: { PATH: process.env['PATH'] ?? '', ...database },
  });
  const problems: string[] = [];
  const command = { exitCode: listed.exitCode, stderr: listed.stderr.toString() };
  for (const { exitCode, stderr } of [served, command]) {
    if (exitCode !== exitCodes.database.code) problems.push(`the exit code is ${exitCode}`);
    if (!/^footlight: the database was made by a newer Footlight .*\n$/.test(stderr))
      problems.push(`what was said: ${stderr}`);
  }
  if ((await dump(database)) !== before) problems.push('the database was changed');
  demand(problems);
}

/** Several programs find an old database at the same time: each ends well, each step runs once. */
export async function migrateAtOnce(engine: Engine, programs: number): Promise<void> {
  const schemas = await cleanSchemas(engine);
  for (const isLive of [false, true]) {
    const database = await engine.fresh();
    if (isLive) await makeLive(database);
    const order = { settings: storeSettings(database), known: allSteps.length };
    const children = Array.from({ length: programs }, () => startUpgrade(order));
    const ran = await Promise.all(
      children.map(async ({ child, said, errors }) => {
        const code = await child.exited;
        await Promise.all([said.ended, errors.ended]);
        if (code !== 0) throw new Error(`one of ${programs} at once failed: ${errors.text()}`);
        return Number(/ran (\d+)/.exec(said.text())?.[1]);
      }),
    );
    const sum = ran.reduce((a, b) => a + b, 0);
    const wanted = allSteps.length - (isLive ? knownNow : 0);
    const problems = await wholeProblems(database, { schemas, isLive });
    if (sum !== wanted) problems.push(`${sum} steps ran, ${wanted} were to run`);
    demand(problems);
  }
}

/** Whether the process died before it was done. */
async function killedUpgrade(
  order: UpgradeOrder,
  point: KillPoint,
  random: Random,
): Promise<boolean> {
  const { child, said, errors } = startUpgrade(
    point === 'moment' ? order : { ...order, dieAt: point },
  );
  if (point === 'moment') {
    await said.holds('begun');
    // The moment is the point here: no event is waited for.
    await Bun.sleep(random.next() * killWithinMs);
    child.kill('SIGKILL');
  }
  await child.exited;
  if (child.signalCode === null && child.exitCode !== 0) throw new Error(errors.text());
  return child.signalCode === 'SIGKILL';
}

function startUpgrade(order: UpgradeOrder) {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'support/upgrade-child.ts'), JSON.stringify(order)],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  );
  return { child, said: collected(child.stdout), errors: collected(child.stderr) };
}

/** The tables and rows that a service of today leaves behind. */
async function makeLive(database: DatabaseSettings): Promise<void> {
  const store = await openCommandStore(storeSettings(database), operations);
  try {
    await store.perform(createFirstAccount, { now: 1 });
    for (let at = 0; at < channelCount; at++) {
      await store.perform(createChannel, {
        owner: { account_id: 1, manager_id: 0 },
        name: `channel ${at}`,
        manager_id: 0,
        page: { set: { footer: `footer ${at}` }, clear: [] },
        now: 1,
        idempotency: undefined,
      });
    }
  } finally {
    await store.close();
  }
}

/** What the tables look like after each number of steps, where nothing was killed. */
async function cleanSchemas(engine: Engine): Promise<string[]> {
  const database = await engine.fresh();
  const schemas: string[] = [''];
  for (let known = 1; known <= allSteps.length; known++) {
    await migrateDatabase(storeSettings(database), allSteps.slice(0, known));
    schemas.push((await state(database)).schema);
  }
  return schemas;
}

interface State {
  steps: { step: number; name: string }[];
  schema: string;
}

async function state(database: DatabaseSettings): Promise<State> {
  return await asking(database, async (ask) => {
    const schema = await ask(database.DATABASE_URL === '' ? sqliteSchema : postgresSchema);
    // A process killed in its first step leaves no table at all.
    if (!JSON.stringify(schema).includes('migrations')) return { steps: [], schema: '' };
    const rows = await ask('SELECT step, name FROM migrations ORDER BY step');
    const steps = rows.map(({ step, name }) => ({ step: Number(step), name: String(name) }));
    return { steps, schema: JSON.stringify(schema) };
  });
}

const sqliteSchema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name';
const postgresSchema = `
  SELECT table_name AS name, column_name || ' ' || data_type || ' ' || is_nullable AS part
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  ORDER BY name, part`;

/** What is wrong with a database that has been through every step. */
async function wholeProblems(
  database: DatabaseSettings,
  { schemas, isLive }: { schemas: readonly string[]; isLive: boolean },
): Promise<string[]> {
  const problems: string[] = [];
  const { steps, schema } = await state(database);
  const wanted = allSteps.map(({ name }, at) => ({ step: at + 1, name }));
  if (JSON.stringify(steps) !== JSON.stringify(wanted))
    problems.push(`the steps are ${JSON.stringify(steps)}`);
  if (schema !== schemas.at(-1)) problems.push('the tables are not those of a clean migration');
  const { channels, notes } = await asking(database, async (ask) => ({
    channels: await ask('SELECT name, page, trial_marks FROM channels ORDER BY id'),
    notes: await ask('SELECT note FROM trial_notes'),
  }));
  const count = isLive ? channelCount : 0;
  if (channels.length !== count) problems.push(`${channels.length} of ${count} channels are there`);
  if (notes.length !== count + 1) problems.push(`${notes.length} notes for ${count} channels`);
  channels.forEach(({ name, page, trial_marks }, at) => {
    const isSame = name === `channel ${at}` && page === JSON.stringify({ footer: `footer ${at}` });
    if (!isSame || Number(trial_marks) !== marksAfterAll)
      problems.push(`channel ${at} is ${JSON.stringify({ name, page, trial_marks })}`);
  });
  return problems;
}

/** Every row of every table, as text. */
async function dump(database: DatabaseSettings): Promise<string> {
  const tables = ['accounts', 'channels', 'marks', 'migrations', 'tokens', 'totals', 'trial_notes'];
  const { schema } = await state(database);
  const rows = await asking(database, async (ask) => {
    const all: unknown[] = [];
    for (const table of tables) all.push(await ask(`SELECT * FROM ${table} ORDER BY 1`));
    return all;
  });
  return schema + JSON.stringify(rows);
}

function storeSettings({ DATA_DIR, DATABASE_URL }: DatabaseSettings): StoreSettings {
  return { dataDir: DATA_DIR, databaseUrl: DATABASE_URL, deadlineMs: 10_000, connectionsMax: 1 };
}
