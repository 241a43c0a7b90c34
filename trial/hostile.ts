// Fault 9: hostile connections, RTMP and HTTP, beside one good push; its viewers see no gap.
import { join } from 'node:path';
import { type ClipPush, startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { type LiveChannel, newLiveChannel, until, videosOf } from '../test/support/live-channel.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import type { HostileOrder, HostileReport } from './support/hostile-child.ts';
import type { HostileTarget } from './support/hostile-http.ts';
import { type MachineLag, startMachineLag } from './support/machine-lag.ts';
import {
  type SteadyViewer,
  startHlsViewer,
  startRtmpViewer,
  viewerProblems,
} from './support/steady-viewers.ts';

const sessionsARound = 200;
const requestsARound = 100;
/** At the same time; each of the sessions has a channel of its own to push to. */
const attackers = 16;
const crowdMax = 3_000;
const crowdEveryRounds = 10;
/** A round takes some seconds. */
const attackWithinMs = 120_000;
/** A service with one push takes 80 MB; what hostile pushes hold is bounded for each. */
const memoryBytesMax = 500 * 1_048_576;

export const trial: Trial = {
  sentence: 'mutated sessions and odd requests beside a push: they end, its viewers see no gap',
  rounds: 50,
  run: hostileRounds,
};

export async function hostileRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const settings = {
    DATA_DIR: temporaryFolder(),
    MIN_FREE_DISK: '10M',
    RECONNECT_MS: '300',
    // The attackers and those beside them come from one address.
    RTMP_CONNECTS_PER_NETWORK: '10000',
    HTTP_CONNECTS_PER_NETWORK: '10000',
  };
  const run = new HostileRun(await startProcess(settings));
  try {
    await run.start();
    for (let at = 0; at < rounds; at++) {
      await round('hostile', seed + at, () => run.round(seed + at, at % crowdEveryRounds === 0));
      if ((at + 1) % 5 === 0) say(`${at + 1} rounds: ${JSON.stringify(run.figures())}`);
    }
    await run.stop();
    return { rounds, ...run.figures() };
  } finally {
    await run.end();
  }
}

class HostileRun {
  private readonly service: ServiceProcess;

  private good: { channel: LiveChannel; push: ClipPush; viewers: SteadyViewer[] } | undefined;
  private channels: LiveChannel[] = [];
  private videoId = 0;
  private readonly lag: MachineLag;
  private readonly counts: Record<string, number> = {};

  constructor(service: ServiceProcess) {
    this.service = service;
    this.lag = startMachineLag(service.pid);
  }

  /** A video to ask for, a push to watch, and channels to be attacked. */
  async start(): Promise<void> {
    this.channels = await Promise.all(
      Array.from({ length: attackers }, () => newLiveChannel(this.service)),
    );
    this.videoId = await this.makeVideo();
    const channel = await newLiveChannel(this.service);
    const push = await startClipPush(channel.publishUrl);
    const hls = startHlsViewer(channel.playlistUrl);
    await until(() => hls.received > 0, { withinMs: 10_000, otherwise: 'the push is not live' });
    this.good = { channel, push, viewers: [hls, await startRtmpViewer(channel.rtmpPlayUrl)] };
  }

  async round(seed: number, hasCrowd: boolean): Promise<void> {
    const counts = await attack({
      seed,
      rtmpPort: Number(new URL(this.running.channel.publishUrl).port),
      keys: this.channels.map(({ publishUrl }) => publishUrl.split('/').at(-1) ?? ''),
      sessions: sessionsARound,
      requests: requestsARound,
      crowd: hasCrowd ? crowdMax : 0,
      target: await this.target(),
    });
    for (const [what, times] of Object.entries(counts))
      this.counts[what] = (this.counts[what] ?? 0) + times;
    demand(this.problems());
  }

  async stop(): Promise<void> {
    const { push, viewers } = this.running;
    for (const viewer of viewers) await viewer.stop();
    await push.end();
    demand(this.problems());
  }

  async end(): Promise<void> {
    this.lag.stop();
    this.good?.push.publisher.cut();
    for (const viewer of this.good?.viewers ?? []) await viewer.stop();
    await this.service.kill();
  }

  figures(): Figures {
    const [hls, rtmp] = this.running.viewers;
    return {
      ...Object.fromEntries(Object.entries(this.counts).sort()),
      parts_seen: hls?.received ?? 0,
      worst_part_gap_ms: Math.round(hls?.worstGapMs ?? 0),
      rtmp_messages_seen: rtmp?.received ?? 0,
      worst_rtmp_gap_ms: Math.round(rtmp?.worstGapMs ?? 0),
      machine_lag_ms: this.lag.worstMs,
      memory_peak_mb: Math.round(this.service.memory().peakBytes / 1_048_576),
      descriptors: this.service.descriptors(),
    };
  }

  private get running() {
    if (!this.good) throw new Error('there is no push yet');
    return this.good;
  }

  private async makeVideo(): Promise<number> {
    const channel = await newLiveChannel(this.service);
    const push = await startClipPush(channel.publishUrl);
    await until(() => push.sentMs() > 1_000, { withinMs: 5_000, otherwise: 'nothing was pushed' });
    await push.end();
    const isThere = async () => (await videosOf(this.service, channel.id)).length > 0;
    await until(isThere, { withinMs: 5_000, otherwise: 'there is no video' });
    return (await videosOf(this.service, channel.id))[0]?.id ?? 0;
  }

  private async target(): Promise<HostileTarget> {
    const { playlistUrl } = this.running.channel;
    const { pathname, port } = new URL(playlistUrl);
    const list = readMediaPlaylist(await (await fetch(playlistUrl)).text());
    return {
      port: Number(port),
      playId: pathname.split('/')[2] ?? '',
      videoId: this.videoId,
      sequence: list.segments.at(-1)?.sequence ?? 0,
    };
  }

  private problems(): string[] {
    const { viewers } = this.running;
    const found = viewerProblems(viewers, this.lag);
    const { peakBytes } = this.service.memory();
    if (!this.service.isAlive()) found.push('the service has ended');
    if (peakBytes > memoryBytesMax) found.push(`${peakBytes} bytes were held`);
    const isOurs = (line: string) => line !== '' && !/"level":"(info|warn)"/.test(line);
    return [...found, ...this.service.log().split('\n').slice(0, -1).filter(isOurs)];
  }
}

/** What became of each session and request, counted. */
async function attack(order: HostileOrder): Promise<Record<string, number>> {
  const program = join(import.meta.dir, 'support/hostile-child.ts');
  const child = Bun.spawn([process.execPath, program, JSON.stringify(order)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: attackWithinMs,
  });
  const text = await new Response(child.stdout).text();
  if (text === '') throw new Error(`the attackers ended with ${await child.exited}`);
  const report = JSON.parse(text) as HostileReport;
  if ('problem' in report) throw new Error(report.problem);
  return report.counts;
}
