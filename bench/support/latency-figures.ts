// What the pictures of bench latency add up to, and the table that shows it.
import { printTable } from './figures.ts';

/** One picture that was shown. */
export interface Sample {
  atMs: number;
  /** Undefined where the cells could not be read. */
  latencyMs: number | undefined;
  rate: number;
  marginMs: number;
}

export interface Figures {
  medianMs: number;
  p95Ms: number;
  maxMs: number;
  stalls: number;
  stalledMs: number;
  longestStallMs: number;
  /** Smallest, median and greatest `playbackRate`. */
  rates: number[];
  /** What our controller keeps in front at the end. */
  marginMs: number;
  pictures: number;
  unread: number;
}

export interface Result extends Figures {
  scenario: string;
  player: string;
  errors: string[];
  /** Of the machine, over the last minute of it. */
  load: number;
}

export interface Aim {
  name: string;
  /** The most that the median of ours may be. */
  aimMs: number;
  aimStalls: number;
}

/** No new picture for this long is a stall: a frame lasts 33 ms. */
const stallMs = 200;

/** Of what came after the player had found its place; throws where no picture told its time. */
export function figuresOf(all: readonly Sample[], settlingMs: number): Figures {
  const startsAt = (all[0]?.atMs ?? 0) + settlingMs;
  const samples = all.filter(({ atMs }) => atMs >= startsAt);
  const latencies = ascending(samples.flatMap(({ latencyMs }) => latencyMs ?? []));
  if (latencies.length === 0)
    throw new Error(`no time could be read in ${samples.length} pictures`);
  const gaps = samples.slice(1).map(({ atMs }, at) => atMs - (samples[at]?.atMs ?? atMs));
  const stalls = ascending(gaps.filter((ms) => ms > stallMs));
  const rates = ascending(samples.map(({ rate }) => rate));
  return {
    medianMs: share(latencies, 0.5),
    p95Ms: share(latencies, 0.95),
    maxMs: share(latencies, 1),
    stalls: stalls.length,
    stalledMs: stalls.reduce((sum, ms) => sum + ms, 0),
    longestStallMs: stalls.at(-1) ?? 0,
    rates: [share(rates, 0), share(rates, 0.5), share(rates, 1)],
    marginMs: samples.at(-1)?.marginMs ?? 0,
    pictures: samples.length,
    unread: samples.length - latencies.length,
  };
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}

export function report(
  results: readonly Result[],
  aims: readonly Aim[],
  { seconds, settlingSeconds }: { seconds: number; settlingSeconds: number },
): void {
  console.log(
    `${seconds} s each after ${settlingSeconds} s to settle; a stall: no new picture for ${stallMs} ms`,
  );
  printTable(
    [
      'stream',
      'player',
      'median ms',
      'p95',
      'max',
      'stalls',
      'longest ms',
      'rates',
      'margin ms',
      'load',
    ],
    results.map((one) => [
      one.scenario,
      one.player,
      ...[one.medianMs, one.p95Ms, one.maxMs, one.stalls, one.longestStallMs].map(String),
      one.rates.map((rate) => rate.toFixed(2)).join(' '),
      one.marginMs.toFixed(0),
      one.load.toFixed(1),
    ]),
  );
  for (const aim of aims) {
    const ours = results.find(({ scenario, player }) => scenario === aim.name && player === 'ours');
    if (ours) console.log(verdict(ours, aim));
  }
  console.log('');
}

function verdict({ medianMs, stalls }: Result, { name, aimMs, aimStalls }: Aim): string {
  const isMet = medianMs <= aimMs && stalls <= aimStalls;
  const wanted = Number.isFinite(aimStalls) ? `${aimMs} ms and ${aimStalls} stalls` : `${aimMs} ms`;
  return `${isMet ? 'met   ' : 'MISSED'}  ${name}: ${medianMs} ms, ${stalls} stalls; aim at most ${wanted}`;
}
