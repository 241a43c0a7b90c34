// Runs one bench in its long form or, with `--smoke`, in its short one.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bench, type BenchOrder, benchFolder, lackingProgram, loadBench } from './bench.ts';
import { startBenchPostgres } from './postgres.ts';

/** What it needs is not on this machine. */
export class BenchLacks extends Error {}

/** `words` are those after its name; a test brings the PostgreSQL that it shares with others. */
export async function runBench(
  name: string,
  words: readonly string[],
  given: Partial<Pick<BenchOrder<unknown>, 'startPostgres'>> = {},
): Promise<void> {
  const bench = await loadBench(name);
  const { isSmoke, sizes, before } = readWords(bench, words);
  const lacking = lackingProgram(bench);
  if (lacking !== undefined) throw new BenchLacks(lacking);
  if (isSmoke) console.log('The smoke form: every step is taken, the figures mean nothing.');
  const leftOut =
    before === undefined
      ? absentPeers(bench, isSmoke)
      : new Set(bench.peers?.map((peer) => peer.name));
  const result = await inFolder(name, { isSmoke, bench }, (folder) => {
    const startPostgres: BenchOrder<unknown>['startPostgres'] = (wrap) =>
      startBenchPostgres(join(folder, 'postgres'), wrap);
    return bench.run({
      sizes,
      folder,
      leftOut,
      startPostgres,
      ...(before !== undefined && { before }),
      ...given,
    });
  });
  // One line for programs, after the tables for people.
  console.log(JSON.stringify({ bench: name, ...(isSmoke && { smoke: true }), ...result }));
}

function readWords(
  { sizes, smokeSizes, options = {}, comparesCheckouts }: Bench,
  words: readonly string[],
) {
  const own = [...Object.keys(options), ...(comparesCheckouts ? ['before'] : [])];
  const { values } = parseArgs({
    args: [...words],
    options: {
      ...Object.fromEntries(own.map((option) => [option, { type: 'string' as const }])),
      smoke: { type: 'boolean' },
    },
  });
  const {
    smoke = false,
    before,
    ...chosen
  } = values as { smoke?: boolean; before?: string } & Record<string, string>;
  const changed = Object.entries(chosen).reduce(
    (before, [option, text]) => options[option]?.(text, before) ?? before,
    smoke ? smokeSizes : sizes,
  );
  return { isSmoke: smoke, sizes: changed, before: before && resolve(before) };
}

/** Figures beside nobody are none: only the smoke form goes on without a peer. */
function absentPeers({ peers = [] }: Bench, isSmoke: boolean): Set<string> {
  const absent = new Set<string>();
  for (const peer of peers) {
    const lacks = peer.lacks();
    if (lacks === undefined) continue;
    if (!isSmoke) throw new BenchLacks(`it is measured beside ${peer.name}: ${lacks}`);
    console.log(`${peer.name} is left out: ${lacks}.`);
    absent.add(peer.name);
  }
  return absent;
}

/** The smoke form has a folder of its own and does not touch what a long run has kept. */
async function inFolder<T>(
  name: string,
  { isSmoke, bench }: { isSmoke: boolean; bench: Bench },
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = isSmoke
    ? mkdtempSync(join(tmpdir(), `footlight-bench-${name}-`))
    : join(benchFolder, '.data', name);
  const isKept = bench.keepsFolder === true && !isSmoke;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (!isKept) remove();
  mkdirSync(folder, { recursive: true });
  // PostgreSQL must enter it as another user.
  chmodSync(folder, 0o755);
  try {
    return await work(folder);
  } finally {
    if (!isKept) remove();
  }
}
