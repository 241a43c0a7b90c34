// A process that migrates a database and kills itself at the statement it is told to.
import { type Migration, migrations } from '../../src/base/db/migrations.ts';
import { migrateDatabase, type StoreSettings } from '../../src/base/db/store.ts';
import { allSteps } from './next-steps.ts';

export interface UpgradeOrder {
  settings: StoreSettings;
  /** How many of all steps this program knows. */
  known: number;
  /** The step, from 0, and the statement of it before which the process dies; after the last: before its commit. */
  dieAt?: { step: number; statement: number };
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const order: UpgradeOrder = JSON.parse(process.argv[2] ?? '');
  const steps = allSteps.slice(0, order.known).map((migration, step) => {
    const at = order.dieAt?.step === step ? order.dieAt.statement : undefined;
    return at === undefined ? migration : dying(migration, at);
  });
  // What a trial from outside waits for, to kill at a moment of its own.
  process.stdout.write('begun\n');
  const ran = await migrateDatabase(order.settings, steps);
  process.stdout.write(`ran ${ran}\n`);
}

/** The same statements, but taking the one at `at` kills the process as kill -9 does. */
function dying(migration: Migration, at: number): Migration {
  return {
    name: migration.name,
    statements: (words, dialect) => {
      const texts = migration.statements(words, dialect);
      return Object.assign([...texts], {
        *[Symbol.iterator]() {
          for (let next = 0; ; next++) {
            if (next === at) process.kill(process.pid, 'SIGKILL');
            if (next === texts.length) return;
            yield texts[next] as string;
          }
        },
      });
    },
  };
}

/** How many of all steps this program itself knows. */
export const knownNow = migrations.length;
