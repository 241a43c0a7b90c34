// `bench million`: a million viewers in one channel and in ten thousand, by the real entry, flush, union and counting, with modelled sockets.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchOrder } from './support/bench.ts';
import { withNodeStores } from './support/bench-stores.ts';
import { type FanOut, measureFanOut } from './support/fan-out.ts';
import { printTable, rounded, shown } from './support/figures.ts';
import { type CrowdFigures, measureCrowd, tabsInHundred } from './support/million-crowd.ts';
import { limitsOf, reportLimits } from './support/million-limits.ts';

export interface MillionSizes {
  viewers: number;
  /** Channels that they are spread over, one layout after the other. */
  layouts: readonly number[];
  nodes: number;
  /** Each is of a minute's reports. */
  flushes: number;
  fanOut: { sockets: number; lines: number };
}

export const bench: Bench<MillionSizes> = {
  sentence:
    'a million viewers in one channel and in ten thousand: entries, flushes, counts and chat, and what breaks first; 25 minutes',
  sizes: {
    viewers: 1_000_000,
    layouts: [1, 10_000],
    nodes: 3,
    flushes: 2,
    fanOut: { sockets: 5_000, lines: 200 },
  },
  smokeSizes: {
    viewers: 1_200,
    layouts: [1, 12],
    nodes: 3,
    flushes: 1,
    fanOut: { sockets: 50, lines: 5 },
  },
  options: { viewers: (text, sizes) => ({ ...sizes, viewers: Number(text) }) },
  run,
};

async function run({ sizes, folder, startPostgres }: BenchOrder<MillionSizes>): Promise<object> {
  const fanOut = await measureFanOut(sizes.fanOut);
  const results: CrowdFigures[] = [];
  const postgres = await startPostgres();
  try {
    for (const channels of sizes.layouts) {
      const given = {
        databaseUrl: await postgres.emptyDatabase(`million_${channels}`),
        folder: join(folder, String(channels)),
        nodes: sizes.nodes,
      };
      const { viewers, flushes } = sizes;
      results.push(
        await withNodeStores(given, (stores) =>
          measureCrowd(stores, { channels, viewers, flushes }),
        ),
      );
    }
  } finally {
    await postgres.stop();
  }
  report(results, fanOut, sizes);
  const limits = results.map((result) => limitsOf(result, fanOut));
  return rounded({ viewers: sizes.viewers, load: loadavg()[0], fanOut, results, limits });
}

function report(results: readonly CrowdFigures[], fanOut: FanOut, sizes: MillionSizes): void {
  console.log(
    `${sizes.viewers} viewers, ${tabsInHundred} % with two tabs, ${sizes.nodes} nodes in one process, ${sizes.flushes} flushes of a minute's reports`,
  );
  printTable(
    ['', ...results.map(({ channels }) => `${channels} channels`)],
    [
      ['entries a second', ...results.map((one) => one.entriesPerSecond.toFixed(0))],
      ['ms of 1,000 entries, first tenth', ...results.map((one) => shown(one.entering.first))],
      ['ms of 1,000 entries, last tenth', ...results.map((one) => shown(one.entering.last))],
      ['rows a second', ...results.map((one) => shown(one.rowsPerSecond))],
      ['ms of a flush', ...results.map((one) => shown(one.flushMs))],
      ['ms of an entry meanwhile', ...results.map((one) => shown(one.newcomerMs))],
      ['µs of a report', ...results.map((one) => one.reportMicroseconds.toFixed(2))],
      ['bytes of memory a page', ...results.map((one) => one.memoryBytesPerPage.toFixed(0))],
      ['MB of database', ...results.map((one) => (one.databaseBytes / 1e6).toFixed(0))],
      ['ms to count all once', ...results.map(({ census }) => census.ms.toFixed(0))],
      [
        'MB told between nodes for it',
        ...results.map(({ census }) => (census.bytes / 1e6).toFixed(1)),
      ],
    ],
  );
  console.log(
    `A line of chat costs ${fanOut.microseconds.toFixed(2)} µs a page (${fanOut.sockets} sockets).\n`,
  );
  for (const result of results) reportLimits(result, fanOut);
}
