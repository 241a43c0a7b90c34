// `bench structure`: how far a packet and a request travel through the files of `src/`, and what stands there more than once.
import { join } from 'node:path';
import type { Bench, BenchOrder } from './support/bench.ts';
import { printTable } from './support/figures.ts';
import { countSources, type SourceCounts } from './support/source-counts.ts';
import { findWays, type Ways } from './support/traced-ways.ts';

/*
 * A file counts if the packet or the request is handed to a function in it. That is found by running a copy of the
 * service in which every function that takes something tells what it is handed: its arguments, and what lies in them
 * as plain objects and lists, four deep; not `this`, and not what a connection, a stream or a store holds.
 *
 * The packet is a picture in the middle of a push, and a sound beside it, with sixteen rare bytes inside: whatever holds
 * these bytes is the packet, on its way from the socket's first call until a function is handed a part (`isIndependent`)
 * or a segment (`parts`, `sequence`) that holds them. Helpers count.
 *
 * The request is one for the watch records of a channel (`userRecords`): whatever holds that channel's rare id, or the
 * rare name of the viewer in its one record, from the first call in an `x-routes.ts` until JSON is made of the name. So
 * the border around it, the same for every operation, does not count, and what runs SQL, the same for every statement,
 * is told beside it. Who is handed only the account, or a time, is not handed the request.
 */

interface Sizes {
  /** Media before the packets that are looked for. */
  steadyMs: number;
}

export const bench: Bench<Sizes> = {
  sentence:
    'files that a packet and a request pass, files with SQL, duplicates, shared names; half a minute',
  sizes: { steadyMs: 8_000 },
  smokeSizes: { steadyMs: 2_500 },
  comparesCheckouts: true,
  run,
};

type Structure = Ways & SourceCounts;

async function run({ sizes, folder, before }: BenchOrder<Sizes>): Promise<object> {
  const measured = async (name: string, checkout: string): Promise<Structure> => ({
    ...(await findWays({ checkout, folder: join(folder, name), ...sizes })),
    ...countSources(checkout),
  });
  const now = await measured('now', join(import.meta.dir, '..'));
  const all = before === undefined ? { now } : { before: await measured('before', before), now };
  report(all);
  return all;
}

const rows: readonly [sentence: string, figure: (structure: Structure) => string][] = [
  ['files from socket to segment, of a picture', ({ picture }) => String(picture.length)],
  ['files from socket to segment, of a sound', ({ sound }) => String(sound.length)],
  ['files from route to JSON, of a watch record', ({ request }) => besideSql(request)],
  ['files that hold SQL beside the stores', ({ sqlFiles }) => String(sqlFiles.length)],
  ['duplicates of six lines or more', ({ duplicates }) => String(duplicates.length)],
  ['names that several files share', ({ sharedNames }) => String(sharedNames.length)],
];

/** The engines and the turns of their callers: now, and in the layout before the house had wings. */
const runsSql = /^src\/(base\/db\/|base\/turns\/|db\/|lib\/fair-lines)/;

function besideSql(files: readonly string[]): string {
  const own = files.filter((file) => !runsSql.test(file));
  return `${own.length} (and ${files.length - own.length} that run its SQL)`;
}

function report(all: Record<string, Structure>): void {
  const names = Object.keys(all);
  printTable(
    ['', ...names],
    rows.map(([sentence, figure]) => [sentence, ...Object.values(all).map(figure)]),
  );
  for (const [name, structure] of Object.entries(all)) {
    for (const [what, list] of Object.entries(structure) as [keyof Structure, string[]][])
      console.log(`${name}, ${what}:\n${list.map((line) => `  ${line}`).join('\n')}\n`);
  }
}
