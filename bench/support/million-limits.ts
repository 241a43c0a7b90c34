// At which number of viewers each part of a service for a million is used up, by what `bench million` has measured.
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import type { FanOut } from './fan-out.ts';
import { printTable } from './figures.ts';
import type { CrowdFigures } from './million-crowd.ts';

export interface PartLimit {
  part: string;
  /** Viewers at which it is used up. */
  viewers: number;
  /** What it is used up by. */
  by: string;
}

/** Lines that a large room is told, a second. */
const linesPerSecond = 5;
/** A show's crowd comes within so long. */
const rushSeconds = 300;

/** The first breaks first. */
export function limitsOf(result: CrowdFigures, fanOut: FanOut): PartLimit[] {
  const { pages, rowsPerSecond, entriesPerSecond, reportMicroseconds, census } = result;
  const flushSeconds = presenceLimits.flushEveryMsMax / 1_000;
  // A room of a hundred has a line now and then.
  const chatLines = result.channels === 1 ? linesPerSecond : 0;
  // Microseconds a second.
  const perPage =
    (reportMicroseconds * 1_000) / presenceLimits.beatMs + fanOut.microseconds * chatLines;
  return [
    {
      part: 'PostgreSQL, rows of the flush',
      viewers: (rowsPerSecond.median * flushSeconds) / 2,
      by: `2 rows a viewer every ${flushSeconds} s`,
    },
    {
      part: 'PostgreSQL, entries',
      viewers: entriesPerSecond * rushSeconds,
      by: `all come within ${rushSeconds} s`,
    },
    {
      part: 'one core of the nodes, without media',
      viewers: 1_000_000 / perPage,
      by:
        chatLines > 0 ? `a report every 10 s, ${chatLines} lines a second` : 'a report every 10 s',
    },
    {
      part: 'one core of the nodes that count',
      viewers: (pages / census.ms) * presenceLimits.tellEveryMs,
      by: 'all of them come within one round of the count',
    },
  ].sort((one, other) => one.viewers - other.viewers);
}

export function reportLimits(result: CrowdFigures, fanOut: FanOut): void {
  console.log(`${result.channels} channels: what breaks first on this machine`);
  printTable(
    ['part', 'viewers', 'by'],
    limitsOf(result, fanOut).map(({ part, viewers, by }) => [
      part,
      Math.round(viewers).toLocaleString('en-US'),
      by,
    ]),
  );
}
