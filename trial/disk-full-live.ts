// Fault 3 while live: the disk fills under a push that is recorded; the show goes on, the recording is shed first.

import { Ledger } from '../test/support/ledger.ts';
import { isLive, until, videosOf } from '../test/support/live-channel.ts';
import { heldUpMs } from '../test/support/machine-pace.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { mountSmallDisk, type SmallDisk } from '../test/support/small-disk.ts';
import { type DatabaseSettings, snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { type MachineLag, startMachineLag } from './support/machine-lag.ts';
import { startReaders } from './support/readers.ts';
import { untilReady } from './support/readiness.ts';
import { RecordedShow } from './support/recorded-show.ts';
import { viewerProblems } from './support/steady-viewers.ts';
import { createShared, startWriters, type Writers } from './support/writers.ts';

const megabyte = 1_048_576;
const diskBytes = 128 * megabyte;
/** What must stay free for the recording to go on (MIN_FREE_DISK). */
const freeMegabytesMin = 24;
/** What is left free when the disk runs low: too little to record, enough to write. */
const lowBytes = 16 * megabyte;
/** What is recorded until that is noticed: some seconds of a clip of half a megabit. */
const recordedBytesMax = megabyte;
/** The service looks every 2 s, and a recording begins and ends with a segment of 2 s. */
const noticedWithinMs = 6_000;
/** After it is full a video is made at a later try; the wait between tries doubles. */
const videoWithinMs = 20_000;
/** How long the disk stays full. */
const fullMs = 2_500;
/** A segment, which is whole before it counts, and what was on its way. */
const cutMsMax = 2_500;

export const trial: Trial = {
  sentence: 'the disk fills under a push (root): live goes on, recording is shed and comes back',
  rounds: 12,
  run: diskFullLiveRounds,
};

export async function diskFullLiveRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const disk = mountSmallDisk(diskBytes);
  const settings = {
    DATA_DIR: disk.folder,
    DATABASE_URL: '',
    MIN_FREE_DISK: `${freeMegabytesMin}M`,
  };
  const service = await startProcess(settings);
  const run = new DiskFullLiveRun({ disk, settings, service });
  try {
    for (let at = 0; at < rounds; at++) {
      await round('disk-full-live', seed + at, () => run.round(`r${at}`, seeded(seed + at)));
      say(`${at + 1} rounds: ${JSON.stringify(run.figures())}`);
    }
    return { rounds, ...run.figures() };
  } finally {
    run.end();
    await service.kill();
    disk.unmount();
  }
}

/** How the room goes: the recording is shed before the disk is full, or has to bear that it is. */
const waysToFill = ['low first', 'full at once'] as const;

class DiskFullLiveRun {
  private readonly disk: SmallDisk;
  private readonly settings: DatabaseSettings;
  private readonly service: ServiceProcess;
  private readonly lag: MachineLag;

  private readonly ledger = new Ledger();
  private readonly seen = { videos: 0, parts: 0, reads: 0, worstGapMs: 0, slowestShedMs: 0 };
  private slowestReturnMs = 0;

  constructor(given: { disk: SmallDisk; settings: DatabaseSettings; service: ServiceProcess }) {
    this.disk = given.disk;
    this.settings = given.settings;
    this.service = given.service;
    this.lag = startMachineLag(given.service.pid);
  }

  end(): void {
    this.lag.stop();
  }

  figures() {
    const { videos, parts, reads, worstGapMs, slowestShedMs } = this.seen;
    return {
      ...this.ledger.counts,
      videos,
      parts_played: parts,
      reads_while_full: reads,
      worst_gap_ms: Math.round(worstGapMs),
      machine_lag_ms: this.lag.worstMs,
      slowest_shed_ms: Math.round(slowestShedMs),
      slowest_return_ms: Math.round(this.slowestReturnMs),
    };
  }

  async round(tag: string, random: Random): Promise<void> {
    const show = new RecordedShow(this.service, this.disk.folder);
    try {
      const name = `${tag}-show`;
      await show.start(name, 2 * cutMsMax);
      this.ledger.created(name, 'acknowledged', show.channel.id);
      const writers = await this.write(tag, random);
      const recordedMs = await this.fillUp(show, random.pick(waysToFill));
      await this.holdFull(show, writers);
      const endsWhileFull = random.whole(1, 3) === 1;
      if (endsWhileFull) await show.endPush();
      const madeRoomAt = performance.now();
      this.disk.empty();
      await writers.next('acknowledged');
      await writers.stop();
      if (!endsWhileFull) await this.recordAgain(show, madeRoomAt);
      await this.checkVideos(show, { recordedMs, count: endsWhileFull ? 1 : 2 });
    } finally {
      await show.end();
      this.disk.empty();
    }
    await this.clear();
  }

  private async write(tag: string, random: Random): Promise<Writers> {
    const { url, token } = this.service;
    const { ledger } = this;
    const connection = await HttpConnection.open(url);
    const sharedId = await createShared(connection, { token, ledger, tag });
    connection.close();
    return startWriters({ url, token, ledger, random, tag, sharedId });
  }

  /** How much had been shown when the room went. */
  private async fillUp(show: RecordedShow, way: (typeof waysToFill)[number]): Promise<number> {
    const recordedMs = show.shownMs();
    if (way === 'low first') {
      const bytesBefore = show.recordedBytes();
      this.disk.fill(lowBytes);
      const shedMs = await until(() => !show.isRecording(), {
        withinMs: noticedWithinMs,
        otherwise: 'the recording went on with too little room',
      });
      this.seen.slowestShedMs = Math.max(this.seen.slowestShedMs, shedMs);
      const bytesMore = show.recordedBytes() - bytesBefore;
      if (bytesMore > recordedBytesMax) throw new Error(`${bytesMore} bytes were still recorded`);
    }
    this.disk.fill();
    return recordedMs;
  }

  /** Writes are refused, reads and the show go on, the channel stays live. */
  private async holdFull({ channel }: RecordedShow, writers: Writers): Promise<void> {
    const { url, token } = this.service;
    await writers.next('refused');
    await untilReady(url, { ready: false, withinMs: 3_000 });
    const paths = ['/v1/activities', `/v1/activities/${channel.id}`, '/v1/videos', '/livez'];
    const readers = await startReaders({ url, token, paths });
    // The length of the fault is the point here: no event is waited for.
    await Bun.sleep(fullMs);
    const { reads, problems } = await readers.stop();
    this.seen.reads += reads;
    if (!(await isLive(this.service, channel.id))) problems.push('the channel is not live');
    demand(problems);
  }

  /** Another recording begins by itself; it gets a segment, then the push ends. */
  private async recordAgain(show: RecordedShow, madeRoomAt: number): Promise<void> {
    const { url } = this.service;
    await untilReady(url, { ready: true, withinMs: 3_000 });
    await until(() => show.isRecording(), {
      withinMs: noticedWithinMs,
      otherwise: 'no other recording began when there was room',
    });
    this.slowestReturnMs = Math.max(this.slowestReturnMs, performance.now() - madeRoomAt);
    const shownMs = show.shownMs();
    await until(() => show.shownMs() > shownMs + 2 * cutMsMax, {
      withinMs: 4 * cutMsMax,
      otherwise: 'the show did not go on',
    });
    await show.endPush();
  }

  /** What was recorded are videos that play, the first up to where it went; nothing is live. */
  private async checkVideos(
    { channel, viewer }: RecordedShow,
    { recordedMs, count }: { recordedMs: number; count: number },
  ): Promise<void> {
    const { service } = this;
    const isThere = async () => (await videosOf(service, channel.id)).length === count;
    await until(isThere, { withinMs: videoWithinMs, otherwise: `there are not ${count} videos` });
    await until(async () => !(await isLive(service, channel.id)), {
      withinMs: 3_000,
      otherwise: 'the channel is still live',
    });
    const videos = await videosOf(service, channel.id);
    const problems = viewerProblems([viewer], this.lag);
    const firstMs = (videos.at(-1)?.duration ?? 0) * 1000;
    if (firstMs < recordedMs - cutMsMax - heldUpMs)
      problems.push(`of ${recordedMs} ms before, ${firstMs} ms were recorded`);
    if (noJudge === undefined)
      for (const { m3u8 } of videos) problems.push(...(await judgeVideo(m3u8)).problems);
    this.seen.videos += videos.length;
    this.seen.parts += viewer.received;
    this.seen.worstGapMs = Math.max(this.seen.worstGapMs, viewer.worstGapMs);
    demand(problems);
  }

  /** Nothing acknowledged was lost. */
  private async clear(): Promise<void> {
    const found = await snapshot(this.settings);
    demand(Object.values(this.ledger.compare(found)).flat());
    this.ledger.settle(found);
  }
}
