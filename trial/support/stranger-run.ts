// A service that is attacked, the honest peers beside the attackers, and what all of them saw.
import { join } from 'node:path';
import type { Attack, Target, TargetChannel } from '../../test/support/attacks/attack.ts';
import { commonName } from '../../test/support/attacks/dear-searches.ts';
import { makeCertificate } from '../../test/support/certificate.ts';
import { temporaryFolder } from '../../test/support/engines.ts';
import { until } from '../../test/support/live-channel.ts';
import { isShort } from '../../test/support/machine-pace.ts';
import { refusalCounts } from '../../test/support/refusal-counts.ts';
import { ownCertificate } from '../../test/support/rude/http-connection.ts';
import {
  footlight,
  type ServiceProcess,
  type StartOptions,
  startProcess,
} from '../../test/support/service-process.ts';
import type { AttackOrder, AttackReport } from './attack-child.ts';
import { type HonestFigures, type HonestPeers, startHonestPeers } from './honest-peers.ts';
import { type MachineLag, startMachineLag } from './machine-lag.ts';

/**
 * What the attackers' account has: enough to push to, and so many videos that to search them costs something. In short
 * form they are few: test/strangers/dear-searches.test.ts has the many.
 */
const attackers = { channels: 24, videos: isShort ? 2_000 : 22_000 };
/** Of the service with a certificate, which nobody searches. */
const secureAttackers = { ...attackers, videos: 0 };
/**
 * While nobody is rude it is about 100 MB. All pushes together may hold 512 MB, and as much again lies where it was let
 * go until the collector has looked; answers that are not taken hold 128 MB, twice that where they wait encrypted, and
 * what RTMP players have not read half of 256. A machine of 2 GB has room for it, and for a job that is no large one.
 */
const memoryBytesMax = 1_500 * 1_048_576;

/** What the honest peers of one service saw while some attacked it. */
export interface Phase extends HonestFigures {
  name: string;
  /** What the machine did to honest peers meanwhile where nobody is rude; nothing without a twin. */
  elsewhere: HonestFigures | undefined;
  lagMs: number;
  memoryMb: number;
  cpuCores: number;
  refusals: number;
  /** Counts that should have moved and did not. */
  missing: string[];
}

export interface StartedWith extends Pick<StartOptions, 'flags' | 'checkout'> {
  /** A service that nobody attacks runs beside them. */
  hasTwin?: boolean;
}

export interface PhaseOrder {
  attacks: readonly Attack[];
  seconds: number;
  /** At the service with a certificate. */
  isSecure: boolean;
}

/** A service and its honest peers. */
interface Show {
  service: ServiceProcess;
  honest: HonestPeers;
}

/** One that is attacked. */
interface Side extends Show {
  target: Target;
  lag: MachineLag;
}

export class StrangerRun {
  private readonly plain: Side;
  /** With a certificate: for attacks that need one, and for RTMP's beside them. */
  private readonly secure: Side;
  /** Nobody attacks it. */
  private readonly twin: Show | undefined;
  private readonly attackProblems: string[] = [];
  /** Attacks that came to their end. */
  readonly made = new Set<string>();

  static async start({ flags = [], checkout, hasTwin }: StartedWith): Promise<StrangerRun> {
    // One network may have half: an attacker who opens 450 is over it.
    const settings = { ...ownDatabase(), HTTP_CONNECTIONS: '600' };
    const show = await startShow(settings, { flags, checkout });
    const twin = hasTwin ? await startShow(ownDatabase(), { checkout }) : undefined;
    const secureSettings = { ...ownDatabase(), ...makeCertificate() };
    const secureShow = await startShow(secureSettings, { checkout });
    const plain = await sideOf(show, settings, attackers);
    const secure = await sideOf(secureShow, secureSettings, secureAttackers);
    return new StrangerRun({ plain, secure, twin });
  }

  private constructor(parts: { plain: Side; secure: Side; twin: Show | undefined }) {
    this.plain = parts.plain;
    this.secure = parts.secure;
    this.twin = parts.twin;
  }

  /** What the peers of the service saw that all these attacks were aimed at. */
  async phase(name: string, { attacks, seconds, isSecure }: PhaseOrder): Promise<Phase> {
    const side = isSecure ? this.secure : this.plain;
    this.twin?.honest.seen();
    const look = await lookAt(side, isSecure ? `${name}, TLS` : name, attacks);
    if (attacks.length === 0) await Bun.sleep(seconds * 1_000);
    await Promise.all(
      attacks.map(async (attack, at) => {
        const { target } = side;
        const order = { name: attack.name, target, from: `127.0.${at + 1}.1`, seconds };
        const report = await attackInChild(order);
        if ('problem' in report) this.attackProblems.push(`${attack.name}: ${report.problem}`);
        else this.made.add(attack.name);
      }),
    );
    return await look(this.twin?.honest.seen());
  }

  /** Resolves when the attackers' pushes are over: one that was cut holds its memory for as long as it may come back. */
  async settled(): Promise<void> {
    // One that does not answer any more is not waited for.
    for (const { service } of [this.plain, this.secure])
      await until(async () => !((await liveChannelsOf(service)) > 1), {
        withinMs: settledWithinMs,
        otherwise: "the attackers' pushes did not end",
      }).catch((error: Error) => this.attackProblems.push(error.message));
  }

  problems(): string[] {
    const found = [...this.attackProblems];
    const isError = (line: string) => line.includes('"level":"error"');
    for (const { service, honest } of this.shows) {
      const { peakBytes } = service.memory();
      found.push(...honest.problems());
      if (!service.isAlive()) found.push('a service has ended');
      if (peakBytes > memoryBytesMax) found.push(`${peakBytes} bytes were held`);
      found.push(...service.log().split('\n').filter(isError));
    }
    return found;
  }

  /** At once: it may not answer any more. */
  async kill(): Promise<void> {
    for (const { lag } of [this.plain, this.secure]) lag.stop();
    await Promise.all(this.shows.map(({ service }) => service.kill()));
    await Promise.all(this.shows.map(({ honest }) => honest.stop()));
  }

  async end(): Promise<void> {
    for (const { lag } of [this.plain, this.secure]) lag.stop();
    await Promise.all(this.shows.map(({ honest }) => honest.stop()));
    await Promise.all(this.shows.map(({ service }) => service.stop()));
  }

  private get shows(): Show[] {
    return [this.plain, this.secure, ...(this.twin ? [this.twin] : [])];
  }
}

/** Begins to look at a service; the function ends it. */
async function lookAt(
  { service, honest, lag }: Side,
  name: string,
  attacks: readonly Attack[],
): Promise<(elsewhere: HonestFigures | undefined) => Promise<Phase>> {
  const before = await refusalsOf(service);
  const cpuBefore = service.cpuMs();
  const startedAt = performance.now();
  honest.seen();
  lag.countAnew();
  return async (elsewhere) => {
    const cpuCores = (service.cpuMs() - cpuBefore) / (performance.now() - startedAt);
    const figures = honest.seen();
    const after = await refusalsOf(service);
    const grown = (reason: string) => (after[reason] ?? 0) - (before[reason] ?? 0);
    const wanted = attacks.flatMap(({ refusals }) => refusals);
    return {
      name,
      ...figures,
      elsewhere,
      lagMs: lag.worstMs,
      memoryMb: Math.round(service.memory().residentBytes / 1_048_576),
      cpuCores: Math.round(cpuCores * 100) / 100,
      refusals: Object.keys(after).reduce((sum, reason) => sum + grown(reason), 0),
      missing: wanted
        .filter((reason) => grown(reason) <= 0)
        .map((reason) => `${name}: no "${reason}" counted`),
    };
  };
}

/** As its /metrics counts them, by `kind reason`. */
async function refusalsOf(service: ServiceProcess): Promise<Record<string, number>> {
  return refusalCounts(await metricsOf(service));
}

async function liveChannelsOf(service: ServiceProcess): Promise<number> {
  const text = await metricsOf(service);
  return Number(/^footlight_live_channels (\d+)$/m.exec(text)?.[1]);
}

/** Of one that does not answer any more there are none. */
function metricsOf({ url, token }: ServiceProcess): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(metricsWithinMs);
  return fetch(`${url}/metrics`, { headers, tls: ownCertificate, signal })
    .then((answer) => answer.text())
    .catch(() => '');
}

function ownDatabase() {
  return { DATA_DIR: temporaryFolder(), DATABASE_URL: '', MIN_FREE_DISK: '10M' };
}

async function startShow(
  settings: ReturnType<typeof ownDatabase>,
  options: StartOptions,
): Promise<Show> {
  const service = await startProcess(settings, options);
  return { service, honest: await startHonestPeers(service, settings) };
}

async function sideOf(
  { service, honest }: Show,
  settings: Record<string, string>,
  counts: typeof attackers,
): Promise<Side> {
  const { id, rtmpPlayUrl } = honest.channel;
  const show = { id, play_id: lastPart(rtmpPlayUrl) };
  const target = await targetOf(service, settings, { show, ...counts });
  return { service, honest, target, lag: startMachineLag(service.pid) };
}

/** The attackers' own accounts, with their channels, and somebody else's show. */
async function targetOf(
  service: ServiceProcess,
  settings: Record<string, string>,
  { show, ...counts }: Pick<Target, 'show'> & typeof attackers,
): Promise<Target> {
  const { id, token } = await newAccount(settings);
  const channels: (TargetChannel & { rtmpPort: number })[] = [];
  while (channels.length < counts.channels) channels.push(await newChannel(service.url, token));
  const [{ id: act_id, rtmpPort } = { id: 0, rtmpPort: 0 }] = channels;
  if (counts.videos > 0) {
    const file = join(temporaryFolder(), 'videos.ndjson');
    await Bun.write(file, videoLines(act_id, counts.videos));
    await command(settings, 'import', 'videos', '--account', String(id), file);
  }
  const other = await newAccount(settings);
  const heavyChannels = [
    await newChannel(service.url, other.token),
    await newChannel(service.url, other.token),
  ];
  const port = Number(new URL(service.url).port);
  return { port, rtmpPort, token, channels, heavyChannels, show };
}

async function newAccount(
  settings: Record<string, string>,
): Promise<{ id: number; token: string }> {
  const named = ['account', 'create', '--name', 'attackers', '--plan', 'traffic'];
  const { id } = JSON.parse(await command(settings, ...named)) as { id: number };
  const scopes = 'channels:read,channels:write,videos:read,audience:read,manage';
  const words = ['token', 'create', '--account', String(id), '--scopes', scopes];
  return { id, token: await command(settings, ...words) };
}

async function newChannel(
  url: string,
  token: string,
): Promise<TargetChannel & { rtmpPort: number }> {
  const answer = await fetch(`${url}/v1/activities`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'attackers' }),
    tls: ownCertificate,
  });
  const made = (await answer.json()) as {
    id: number;
    rtmp_publish_addr: string;
    rtmp_play_addr: string;
  };
  return {
    id: made.id,
    stream_key: lastPart(made.rtmp_publish_addr),
    play_id: lastPart(made.rtmp_play_addr),
    rtmpPort: Number(new URL(made.rtmp_publish_addr).port),
  };
}

/** What the attackers search: more than one step of it. */
function videoLines(act_id: number, count: number): string {
  const line = (_: unknown, at: number) => JSON.stringify({ id: at, act_id, name: commonName(at) });
  return Array.from({ length: count }, line).join('\n');
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

/** As long as anybody would wait. */
const metricsWithinMs = 15_000;

/** A push that was cut may come back for ten seconds. */
const settledWithinMs = 60_000;

/** What an attack may take beyond its time: it closes what it opened. */
const closeWithinMs = 120_000;

async function attackInChild(order: AttackOrder): Promise<AttackReport> {
  const program = join(import.meta.dir, 'attack-child.ts');
  const child = Bun.spawn(aside([process.execPath, program, JSON.stringify(order)]), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: order.seconds * 1_000 + closeWithinMs,
  });
  const text = await new Response(child.stdout).text();
  return text === '' ? { problem: `it ended with ${await child.exited}` } : JSON.parse(text);
}

/**
 * Attackers have machines of their own in the world. Here they share one core, and only what the others leave of it, so
 * that it is the service that is tried and not the machine. Beside other tests nothing might be left for minutes: there
 * all of them together weigh about as much as one process.
 */
function aside(command: string[]): string[] {
  if (isShort || !Bun.which('chrt')) return ['nice', '-n', '15', ...command];
  return ['chrt', '--idle', '0', ...onLastCore(), ...command];
}

/** Words before a command; none where there is one core, or no way to choose. */
function onLastCore(): string[] {
  const cores = navigator.hardwareConcurrency;
  return cores > 1 && Bun.which('taskset') ? ['taskset', '-c', String(cores - 1)] : [];
}
