// Every bench in its smoke form: the steps and the checks of `npm run bench NAME`, in a few seconds.
import { expect, spyOn } from 'bun:test';
import { benchNames, lackingProgram, loadBench } from '../bench/support/bench.ts';
import type { BenchPostgres } from '../bench/support/postgres.ts';
import { runBench } from '../bench/support/run-bench.ts';
import { postgres } from './support/engines.ts';
import { notLinux, testWith } from './support/needs.ts';

for (const name of benchNames()) {
  const lacking = notLinux ?? lackingProgram(await loadBench(name));
  testWith(lacking, `bench ${name} runs to its end`, async () => {
    const printed = await linesOf(() =>
      runBench(name, ['--smoke'], { startPostgres: async () => sharedPostgres() }),
    );
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ bench: name, smoke: true });
  });
}

/** Tables of figures that mean nothing are not shown. */
async function linesOf(work: () => Promise<void>): Promise<string[]> {
  const print = spyOn(console, 'log').mockImplementation(() => {});
  try {
    await work();
    return print.mock.calls.map(([line]) => String(line));
  } finally {
    print.mockRestore();
  }
}

/** The test run's own server, with databases of this bench alone. */
function sharedPostgres(): BenchPostgres {
  const databases = new Map<string, Promise<string>>();
  const emptyDatabase = (name: string) => {
    const made = postgres().then((server) => server.freshDatabase());
    databases.set(name, made);
    return made;
  };
  return {
    database: (name) => databases.get(name) ?? emptyDatabase(name),
    emptyDatabase,
    stop: async () => {},
  };
}
