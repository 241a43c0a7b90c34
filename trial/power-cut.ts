// Fault 2: the power fails while a push is recorded and writes are acknowledged; what was synced is there.
//
// The data folder is on an ext4 of its own in a file. At a random moment the service is stopped (SIGSTOP), and what
// the file holds then is what a disk would hold: pages that only the kernel knew of are not in it. The service is
// started on a copy of the file, whose journal is replayed as after any power cut.
// Proven: nothing that was acknowledged or synced waited in memory only, and what lies behind it half done is mended.
// Not proven: a disk that lies about its cache or tears a sector, and a cut inside one sync (the kernel ends a
// system call before it stops a thread; that half of the promise is ext4's and SQLite's).
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClipPush, startClipPush } from '../test/support/clip-push.ts';
import { Ledger } from '../test/support/ledger.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from '../test/support/live-channel.ts';
import { type LoopDisk, makeLoopDisk, untilStopped } from '../test/support/loop-disk.ts';
import { heldUpMs } from '../test/support/machine-pace.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { startWriters } from './support/writers.ts';

const diskBytes = 128 * 1_048_576;
/** The longest that is pushed and written before the cut: shorter than the kernel keeps pages for itself. */
const cutWithinMs = 9_000;
/** Key frames are 2 s apart in the clip, so a segment is that long; the one before it may still be on its way. */
const segmentMs = 2_000;
const onItsWayMs = 500;
const videoWithinMs = 3_000;

export const trial: Trial = {
  sentence:
    'the power fails while recording (root): acknowledged writes and whole segments are there',
  rounds: 20,
  run: powerCutRounds,
};

export async function powerCutRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const figures = {
    rounds: 0,
    acknowledged: 0,
    videos: 0,
    without_video: 0,
    worst_lost_ms: 0,
    mean_lost_ms: 0,
    unsynced_bytes_lost: 0,
  };
  let lostMs = 0;
  for (let at = 0; at < rounds; at++) {
    await round('power-cut', seed + at, async () => {
      const seen = await cutAndStart(seeded(seed + at));
      figures.acknowledged += seen.acknowledged;
      figures.unsynced_bytes_lost += seen.bytesLost;
      figures[seen.hasVideo ? 'videos' : 'without_video'] += 1;
      figures.worst_lost_ms = Math.max(figures.worst_lost_ms, seen.lostMs);
      lostMs += seen.lostMs;
    });
    figures.rounds += 1;
    if ((at + 1) % 5 === 0) say(`${at + 1} rounds, ${figures.acknowledged} acknowledged`);
  }
  return { ...figures, mean_lost_ms: Math.round(lostMs / Math.max(1, rounds)) };
}

async function cutAndStart(random: Random) {
  const disk = makeLoopDisk(diskBytes);
  let copy: LoopDisk | undefined;
  try {
    const cut = await new PowerCut(disk, random).run();
    copy = cut.copy;
    return await checkCopy(cut);
  } finally {
    copy?.unmount();
    disk.unmount();
  }
}

/** What was going on when the power failed. */
interface Cut {
  copy: LoopDisk;
  token: string;
  ledger: Ledger;
  channel: LiveChannel;
  shownMs: number;
  /** Of the recording, as the service had written it. */
  writtenBytes: number;
}

class PowerCut {
  private readonly disk: LoopDisk;
  private readonly random: Random;

  private readonly ledger = new Ledger();

  constructor(disk: LoopDisk, random: Random) {
    this.disk = disk;
    this.random = random;
  }

  async run(): Promise<Cut> {
    const service = await startProcess(settingsOn(this.disk));
    try {
      const channel = await this.makeChannel(service);
      const player = startPlaylistPlayer(channel.playlistUrl, { mayBreak: true });
      const push = await startClipPush(channel.publishUrl);
      const { url, token } = service;
      const { ledger, random } = this;
      const writers = startWriters({ url, token, ledger, random, tag: 'w', sharedId: channel.id });
      await player.seen(({ shownMs }) => shownMs > 0);
      // The moment is the point here: no event is waited for.
      await Bun.sleep(random.next() * cutWithinMs);
      process.kill(service.pid, 'SIGSTOP');
      await untilStopped(service.pid);
      const copy = await this.disk.afterPowerCut();
      const writtenBytes = recordedBytes(this.disk);
      await service.kill();
      await writers.ended;
      const shownMs = await endShow(push, player);
      return { copy, token, ledger, channel, shownMs, writtenBytes };
    } finally {
      await service.kill();
    }
  }

  /** The channel that is pushed to is written to as well. */
  private async makeChannel(service: ServiceProcess): Promise<LiveChannel> {
    const channel = await newLiveChannel(service, 'w-shared');
    this.ledger.created('w-shared', 'acknowledged', channel.id);
    return channel;
  }
}

/** How much a player was shown. */
async function endShow(push: ClipPush, player: PlaylistPlayer): Promise<number> {
  push.publisher.cut();
  await push.over;
  await player.stop();
  demand(player.problems());
  return player.checker.shownMs;
}

async function checkCopy(cut: Cut) {
  const { copy, token, ledger, channel, shownMs } = cut;
  const settings = settingsOn(copy);
  const bytesLost = Math.max(0, cut.writtenBytes - recordedBytes(copy));
  const service = await startProcess(settings, { token });
  try {
    const found = await snapshot({ ...settings, DATABASE_URL: '' });
    const problems = Object.values(ledger.compare(found)).flat();
    if (await isLive(service, channel.id)) problems.push('the channel is live after the cut');
    demand(problems);
    const durationMs = await checkVideo(service, channel, shownMs);
    const lostMs = shownMs - durationMs;
    if (lostMs > segmentMs + onItsWayMs + heldUpMs)
      throw new Error(`of ${shownMs} ms shown, ${durationMs} ms were on the disk`);
    const { acknowledged } = ledger.counts;
    return { acknowledged, lostMs, bytesLost, hasVideo: durationMs > 0 };
  } finally {
    await service.kill();
  }
}

/** The length of the one video; 0 where not even a segment can have been synced and there is none. */
async function checkVideo(
  service: ServiceProcess,
  { id }: LiveChannel,
  shownMs: number,
): Promise<number> {
  const hasVideo = async () => (await videosOf(service, id)).length > 0;
  if (shownMs > segmentMs + onItsWayMs + heldUpMs)
    await until(hasVideo, { withinMs: videoWithinMs, otherwise: 'there is no video' });
  const [video, ...more] = await videosOf(service, id);
  if (more.length > 0) throw new Error('the push became several videos');
  if (!video) return 0;
  const list = readMediaPlaylist(await (await fetch(video.m3u8)).text());
  const durationMs = list.segments.reduce((sum, segment) => sum + segment.durationMs, 0);
  if (noJudge === undefined) demand((await judgeVideo(video.m3u8)).problems);
  return durationMs;
}

function settingsOn({ folder }: LoopDisk) {
  return { DATA_DIR: join(folder, 'data'), MIN_FREE_DISK: '10M' };
}

/** Of the one recording. */
function recordedBytes({ folder }: LoopDisk): number {
  const root = join(folder, 'data', 'recordings');
  const [file] = [...new Bun.Glob('*/source.mp4').scanSync(root)];
  return file === undefined ? 0 : statSync(join(root, file)).size;
}
