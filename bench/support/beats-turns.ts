// `bench beats --before FOLDER`: what a beat costs this checkout and another one, round after round in turns.
import { join } from 'node:path';
import type { BeatCost, BeatsOrder } from './beats-process.ts';
import { type Figure, figure, printTable, ratio, shown } from './figures.ts';
import { startLoad } from './load-process.ts';
import type { BenchPostgres } from './postgres.ts';

export interface TurnsSizes {
  viewers: number;
  /** Channels that they are spread over, one layout after the other. */
  layouts: readonly number[];
  /** Beside another checkout everybody beats once in each: the first minute, when rows come to match, and two more. */
  turns: number;
  /** Who comes together: a rush when a show begins. */
  rushEntries: number;
}

interface TurnsOrder {
  sizes: TurnsSizes;
  folder: string;
  before: string;
  postgres: BenchPostgres;
}

const own = join(import.meta.dir, '..', '..');

/** A ratio above 1 is dearer now. */
export async function beatsInTurns(order: TurnsOrder): Promise<object[]> {
  const results = [];
  for (const channels of order.sizes.layouts)
    for (const engine of ['sqlite', 'postgres'] as const)
      results.push(await compared(order, engine, channels));
  printTable(
    ['engine, channels', 'wall, now/before', 'CPU', 'with the database’s', 'µs a beat now'],
    results.map(({ engine, channels, wall, cpu, allCpu, now }) => [
      `${engine}, ${channels}`,
      ...[wall, cpu, allCpu].map((one) => shown(one, 3)),
      shown(now, 1),
    ]),
  );
  return results;
}

async function compared(order: TurnsOrder, engine: 'sqlite' | 'postgres', channels: number) {
  const { sizes, folder, before, postgres } = order;
  const start = async (name: string, checkout: string) => {
    const place = `${name}_${engine}_${channels}`;
    const isPostgres = engine === 'postgres';
    return await startLoad<BeatCost>('beats-process.ts', {
      checkout,
      settings: {
        dataDir: join(folder, place),
        databaseUrl: isPostgres ? await postgres.emptyDatabase(place) : '',
        deadlineMs: 60_000,
        connectionsMax: 10,
      },
      crowd: { viewers: sizes.viewers, channels, rushEntries: sizes.rushEntries },
      databasePid: isPostgres ? postgres.pid : undefined,
    } satisfies BeatsOrder);
  };
  const sides = { before: await start('before', before), now: await start('now', own) };
  const costs: Record<keyof typeof sides, BeatCost[]> = { before: [], now: [] };
  for (let round = 0; round < sizes.turns; round++) {
    const order = round % 2 === 0 ? (['before', 'now'] as const) : (['now', 'before'] as const);
    for (const side of order) {
      await sides[side].begin();
      costs[side].push(await sides[side].end());
    }
  }
  for (const side of Object.values(sides)) await side.stop();
  const of = (part: (cost: BeatCost) => number): Figure =>
    ratio(costs.now.map(part), costs.before.map(part));
  return {
    engine,
    channels,
    wall: of(({ wall }) => wall),
    cpu: of(({ cpu }) => cpu),
    allCpu: of(({ cpu, databaseCpu }) => cpu + databaseCpu),
    now: figure(costs.now.map(({ wall }) => wall)),
  };
}
