// What `bench audience` says of its rounds: what viewers cost, what callers waited, whether the records are right.
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import type { CallersCount, CallTimes } from './audience-callers.ts';
import type { Records } from './audience-records.ts';
import type { Round } from './audience-round.ts';
import { printTable, shown } from './figures.ts';

const aims = {
  kbPerViewer: 8,
  /** Of each operation. */
  p99Ms: 50,
};

export function report(rounds: readonly Round[]): void {
  printCost(rounds);
  printCalls(rounds);
  printRecords(rounds);
  for (const round of rounds) printVerdicts(round);
  console.log('');
}

function printCost(rounds: readonly Round[]): void {
  const headings = ['all in, s', 'cores before', 'cores', 'CPU s/viewer-minute', 'MB before', 'MB'];
  printTable(
    ['viewers', ...headings, 'KB/viewer', 'beats/s', 'cores of all else'],
    rounds.map((round) => [
      nameOf(round),
      round.arrivalSeconds.toFixed(1),
      round.alone.cores.toFixed(2),
      round.watched.cores.toFixed(2),
      round.cpuSecondsPerViewerMinute.toFixed(5),
      shown(round.alone.residentMb),
      shown(round.watched.residentMb),
      round.kbPerViewer.toFixed(1),
      round.beatsPerSecond.toFixed(0),
      round.watched.coresElse.toFixed(2),
    ]),
  );
}

function printCalls(rounds: readonly Round[]): void {
  const row = (name: string, { channel, channels, visitors }: CallersCount['calls']) => [
    name,
    timesText(channel),
    timesText(channels),
    timesText(visitors),
  ];
  printTable(
    ['median / p99 / worst ms', 'channel', 'channels', 'visitors'],
    rounds.flatMap((round) => [
      row(`${nameOf(round)} come`, round.rush),
      row(`${nameOf(round)} watch`, round.calls),
    ]),
  );
}

function timesText({ medianMs, p99Ms, worstMs }: CallTimes): string {
  return [medianMs, p99Ms, worstMs].map((ms) => ms.toFixed(1)).join(' / ');
}

function printRecords(rounds: readonly Round[]): void {
  const headings = [
    'sessions',
    'hours watched',
    'ms short on average',
    'at most',
    'ms over at most',
  ];
  printTable(
    ['viewers', ...headings],
    rounds.map(({ records, ...round }) => [
      nameOf(round),
      String(records.sessions),
      records.watchedHours.toFixed(0),
      records.shortMsMean.toFixed(0),
      String(records.shortMsMost),
      String(records.overMsMost),
    ]),
  );
}

/** `10000`, or `10000 before`. */
function nameOf({ viewers, of }: Pick<Round, 'viewers' | 'of'>): string {
  return of === 'now' ? String(viewers) : `${viewers} ${of}`;
}

function printVerdicts({ of, viewers, kbPerViewer, calls, records }: Round): void {
  const p99Ms = Math.max(...Object.values(calls).map((times) => times.p99Ms));
  const verdict = (isMet: boolean, text: string) =>
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${nameOf({ viewers, of })} viewers, ${text}`);
  const atMost = (what: string, value: number, aim: number) =>
    verdict(value <= aim, `${what}: ${value.toFixed(1)}, aim at most ${aim}`);
  atMost('p99 of the slowest operation in ms', p99Ms, aims.p99Ms);
  atMost('KB of resident memory each', kbPerViewer, aims.kbPerViewer);
  verdict(
    areRight(viewers, records) && records.shortMsMost <= presenceLimits.beatMs,
    'every record is there, none is over, none lacks more than a beat',
  );
}

/** Figures of a service that counts wrongly are no figures. */
export function demandRecords(rounds: readonly Round[]): void {
  for (const { viewers, records } of rounds) {
    if (!areRight(viewers, records))
      throw new Error(`the records of ${viewers} viewers are wrong: ${JSON.stringify(records)}`);
  }
}

function areRight(viewers: number, { sessions, overMsMost, visitorsOff }: Records): boolean {
  return sessions === viewers && overMsMost === 0 && visitorsOff === 0;
}
