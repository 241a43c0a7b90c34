// `npm run trial NAME [-- --rounds N --seed N --checkout FOLDER]`: runs one trial in its long form; without a name lists them.
import { parseArgs } from 'node:util';
import { cleanUp } from '../test/support/engines.ts';
import { newSeed, type Trial } from '../test/support/trial.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seed: { type: 'string' },
      checkout: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [name] = positionals;
  const names = [...new Bun.Glob('*.ts').scanSync(import.meta.dir)]
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((one) => one !== 'run')
    .sort();
  if (name === undefined || !names.includes(name)) {
    for (const one of names) console.log(`${one.padEnd(18)}${(await load(one)).sentence}`);
    return name === undefined ? 0 : 2;
  }
  // What a trial cleans up when the process exits is cleaned up after Ctrl-C too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => cleanUp().finally(() => process.exit(1)));
  const trial = await load(name);
  const seed = wholeNumber(values.seed) ?? newSeed();
  const rounds = wholeNumber(values.rounds) ?? trial.rounds;
  console.log(`${name}: ${trial.sentence}\nrounds ${rounds}, seed ${seed}`);
  const startedAt = performance.now();
  try {
    const { checkout } = values;
    const figures = await trial.run({ rounds, seed, checkout, say: (line) => console.log(line) });
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    for (const [what, figure] of Object.entries({ ...figures, seconds }))
      console.log(`${what.padEnd(48)}${figure}`);
    return 0;
  } catch (error) {
    console.error(`${name} FAILED: ${(error as Error).stack ?? error}`);
    return 1;
  } finally {
    await cleanUp();
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw new Error(`--rounds and --seed take a whole number (got "${text}")`);
  return Number(text);
}

async function load(name: string): Promise<Trial> {
  const module = (await import(`./${name}.ts`)) as { trial: Trial };
  return module.trial;
}
