// Faults 22 to 24: rude peers of every kind, one after another and then together, beside honest ones who notice nothing.
import { join } from 'node:path';
import { temporaryFolder } from '../test/support/engines.ts';
import type { Attack, Target, TargetChannel } from './attacks/attack.ts';
import { type AttackOrder, type AttackReport, attackNamed } from './support/attack-child.ts';
import { type HonestFigures, type HonestPeers, startHonestPeers } from './support/honest-peers.ts';
import { longestStretch } from './support/longest-stretch.ts';
import { type MachineLag, startMachineLag } from './support/machine-lag.ts';
import {
  footlight,
  type ServiceProcess,
  type StartOptions,
  startProcess,
} from './support/service-process.ts';
import { demand, type Figures, type RoundOptions, type Trial } from './support/trial.ts';

export const trial: Trial = {
  sentence: 'every kind of rude peer, alone and together, beside honest ones; 10 minutes',
  rounds: 1,
  run: async (options) => {
    const figures = await strangers({ ...options, secondsEach: 15, secondsTogether: 300 });
    return { ...figures, ...(await worstStretch(options)) };
  },
};

/** How long each attack is tried alone, and all of them together. */
export interface StrangerOptions extends RoundOptions {
  secondsEach: number;
  secondsTogether: number;
  /** Only these; all of them where they are not named. */
  names?: readonly string[];
  /** Without it only what happened is judged, not how fast this machine is. */
  isTimed?: boolean;
}

/** What is held while nobody is rude is about 100 MB; attackers have accounts and pushes of their own. */
const memoryBytesMax = 700 * 1_048_576;
/** Fault 22: what others may wait for a rude peer, beyond the machine's own lag. */
const waitMsMax = 50;
/** Between two parts when nobody is rude. */
const partGapMsMax = 300;
const callP99MsMax = 100;
const attackerChannels = 24;

export async function strangers(options: StrangerOptions): Promise<Figures> {
  const { say, secondsEach, secondsTogether, names = attackNames(), isTimed = true } = options;
  const run = await StrangerRun.start(options);
  const phases: Phase[] = [];
  const phase = async (name: string, given: { attacks: readonly Attack[]; seconds: number }) => {
    // Of a checkout that is only compared, one that does not answer any more must not hide the rest.
    const fresh = options.checkout === undefined ? undefined : await StrangerRun.start(options);
    const seen = await (fresh ?? run).phase(name, given);
    await fresh?.kill();
    phases.push(seen);
    say(rowText(seen));
  };
  try {
    const attacks = await Promise.all(names.map(attackNamed));
    say(headText);
    await phase('nobody', { attacks: [], seconds: secondsEach });
    for (const attack of attacks)
      await phase(attack.name, { attacks: [attack], seconds: secondsEach });
    await phase('together', { attacks, seconds: secondsTogether });
    demand([
      ...run.problems(),
      ...phases.flatMap(({ missing }) => missing),
      ...(isTimed ? phases.flatMap(lateness) : []),
    ]);
    return figuresOf(phases);
  } finally {
    await run.end();
  }
}

export function attackNames(): string[] {
  return [...new Bun.Glob('*.ts').scanSync(join(import.meta.dir, 'attacks'))]
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'attack')
    .sort();
}

/** All together once more, with the service watching itself: the longest time it did not turn, and where. */
async function worstStretch({ say, ...options }: RoundOptions): Promise<Figures> {
  const folder = temporaryFolder();
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
  const run = await StrangerRun.start({ ...options, flags });
  try {
    const attacks = await Promise.all(attackNames().map(attackNamed));
    await run.phase('together', { attacks, seconds: 20 });
  } finally {
    await run.end();
  }
  const longest = longestStretch(folder);
  say(`the longest stretch of one turn: ${longest?.ms} ms`);
  for (const line of longest?.stack ?? []) say(`  ${line}`);
  return { longest_stretch_ms: longest?.ms ?? 0 };
}

/** What was seen while these attacked. */
interface Phase extends HonestFigures {
  name: string;
  lagMs: number;
  memoryMb: number;
  cpuCores: number;
  refusals: number;
  /** Counts that should have moved and did not. */
  missing: string[];
}

type StartedWith = Pick<StartOptions, 'flags' | 'checkout'>;

class StrangerRun {
  private readonly service: ServiceProcess;
  private readonly honest: HonestPeers;
  private readonly target: Target;
  private readonly lag: MachineLag;
  private readonly attackProblems: string[] = [];

  static async start({ flags = [], checkout }: StartedWith): Promise<StrangerRun> {
    const settings = { DATA_DIR: temporaryFolder(), DATABASE_URL: '', MIN_FREE_DISK: '10M' };
    const service = await startProcess(settings, { flags, checkout });
    const honest = await startHonestPeers(service, settings);
    const target = await targetOf(service, settings, honest);
    return new StrangerRun(service, honest, target);
  }

  private constructor(service: ServiceProcess, honest: HonestPeers, target: Target) {
    this.service = service;
    this.honest = honest;
    this.target = target;
    this.lag = startMachineLag(service.pid);
  }

  async phase(
    name: string,
    { attacks, seconds }: { attacks: readonly Attack[]; seconds: number },
  ): Promise<Phase> {
    const before = await this.refusals();
    const cpuBefore = this.service.cpuMs();
    const startedAt = performance.now();
    this.honest.seen();
    this.lag.countAnew();
    const { target } = this;
    if (attacks.length === 0) await Bun.sleep(seconds * 1_000);
    await Promise.all(
      attacks.map(async (attack, at) => {
        const order = { name: attack.name, target, from: `127.0.${at + 1}.1`, seconds };
        const report = await attackInChild(order);
        if ('problem' in report) this.attackProblems.push(`${attack.name}: ${report.problem}`);
      }),
    );
    const cpuCores = (this.service.cpuMs() - cpuBefore) / (performance.now() - startedAt);
    const after = await this.refusals();
    const grown = (key: string) => (after.get(key) ?? 0) - (before.get(key) ?? 0);
    const wanted = attacks.flatMap(({ refusals }) => refusals);
    return {
      name,
      ...this.honest.seen(),
      lagMs: this.lag.worstMs,
      memoryMb: Math.round(this.service.memory().residentBytes / 1_048_576),
      cpuCores: Math.round(cpuCores * 100) / 100,
      refusals: [...after.keys()].reduce((sum, key) => sum + grown(key), 0),
      missing: wanted.filter((key) => grown(key) <= 0).map((key) => `${name}: no "${key}" counted`),
    };
  }

  problems(): string[] {
    const found = [...this.honest.problems(), ...this.attackProblems];
    const { peakBytes } = this.service.memory();
    if (!this.service.isAlive()) found.push('the service has ended');
    if (peakBytes > memoryBytesMax) found.push(`${peakBytes} bytes were held`);
    const isError = (line: string) => line.includes('"level":"error"');
    return [...found, ...this.service.log().split('\n').filter(isError)];
  }

  /** At once: it may not answer any more. */
  async kill(): Promise<void> {
    this.lag.stop();
    await this.service.kill();
    await this.honest.stop();
  }

  async end(): Promise<void> {
    this.lag.stop();
    await this.honest.stop();
    await this.service.stop();
  }

  /** As /metrics counts them, by `kind reason`. */
  private async refusals(): Promise<Map<string, number>> {
    const { text } = await this.service.call('GET', '/metrics');
    const line = /^footlight_refusals_total\{kind="(\w+)",reason="(\w+)"\} (\d+)$/gm;
    return new Map(
      [...text.matchAll(line)].map(([, kind, reason, count]) => [
        `${kind} ${reason}`,
        Number(count),
      ]),
    );
  }
}

/** The attackers' own account, with its channels, and somebody else's show. */
async function targetOf(
  service: ServiceProcess,
  settings: Record<string, string>,
  { channel }: HonestPeers,
): Promise<Target> {
  const named = ['account', 'create', '--name', 'attackers', '--plan', 'traffic'];
  const account = await command(settings, ...named);
  const { id } = JSON.parse(account) as { id: number };
  const scopes = 'channels:read,channels:write,videos:read,audience:read,manage';
  const words = ['token', 'create', '--account', String(id), '--scopes', scopes];
  const token = await command(settings, ...words);
  const channels: TargetChannel[] = [];
  for (let count = 0; count < attackerChannels; count++) {
    const body = { name: `attackers ${count}` };
    const made = (await service.call('POST', '/v1/activities', { token, body })).body;
    const stream_key = lastPart(made.rtmp_publish_addr);
    channels.push({ id: made.id, stream_key, play_id: lastPart(made.rtmp_play_addr) });
  }
  return {
    port: Number(new URL(service.url).port),
    rtmpPort: Number(new URL(channel.publishUrl).port),
    token,
    channels,
    show: { id: channel.id, play_id: lastPart(channel.rtmpPlayUrl) },
  };
}

function lastPart(url: string): string {
  return url.split('/').at(-1) ?? '';
}

/** The last line that a command prints. */
async function command(settings: Record<string, string>, ...words: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const child = Bun.spawn([...footlight, ...words], { env, stdout: 'pipe', stderr: 'ignore' });
  const text = await new Response(child.stdout).text();
  return text.trim().split('\n').at(-1) ?? '';
}

/** What an attack may take beyond its time: it closes what it opened. */
const closeWithinMs = 30_000;

async function attackInChild(order: AttackOrder): Promise<AttackReport> {
  const program = join(import.meta.dir, 'support/attack-child.ts');
  const child = Bun.spawn([process.execPath, program, JSON.stringify(order)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: order.seconds * 1_000 + closeWithinMs,
  });
  const text = await new Response(child.stdout).text();
  return text === '' ? { problem: `it ended with ${await child.exited}` } : JSON.parse(text);
}

/** What somebody honest waited for, beyond what the machine itself lags. */
function lateness({ name, hlsGapMs, rtmpGapMs, callP99Ms, lagMs }: Phase): string[] {
  const gapMs = Math.max(hlsGapMs - partGapMsMax, rtmpGapMs - waitMsMax);
  return [
    ...(gapMs > waitMsMax + lagMs
      ? [`${name}: a viewer waited ${gapMs} ms too long (the machine lags ${lagMs})`]
      : []),
    ...(callP99Ms > callP99MsMax ? [`${name}: the slowest calls took ${callP99Ms} ms`] : []),
  ];
}

const columns = [
  ['attack', 22],
  ['HLS gap', 8],
  ['RTMP gap', 9],
  ['chat', 6],
  ['calls', 6],
  ['p99', 6],
  ['worst', 6],
  ['lag', 6],
  ['MB', 5],
  ['cores', 6],
  ['refused', 8],
] as const;

const headText = columns.map(([title, width]) => title.padStart(width)).join('');

function rowText(phase: Phase): string {
  const { name, hlsGapMs, rtmpGapMs, chatWorstMs, calls, callP99Ms, callWorstMs } = phase;
  const { lagMs, memoryMb, cpuCores, refusals } = phase;
  const cells = [name, hlsGapMs, rtmpGapMs, chatWorstMs, calls, callP99Ms, callWorstMs];
  return [...cells, lagMs, memoryMb, cpuCores, refusals]
    .map((cell, at) => String(cell).padStart(columns[at]?.[1] ?? 0))
    .join('');
}

function figuresOf(phases: readonly Phase[]): Figures {
  const worst = (of: (phase: Phase) => number) => Math.max(...phases.map(of));
  return {
    attacks: phases.length - 2,
    worst_hls_gap_ms: worst(({ hlsGapMs }) => hlsGapMs),
    worst_rtmp_gap_ms: worst(({ rtmpGapMs }) => rtmpGapMs),
    worst_chat_ms: worst(({ chatWorstMs }) => chatWorstMs),
    worst_call_p99_ms: worst(({ callP99Ms }) => callP99Ms),
    machine_lag_ms: worst(({ lagMs }) => lagMs),
    memory_mb: worst(({ memoryMb }) => memoryMb),
    refusals: phases.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}
