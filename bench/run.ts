// `npm run bench NAME [-- --smoke | --before FOLDER]`: figures beside peers, as ratios within one run; without a name lists them.
import { benchNames, loadBench } from './support/bench.ts';
import { BenchLacks, runBench } from './support/run-bench.ts';

process.exitCode = await main(process.argv.slice(2));

async function main([name = '', ...words]: readonly string[]): Promise<number> {
  const names = benchNames();
  if (!names.includes(name)) {
    console.log('usage: npm run bench NAME [-- --smoke | --before CHECKOUT]\n');
    for (const known of names)
      console.log(`  ${known.padEnd(8)} ${(await loadBench(known)).sentence}`);
    return name === '' ? 0 : 2;
  }
  try {
    await runBench(name, words);
    return 0;
  } catch (error) {
    if (!(error instanceof BenchLacks)) throw error;
    console.error(`bench ${name} cannot run here: ${error.message}`);
    return 1;
  }
}
