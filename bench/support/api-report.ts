// What `bench api` says of its rounds: tables, ratios and verdicts.
import type { ServerName } from './api-servers.ts';
import { type Figure, figure, printTable, ratio, shown } from './figures.ts';

/** What is judged of an operation. */
export interface Judged {
  name: string;
  /** Least share of the bare server's throughput. */
  aim?: number;
  /** Its pace is the disk's too, so that CPU alone does not tell it. */
  waitsForDisk?: true;
}

/** One server under load for a few seconds. */
export interface Round {
  perSecond: number;
  cpuMicros: number;
  databaseCpuMicros: number;
  /** Cores in use: near 1 for the server says that it, not the generator, set the pace. */
  serverUse: number;
  generatorUse: number;
}

/** Least multiple of Fastify's throughput. */
const fastifyAim = 2;
/** A server that used less of its core was kept off it by other programs, or waited. */
const saturatedUse = 0.9;

interface Result {
  name: ServerName;
  perSecond: Figure;
  cpuMicros: Figure;
  databaseCpuMicros: Figure;
  serverUse: Figure;
  generatorUse: Figure;
  bare: Comparison | undefined;
  fastify: Comparison | undefined;
  before: Comparison | undefined;
}

/** Ours in multiples of the peer's; `byCpu` is what the throughput would be if both had their core to themselves. */
interface Comparison {
  throughput: Figure;
  byCpu: Figure;
}

export function report(operation: Judged, samples: ReadonlyMap<ServerName, Round[]>): Result[] {
  const values = (name: ServerName, key: keyof Round) =>
    (samples.get(name) ?? []).map((one) => one[key]);
  const cpuOf = (name: ServerName) =>
    values(name, 'cpuMicros').map((own, n) => own + (values(name, 'databaseCpuMicros')[n] ?? 0));
  const beside = (name: ServerName, peer: ServerName): Comparison | undefined =>
    samples.has(peer)
      ? {
          throughput: ratio(values(name, 'perSecond'), values(peer, 'perSecond')),
          byCpu: ratio(cpuOf(peer), cpuOf(name)),
        }
      : undefined;
  const results = [...samples.keys()].map((name) => ({
    name,
    perSecond: figure(values(name, 'perSecond')),
    cpuMicros: figure(values(name, 'cpuMicros')),
    databaseCpuMicros: figure(values(name, 'databaseCpuMicros')),
    serverUse: figure(values(name, 'serverUse')),
    generatorUse: figure(values(name, 'generatorUse')),
    bare: beside(name, 'bare'),
    fastify: beside(name, 'fastify'),
    before: beside(name, name.endsWith('-pg') ? 'before-pg' : 'before'),
  }));
  console.log(operation.name);
  printResults(results);
  printVerdicts(operation, results);
  return results;
}

function printResults(results: readonly Result[]): void {
  const optional = (one: Figure | undefined) => (one ? shown(one, 2) : '');
  printTable(
    [
      'server',
      'requests/s',
      'of bare',
      'by CPU',
      'of Fastify',
      'by CPU',
      'of before',
      'by CPU',
      'CPU µs/request',
      'database µs',
      'server cores',
      'generator',
    ],
    results.map((one) => [
      one.name,
      shown(one.perSecond),
      optional(one.bare?.throughput),
      optional(one.bare?.byCpu),
      optional(one.fastify?.throughput),
      optional(one.fastify?.byCpu),
      optional(one.before?.throughput),
      optional(one.before?.byCpu),
      shown(one.cpuMicros, 1),
      one.databaseCpuMicros.max > 0 ? one.databaseCpuMicros.median.toFixed(1) : '',
      one.serverUse.median.toFixed(2),
      one.generatorUse.median.toFixed(2),
    ]),
  );
}

function printVerdicts({ name, aim, waitsForDisk }: Judged, results: readonly Result[]) {
  const used = (server: ServerName) =>
    results.find((one) => one.name === server)?.serverUse.median ?? 0;
  const ours = results.find((one) => one.name === 'footlight');
  const judge = (peer: 'bare' | 'fastify', wanted: number | undefined) => {
    const comparison = ours?.[peer];
    if (!comparison || wanted === undefined) return;
    const isFair =
      waitsForDisk || (used('footlight') >= saturatedUse && used(peer) >= saturatedUse);
    const { median } = isFair ? comparison.throughput : comparison.byCpu;
    const how = isFair ? 'of its throughput' : 'by CPU (other programs used the core)';
    console.log(
      `${median >= wanted ? 'met   ' : 'MISSED'}  ${name} beside ${peer}: ${median.toFixed(2)} ${how}, aim ${wanted}`,
    );
  };
  judge('bare', aim);
  judge('fastify', fastifyAim);
  console.log('');
}
