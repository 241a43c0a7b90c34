// An hour of pushing in ten minutes: whether memory, descriptors and disk stay flat.
//
// Five channels are pushed to six times faster than they play. Each media second costs the same bytes, packets,
// parts, segments, index lines and syncs as at its own speed, so whatever leaks by media or by push is found as in
// an hour; there are six times as many of them a second, so the load is that of thirty channels. What is not
// hastened are timers: a leak by wall time (a timer an hour, a session that ends after one) is not found here.
import { temporaryFolder } from '../test/support/engines.ts';
import { newLiveChannel, until } from '../test/support/live-channel.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { AgingVideos } from './support/aging-videos.ts';
import { FolderSizes } from './support/folder-sizes.ts';
import { SoakChannel } from './support/soak-channel.ts';

const roundMs = 20_000;
const channelsInAll = 5;
/** What the jobs of a round's videos may take, on two noisy cores. */
const jobsWithinMs = 240_000;
/** The service removes what is too old once a minute. */
const sweptWithinMs = 75_000;
/** Kept connections of the last callers, and the worker of a job that just ends. */
const descriptorsMore = 8;
/** Of the memory in the second quarter of the rounds; what a collector leaves from one round to the next. */
const memoryGrowthMax = 0.2;
const megabyte = 1_048_576;

export const trial: Trial = {
  sentence: 'an hour of pushing on five channels, six times faster: memory, descriptors, disk flat',
  rounds: 30,
  run: (options) => soakRounds({ ...options, channels: channelsInAll, isLong: true }),
};

interface SoakOptions extends RoundOptions {
  channels: number;
  /** Also judges memory, and waits until the service has removed what is old. */
  isLong: boolean;
}

export async function soakRounds(options: SoakOptions): Promise<Figures> {
  const { rounds, seed, say, isLong } = options;
  const settings = {
    DATA_DIR: temporaryFolder(),
    MIN_FREE_DISK: '10M',
    RECONNECT_MS: '3000',
    VIDEO_RETENTION_DAYS: '1',
    // They push six times faster than they play.
    PUSH_SPEED_MAX: '8',
  };
  const run = new SoakRun(await startProcess(settings), settings.DATA_DIR);
  try {
    return await round('soak', seed, async () => {
      await run.start(options);
      for (let at = 0; at < rounds; at++) {
        await run.round(seeded(seed + at));
        say(`round ${at + 1}: ${run.lastSample()}`);
      }
      return await run.finish(isLong);
    });
  } finally {
    await run.end();
  }
}

interface Sample {
  residentBytes: number;
  descriptors: number;
  diskBytes: number;
  /** Of the database and all else that is no recording. */
  otherBytes: number;
}

class SoakRun {
  private readonly service: ServiceProcess;
  private readonly sizes: FolderSizes;
  private readonly videos: AgingVideos;

  private channels: SoakChannel[] = [];
  private readonly samples: Sample[] = [];
  private before: Sample | undefined;
  private videosMade = 0;

  constructor(service: ServiceProcess, dataDir: string) {
    this.service = service;
    this.videos = new AgingVideos(dataDir);
    this.sizes = new FolderSizes(dataDir);
  }

  /** A short push first: threads, workers and files that come with the first are no leak. */
  async start({ channels }: SoakOptions): Promise<void> {
    const first = new SoakChannel(await newLiveChannel(this.service), 'broken');
    await first.start();
    await first.stop();
    demand(first.problems);
    await this.untilQuiet();
    this.before = this.sample();
    this.channels = await Promise.all(
      Array.from({ length: channels }, async (_, at) => {
        const kind = at === 0 ? 'unbroken' : 'broken';
        return new SoakChannel(await newLiveChannel(this.service), kind);
      }),
    );
    for (const channel of this.channels) await channel.start();
  }

  /** Pushes end, break and come back, players come and go; then videos that are ready become old. */
  async round(random: Random): Promise<void> {
    const endsAt = performance.now() + roundMs;
    await Promise.all(this.channels.map((channel) => channel.round(random, endsAt)));
    this.videosMade += this.videos.age();
    this.samples.push(this.sample());
    demand([...this.channels.flatMap((channel) => channel.problems), ...this.logged()]);
  }

  async finish(isLong: boolean): Promise<Figures> {
    for (const channel of this.channels) await channel.stop();
    demand(this.channels.flatMap((channel) => channel.problems));
    await this.untilQuiet();
    demand(this.sizes.strangers(this.videos.all()));
    if (isLong) await this.untilSwept();
    const after = this.sample();
    const before = this.before ?? after;
    const problems = this.logged();
    if (after.descriptors > before.descriptors + descriptorsMore)
      problems.push(`${before.descriptors} descriptors became ${after.descriptors}`);
    const growth = this.memoryGrowth();
    if (isLong && growth > memoryGrowthMax)
      problems.push(`the memory grew by ${Math.round(growth * 100)} %`);
    demand(problems);
    return { ...this.figures(before, after), memory_growth_percent: Math.round(growth * 100) };
  }

  async end(): Promise<void> {
    for (const channel of this.channels) channel.abandon();
    await this.service.kill();
  }

  lastSample(): string {
    const { residentBytes, descriptors, diskBytes, otherBytes } = this.samples.at(-1) as Sample;
    return `${inMb(residentBytes)} MB resident, ${descriptors} descriptors, ${inMb(diskBytes)} MB of recordings, ${inMb(otherBytes)} MB else, ${this.pushedMinutes()} minutes pushed`;
  }

  private figures(before: Sample, after: Sample): Figures {
    const quarters = this.quarters();
    return {
      media_minutes: this.pushedMinutes(),
      longest_push_minutes: Math.round((this.channels[0]?.longestPushMs ?? 0) / 60_000),
      pushes: this.sum(({ pushes }) => pushes),
      cuts_and_returns: this.sum(({ returns }) => returns),
      players: this.sum(({ players }) => players),
      videos: this.videosMade,
      memory_mb_second_quarter: inMb(quarters.second),
      memory_mb_last_quarter: inMb(quarters.last),
      memory_mb_before: inMb(before.residentBytes),
      memory_mb_after: inMb(after.residentBytes),
      descriptors_before: before.descriptors,
      descriptors_most: Math.max(...this.samples.map(({ descriptors }) => descriptors)),
      descriptors_after: after.descriptors,
      recordings_mb_most: inMb(Math.max(...this.samples.map(({ diskBytes }) => diskBytes))),
      recordings_mb_after: inMb(after.diskBytes),
      other_disk_mb_before: inMb(before.otherBytes),
      other_disk_mb_after: inMb(after.otherBytes),
    };
  }

  private sample(): Sample {
    const { residentBytes } = this.service.memory();
    const descriptors = this.service.descriptors();
    return { residentBytes, descriptors, ...this.sizes.measure() };
  }

  /** Medians of the rounds in the second and in the last quarter. */
  private quarters(): { second: number; last: number } {
    const all = this.samples.map(({ residentBytes }) => residentBytes);
    const quarter = Math.max(1, Math.floor(all.length / 4));
    return { second: median(all.slice(quarter, 2 * quarter)), last: median(all.slice(-quarter)) };
  }

  private memoryGrowth(): number {
    const { second, last } = this.quarters();
    return second === 0 ? 0 : last / second - 1;
  }

  private pushedMinutes(): number {
    return Math.round(this.sum(({ pushedMs }) => pushedMs) / 60_000);
  }

  private sum(of: (channel: SoakChannel) => number): number {
    return this.channels.reduce((sum, channel) => sum + of(channel), 0);
  }

  /** Errors, and jobs that failed: their videos would never be ready. */
  private logged(): string[] {
    return this.service
      .log()
      .split('\n')
      .filter((line) => /"level":"error"|"message":"job failed"/.test(line));
  }

  /** Every recording is a video, every video has what jobs make. */
  private async untilQuiet(): Promise<void> {
    const isQuiet = () => {
      const found = this.videos.all();
      const isWhole = found.every(({ cover_url }) => cover_url !== '');
      return isWhole && this.sizes.folders().length === found.length;
    };
    await until(isQuiet, {
      withinMs: jobsWithinMs,
      otherwise: 'not every recording became a video',
    });
  }

  private async untilSwept(): Promise<void> {
    this.videosMade += this.videos.age();
    const isEmpty = () => this.sizes.folders().length === 0 && this.videos.all().length === 0;
    await until(isEmpty, { withinMs: sweptWithinMs, otherwise: 'what is old was not removed' });
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function inMb(bytes: number): number {
  return Math.round(bytes / megabyte);
}
