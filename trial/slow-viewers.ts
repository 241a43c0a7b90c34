// Fault 11: thousands of viewers who ask and do not read, beside some who do; memory is bounded, the others unaffected.

import { type ClipPush, startClipPush, testClip } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { heavyClip } from '../test/support/heavy-clip.ts';
import { type LiveChannel, newLiveChannel, until } from '../test/support/live-channel.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { type MachineLag, startMachineLag } from './support/machine-lag.ts';
import { openSlow, slowPlay, slowRequest } from './support/slow-sockets.ts';
import {
  type SteadyViewer,
  startHlsViewer,
  startRtmpViewer,
  viewerProblems,
} from './support/steady-viewers.ts';

/** With the slice that every picture gets more: about 6 Mbps. */
const heavySliceBytes = 25_000;
const kilobyte = 1_024;
/** What the pushes and a collector in no hurry take meanwhile, and may keep for a while. */
const otherBytesMax = 100 * kilobyte * kilobyte;
const normalWithinMs = 20_000;

/** How many of each, and how long they stay. */
export interface Crowds {
  light: number;
  heavy: number;
  rtmp: number;
  holdMs: number;
}

export const trial: Trial = {
  sentence: 'thousands of viewers who do not read: memory bounded, fast viewers unaffected',
  rounds: 2,
  run: (options) =>
    slowViewerRounds(options, { light: 6_000, heavy: 100, rtmp: 250, holdMs: 15_000 }),
};

export async function slowViewerRounds(
  { rounds, seed, say }: RoundOptions,
  crowds: Crowds,
): Promise<Figures> {
  // All are one network.
  const crowd = { HTTP_CONNECTS_PER_NETWORK: '100000' };
  const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M', ...crowd };
  const run = new SlowViewersRun(await startProcess(settings), crowds);
  try {
    await run.start();
    for (let at = 0; at < rounds; at++) {
      await round('slow-viewers', seed + at, () => run.round());
      say(`${at + 1} rounds: ${JSON.stringify(run.figures())}`);
    }
    return { rounds, ...run.figures() };
  } finally {
    await run.end();
  }
}

/** Who does not read, and what one of them may cost the service. */
interface Crowd {
  name: string;
  port: number;
  count: number;
  bytes(at: number): string | Uint8Array;
  bytesMax: number;
}

class SlowViewersRun {
  private readonly service: ServiceProcess;
  private readonly crowds: Crowds;

  private readonly lag: MachineLag;
  private shows: { channel: LiveChannel; push: ClipPush }[] = [];
  private viewers: SteadyViewer[] = [];
  private readonly costs: Record<string, number> = {};
  private mostDescriptors = 0;

  constructor(service: ServiceProcess, crowds: Crowds) {
    this.service = service;
    this.crowds = crowds;
    this.lag = startMachineLag(service.pid);
  }

  async start(): Promise<void> {
    for (const clip of [testClip(), heavyClip(heavySliceBytes)]) {
      const channel = await newLiveChannel(this.service);
      const push = await startClipPush(channel.publishUrl, clip);
      const viewer = startHlsViewer(channel.playlistUrl);
      await until(() => viewer.received > 20, { withinMs: 20_000, otherwise: 'it is not live' });
      this.shows.push({ channel, push });
      this.viewers.push(viewer, await startRtmpViewer(channel.rtmpPlayUrl));
    }
  }

  async round(): Promise<void> {
    for (const crowd of await this.makeCrowds()) await this.suffer(crowd);
  }

  async end(): Promise<void> {
    this.lag.stop();
    for (const viewer of this.viewers) await viewer.stop();
    for (const { push } of this.shows) push.publisher.cut();
    await this.service.kill();
  }

  figures(): Figures {
    const gaps = this.viewers.map(({ worstGapMs }) => worstGapMs);
    const { residentBytes, peakBytes } = this.service.memory();
    return {
      ...this.costs,
      most_descriptors: this.mostDescriptors,
      worst_gap_ms: Math.round(Math.max(...gaps)),
      machine_lag_ms: this.lag.worstMs,
      memory_peak_mb: inMb(peakBytes),
      memory_after_mb: inMb(residentBytes),
    };
  }

  private async makeCrowds(): Promise<Crowd[]> {
    const [light, heavy] = this.shows.map(({ channel }) => channel);
    if (!light || !heavy) throw new Error('the pushes have not begun');
    const port = Number(new URL(light.playlistUrl).port);
    const rtmpPort = Number(new URL(light.publishUrl).port);
    const lightPaths = await pathsOf(light);
    const { segment } = await pathsOf(heavy);
    return [
      {
        name: 'light',
        port,
        count: this.crowds.light,
        // Of a hundred kilobytes at most.
        bytes: (at) => slowRequest(Object.values(lightPaths)[at % 3] ?? ''),
        bytesMax: 30 * kilobyte,
      },
      {
        name: 'heavy',
        port,
        count: this.crowds.heavy,
        // Segments of 1.5 MB, more than the system's buffers take; one at a time is ours to hold.
        bytes: () => slowRequest(segment, 10),
        bytesMax: 1_000 * kilobyte,
      },
      {
        name: 'rtmp',
        port: rtmpPort,
        count: this.crowds.rtmp,
        bytes: () => slowPlay(heavy.rtmpPlayUrl.split('/').at(-1) ?? ''),
        // Packets wait for all of them together; one that takes nothing for 10 s is closed.
        bytesMax: 1_000 * kilobyte,
      },
    ];
  }

  /** They come, stay and leave; what they cost, and whether all is as before. */
  private async suffer({ name, port, count, bytes, bytesMax }: Crowd): Promise<void> {
    const before = { bytes: this.resident(), descriptors: this.service.descriptors() };
    const slow = await openSlow({ port, count, bytes });
    const mostBytes = await this.hold();
    await slow.leave();
    await until(() => this.service.descriptors() <= before.descriptors + 10, {
      withinMs: normalWithinMs,
      otherwise: `of ${before.descriptors} descriptors ${this.service.descriptors()} are left`,
    });
    await until(() => this.resident() < before.bytes + otherBytesMax, {
      withinMs: normalWithinMs,
      otherwise: `of ${inMb(before.bytes)} MB ${inMb(this.resident())} are left`,
    });
    const moreBytes = Math.max(0, mostBytes - before.bytes);
    const key = `${name}_kb_a_viewer`;
    this.costs[`${name}_viewers`] = count;
    this.costs[key] = Math.max(this.costs[key] ?? 0, Math.round(moreBytes / count / kilobyte));
    const problems = viewerProblems(this.viewers, this.lag);
    if (moreBytes > otherBytesMax + count * bytesMax)
      problems.push(`${count} ${name} viewers cost ${inMb(moreBytes)} MB`);
    if (!this.service.isAlive()) problems.push('the service has ended');
    demand(problems);
  }

  /** The most memory that was held meanwhile. */
  private async hold(): Promise<number> {
    let mostBytes = 0;
    const endsAt = performance.now() + this.crowds.holdMs;
    while (performance.now() < endsAt) {
      mostBytes = Math.max(mostBytes, this.resident());
      this.mostDescriptors = Math.max(this.mostDescriptors, this.service.descriptors());
      // How long they stay is the point here: no event is waited for.
      await Bun.sleep(100);
    }
    return mostBytes;
  }

  private resident(): number {
    return this.service.memory().residentBytes;
  }
}

/** What there is to ask for now. */
async function pathsOf({ playlistUrl }: LiveChannel) {
  const list = readMediaPlaylist(await (await fetch(playlistUrl)).text());
  const whole = list.segments.findLast(({ uri }) => uri !== undefined);
  const { pathname } = new URL(playlistUrl);
  const pathOf = (uri: string | undefined) => new URL(uri ?? '', playlistUrl).pathname;
  return {
    segment: pathOf(whole?.uri),
    part: pathOf(whole?.parts[0]?.uri ?? whole?.uri),
    playlist: `${pathname}?_HLS_msn=${(list.segments.at(-1)?.sequence ?? 0) + 1}`,
  };
}

function inMb(bytes: number): number {
  return Math.round(bytes / kilobyte / kilobyte);
}
