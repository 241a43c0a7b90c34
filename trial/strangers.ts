// Faults 22 to 24: rude peers of every kind, one after another and then together, beside honest ones who notice nothing.
import { join } from 'node:path';
import type { Attack } from '../test/support/attacks/attack.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { longestStretch } from '../test/support/longest-stretch.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { attackNamed } from './support/attack-child.ts';
import { type Phase, type PhaseOrder, StrangerRun } from './support/stranger-run.ts';

export const trial: Trial = {
  sentence: 'every kind of rude peer, alone and together, beside honest ones; 15 minutes',
  rounds: 1,
  run: async (options) => {
    // First, as what follows judges; of another checkout only the table is wanted.
    const longest = options.checkout === undefined ? await worstStretch(options) : {};
    const figures = await strangers({ ...options, secondsEach: 15, secondsTogether: 180 });
    return { ...figures, ...longest };
  },
};

/** How long each attack is tried alone, 0 for not at all, and all of them together, on each service. */
export interface StrangerOptions extends RoundOptions {
  secondsEach: number;
  secondsTogether: number;
  /** Only these; all of them where they are not named. */
  names?: readonly string[];
  /** Without it neither how fast this machine is, nor what takes an attack longer than its moment. */
  isTimed?: boolean;
}

/** Fault 22: what others may wait for a rude peer, beyond what the machine makes everybody wait. */
const waitMsMax = 50;
/** Between two parts when nobody is rude. */
const partGapMsMax = 300;
const callP99MsMax = 100;

export async function strangers(options: StrangerOptions): Promise<Figures> {
  const { say, secondsEach, secondsTogether, names = attackNames(), isTimed = true } = options;
  const given = { ...options, hasTwin: isTimed };
  const attacks = await Promise.all(names.map(attackNamed));
  const isCompared = options.checkout !== undefined;
  const problems: string[] = [];
  const phases: Phase[] = [];
  const made = new Set<string>();
  let run = await StrangerRun.start(given);
  let isUsed = false;
  const phase = async (name: string, order: PhaseOrder) => {
    // Of a checkout that is only compared, one that does not answer any more must not hide the rest.
    if (isCompared && isUsed) {
      await run.kill();
      run = await StrangerRun.start(given);
    }
    if (!isCompared) await run.settled();
    isUsed = true;
    const seen = await run.phase(name, order);
    phases.push(seen);
    say(rowText(seen));
    for (const one of run.made) made.add(one);
  };
  try {
    say(headText);
    const alone = { seconds: secondsEach };
    if (secondsEach > 0) await phase('nobody', { ...alone, attacks: [], isSecure: false });
    for (const attack of secondsEach > 0 ? attacks : [])
      await phase(attack.name, { ...alone, attacks: [attack], isSecure: attack.over === 'https' });
    // Of each alone: together, who is crowded out cannot be late with its handshake.
    if (isTimed) problems.push(...phases.flatMap((seen) => seen.missing));
    // One after the other: each has the machine to itself, and RTMP's come to both.
    for (const order of [onPlain(attacks), onSecure(attacks)])
      await phase('together', { ...order, seconds: secondsTogether });
    if (isTimed) problems.push(...phases.flatMap(lateness));
    demand([...run.problems(), ...problems]);
    return { attacks: made.size, ...figuresOf(phases) };
  } finally {
    await (isCompared ? run.kill() : run.end());
  }
}

function onPlain(attacks: readonly Attack[]) {
  return { attacks: attacks.filter(({ over }) => over !== 'https'), isSecure: false };
}

function onSecure(attacks: readonly Attack[]) {
  return { attacks: attacks.filter(({ over }) => over !== 'http'), isSecure: true };
}

export function attackNames(): string[] {
  return [...new Bun.Glob('*.ts').scanSync(join(import.meta.dir, '../test/support/attacks'))]
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'attack')
    .sort();
}

/** All that need no certificate together, with the service watching itself: the longest time it did not turn, and where. */
async function worstStretch({ say, ...options }: RoundOptions): Promise<Figures> {
  const folder = temporaryFolder();
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
  const run = await StrangerRun.start({ ...options, flags });
  try {
    const attacks = await Promise.all(attackNames().map(attackNamed));
    await run.phase('together', { ...onPlain(attacks), seconds: 20 });
  } finally {
    await run.end();
  }
  const longest = longestStretch(folder);
  say(`the longest stretch of one turn: ${longest?.ms} ms`);
  for (const line of longest?.stack ?? []) say(`  ${line}`);
  return { longest_stretch_ms: longest?.ms ?? 0 };
}

/** What somebody honest waited for; a viewer beyond what the machine lags, a caller beyond what another service's waits. */
function lateness({ name, elsewhere, lagMs, ...here }: Phase): string[] {
  const gapMs = Math.max(here.hlsGapMs - partGapMsMax, here.rtmpGapMs - waitMsMax);
  const callMsMax = Math.max(callP99MsMax, (elsewhere?.callP99Ms ?? 0) + waitMsMax);
  return [
    ...(gapMs > waitMsMax + lagMs
      ? [`${name}: a viewer waited ${gapMs} ms too long (the machine lags ${lagMs})`]
      : []),
    ...(here.callP99Ms > callMsMax
      ? [`${name}: the slowest calls took ${here.callP99Ms} ms, not ${callMsMax}`]
      : []),
  ];
}

const columns = [
  ['attack', 22],
  ['HLS gap', 8],
  ['(twin)', 7],
  ['RTMP gap', 9],
  ['(twin)', 7],
  ['chat', 6],
  ['calls', 6],
  ['p99', 6],
  ['(twin)', 7],
  ['worst', 6],
  ['lag', 6],
  ['MB', 5],
  ['cores', 6],
  ['refused', 8],
] as const;

const headText = columns.map(([title, width]) => title.padStart(width)).join('');

/** The twin is attacked by nobody, and has the same machine. */
function rowText({ elsewhere, ...here }: Phase): string {
  return [
    here.name,
    here.hlsGapMs,
    elsewhere?.hlsGapMs ?? '',
    here.rtmpGapMs,
    elsewhere?.rtmpGapMs ?? '',
    here.chatWorstMs,
    here.calls,
    here.callP99Ms,
    elsewhere?.callP99Ms ?? '',
    here.callWorstMs,
    here.lagMs,
    here.memoryMb,
    here.cpuCores,
    here.refusals,
  ]
    .map((cell, at) => String(cell).padStart(columns[at]?.[1] ?? 0))
    .join('');
}

function figuresOf(phases: readonly Phase[]): Figures {
  const worst = (of: (phase: Phase) => number) => Math.max(...phases.map(of));
  return {
    worst_hls_gap_ms: worst(({ hlsGapMs }) => hlsGapMs),
    worst_rtmp_gap_ms: worst(({ rtmpGapMs }) => rtmpGapMs),
    worst_chat_ms: worst(({ chatWorstMs }) => chatWorstMs),
    worst_call_p99_ms: worst(({ callP99Ms }) => callP99Ms),
    machine_lag_ms: worst(({ lagMs }) => lagMs),
    memory_mb: worst(({ memoryMb }) => memoryMb),
    refusals: phases.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}
