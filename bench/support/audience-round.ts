// One round of `bench audience`: a service with a push, so many viewers before it, callers beside them, and the records.
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { ticketSecret } from '../../test/support/beating-viewers.ts';
import { clipFile } from '../../test/support/clip-push.ts';
import { isLive, newLiveChannel, until } from '../../test/support/live-channel.ts';
import { type ServiceProcess, startProcess } from '../../test/support/service-process.ts';
import type { DatabaseSettings } from '../../test/support/snapshot.ts';
import type { CallersCount, CallersOrder } from './audience-callers.ts';
import { type Records, recordsBeside } from './audience-records.ts';
import type { ViewersCount, ViewersOrder } from './audience-viewers.ts';
import { onCoreOf } from './cores.ts';
import { type Figure, figure } from './figures.ts';
import { type LoadProcess, startLoad } from './load-process.ts';
import { cpuSeconds, type Memory, memoryOf } from './process-usage.ts';
import type { PublishersOrder } from './publishers.ts';
import { serviceSettings } from './service-settings.ts';

export interface Round {
  /** Of this checkout, or of the one before. */
  of: 'now' | 'before';
  viewers: number;
  /** Until all were in. */
  arrivalSeconds: number;
  /** The push and the callers alone, then with the viewers. */
  alone: Usage;
  watched: Usage;
  kbPerViewer: number;
  cpuSecondsPerViewerMinute: number;
  beatsPerSecond: number;
  /** Cores that the viewers' process used: near 1 it set the pace. */
  loadUse: number;
  /** While the viewers came, and while all were there. */
  rush: CallersCount['calls'];
  calls: CallersCount['calls'];
  records: Records;
}

export interface Usage {
  cores: number;
  /** Of the load and of whatever else ran: more than the load's says that the round was disturbed. */
  coresElse: number;
  residentMb: Figure;
  /** Of that, what is no page of a program file. */
  ownMb: Figure;
}

export interface RoundSizes {
  /** Until code is compiled, the stream's window is full and every viewer has beaten. */
  settleMs: number;
  /** With the push and the callers alone, then with the viewers. */
  aloneSeconds: number;
  seconds: number;
}

const liveWithinMs = 30_000;

export async function audienceRound(given: {
  viewers: number;
  sizes: RoundSizes;
  folder: string;
  /** Another checkout, whose service is measured. */
  before?: string | undefined;
}): Promise<Round> {
  const { viewers: count, sizes, folder, before } = given;
  rmSync(folder, { recursive: true, force: true });
  const settings = { ...serviceSettings.audience(count), DATA_DIR: folder, DATABASE_URL: '' };
  const service = await startProcess(settings, {
    wrapper: onCoreOf('server', []),
    checkout: before,
  });
  const loads: LoadProcess<unknown>[] = [];
  try {
    const measured = await measure({ service, settings, count, sizes, loads });
    await service.stop();
    const records = await recordsBeside(settings, measured.owedMs);
    return { of: before === undefined ? 'now' : 'before', ...measured.round, records };
  } finally {
    for (const load of loads) await load.stop();
    if (service.isAlive()) await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(given: {
  service: ServiceProcess;
  settings: DatabaseSettings;
  count: number;
  sizes: RoundSizes;
  /** What was started, for the caller to stop. */
  loads: LoadProcess<unknown>[];
}): Promise<{ round: Omit<Round, 'of' | 'records'>; owedMs: ViewersCount['owedMs'] }> {
  const { service, settings, count, sizes, loads } = given;
  const { settleMs, aloneSeconds, seconds } = sizes;
  const { url: serviceUrl, token, pid } = service;
  const started = async <Load extends LoadProcess<unknown>>(starting: Promise<Load>) => {
    const load = await starting;
    loads.push(load);
    return load;
  };
  const { id: channel_id, publishUrl } = await newLiveChannel(service);
  const push: PublishersOrder = { clipFile, addresses: [publishUrl], spreadMs: 0 };
  await started(startLoad('publishers.ts', push));
  const live = () => isLive(service, channel_id);
  await until(live, { withinMs: liveWithinMs, otherwise: 'the channel is not live' });
  const asked: CallersOrder = { serviceUrl, token, channel_id };
  const callers = await started(startLoad<CallersCount>('audience-callers.ts', asked));
  await Bun.sleep(settleMs);
  const alone = await usage(pid, aloneSeconds);

  await callers.begin();
  const cameAt = performance.now();
  const secret = await ticketSecret(settings);
  const order: ViewersOrder = { serviceUrl, secret, channel_id, count };
  const viewers = await started(startLoad<ViewersCount>('audience-viewers.ts', order));
  const arrivalSeconds = (performance.now() - cameAt) / 1_000;
  const rush = await callers.end();
  await Bun.sleep(settleMs);

  await Promise.all([viewers.begin(), callers.begin()]);
  const watched = await usage(pid, seconds);
  const { calls } = await callers.end();
  const said = await viewers.end();
  return {
    round: {
      viewers: count,
      arrivalSeconds,
      alone,
      watched,
      kbPerViewer: (grownMb(alone, watched) * 1_024) / count,
      cpuSecondsPerViewerMinute: ((watched.cores - alone.cores) * 60) / count,
      beatsPerSecond: said.beats / said.seconds,
      loadUse: said.cpuSeconds / said.seconds,
      rush: rush.calls,
      calls,
    },
    owedMs: said.owedMs,
  };
}

/** What the process uses while so many seconds pass; its memory is looked at once a second. */
async function usage(pid: number, seconds: number): Promise<Usage> {
  const looks: Memory[] = [];
  const [startedAt, before, allBefore] = [performance.now(), cpuSeconds(pid), busySeconds()];
  for (let second = 0; second < seconds; second++) {
    await Bun.sleep(1_000);
    looks.push(memoryOf(pid));
  }
  const passedSeconds = (performance.now() - startedAt) / 1_000;
  const usedSeconds = cpuSeconds(pid) - before;
  return {
    cores: usedSeconds / passedSeconds,
    coresElse: (busySeconds() - allBefore - usedSeconds) / passedSeconds,
    residentMb: figure(looks.map(({ residentMb }) => residentMb)),
    ownMb: figure(looks.map(({ ownMb }) => ownMb)),
  };
}

/** Of the whole machine. */
function busySeconds(): number {
  const busyMs = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  return busyMs.reduce((sum, ms) => sum + ms, 0) / 1_000;
}

/** The larger growth: program pages that the machine takes away meanwhile must not flatter the figure. */
function grownMb(before: Usage, after: Usage): number {
  const grown = (kind: 'residentMb' | 'ownMb') => after[kind].median - before[kind].median;
  return Math.max(grown('residentMb'), grown('ownMb'));
}
