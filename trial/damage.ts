// Fault 19: a file of a recording goes bad; what it held answers 404 or 410, everything else goes on.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { startClipPush, testClip } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import {
  type ListedVideo,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from '../test/support/live-channel.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { damageFile, type FileDamage } from './support/file-damage.ts';

const pushMs = 6_000;
const jobsWithinMs = 60_000;
const videoWithinMs = 3_000;

/** What is served of a video, by its address below `/recordings/ID/`. */
const items = ['index.m3u8', 'source.mp4', 'video.mp4', 'cover.jpg'] as const;
type Item = (typeof items)[number];

interface Damage {
  file: string;
  how: FileDamage;
  /** What the items that it hits may answer; the others are as they were. */
  hits: Partial<Record<Item, readonly number[]>>;
}

const gone = [404, 410];
/** Damage that only a player can notice: the bytes are sent as they are. */
const unnoticed = [200];

const damages: readonly Damage[] = [
  { file: 'source.mp4', how: 'removed', hits: { 'index.m3u8': gone, 'source.mp4': gone } },
  { file: 'source.mp4', how: 'emptied', hits: { 'index.m3u8': gone, 'source.mp4': gone } },
  { file: 'source.mp4', how: 'a folder', hits: { 'index.m3u8': gone, 'source.mp4': gone } },
  { file: 'source.mp4', how: 'cut', hits: { 'index.m3u8': gone, 'source.mp4': unnoticed } },
  { file: 'source.mp4', how: 'bent', hits: { 'source.mp4': unnoticed } },
  { file: 'source.index', how: 'removed', hits: { 'index.m3u8': gone } },
  { file: 'source.index', how: 'emptied', hits: { 'index.m3u8': gone } },
  { file: 'source.index', how: 'a folder', hits: { 'index.m3u8': gone } },
  { file: 'source.index', how: 'overwritten', hits: { 'index.m3u8': gone } },
  // A digit that is bent into another, or a last line that is cut off, leaves an index.
  { file: 'source.index', how: 'bent', hits: { 'index.m3u8': [200, ...gone] } },
  { file: 'source.index', how: 'cut', hits: { 'index.m3u8': [200, ...gone] } },
  // What was recorded is served in its place.
  { file: 'video.mp4', how: 'removed', hits: { 'video.mp4': unnoticed } },
  { file: 'video.mp4', how: 'cut', hits: { 'video.mp4': unnoticed } },
  { file: 'cover.jpg', how: 'removed', hits: { 'cover.jpg': gone } },
  { file: 'cover.jpg', how: 'emptied', hits: { 'cover.jpg': gone } },
  { file: 'cover.jpg', how: 'bent', hits: { 'cover.jpg': unnoticed } },
  { file: 'recording.json', how: 'removed', hits: {} },
];

/** What a crash left and something else has damaged since; `isSaved` where it must become a video all the same. */
const leftOvers: readonly { file: string; how: FileDamage; isSaved: boolean }[] = [
  { file: 'source.index', how: 'removed', isSaved: true },
  { file: 'source.index', how: 'overwritten', isSaved: true },
  { file: 'source.index', how: 'cut', isSaved: true },
  { file: 'source.index', how: 'bent', isSaved: true },
  { file: 'source.mp4', how: 'cut', isSaved: false },
  { file: 'source.mp4', how: 'bent', isSaved: false },
  { file: 'source.mp4', how: 'overwritten', isSaved: false },
  { file: 'source.mp4', how: 'removed', isSaved: false },
  { file: 'recording.json', how: 'overwritten', isSaved: false },
];

export const trial: Trial = {
  sentence:
    'files of recordings damaged, cut or removed: that item alone is gone, also after a start',
  rounds: 10,
  run: damageRounds,
};

/** Each round tries every damage. */
export async function damageRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const run = new DamageRun();
  try {
    await run.start();
    for (let at = 0; at < rounds; at++) {
      const random = seeded(seed + at);
      await round('damage', seed + at, async () => {
        for (const damage of damages) await run.tryDamage(damage, random);
        await run.tryAllAtStart(random);
        await run.tryLeftOvers(random);
      });
      say(`${at + 1} rounds`);
    }
    return { rounds, ...run.figures };
  } finally {
    await run.end();
  }
}

class DamageRun {
  private readonly settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' };
  private readonly root = join(this.settings.DATA_DIR, 'recordings');
  /** Copies of the recordings as they were. */
  private readonly saved = temporaryFolder();

  private service: ServiceProcess | undefined;
  private videos: ListedVideo[] = [];
  /** Folders of the videos, in their order. */
  private folders: string[] = [];
  /** The folder of a push that a kill has ended. */
  private leftOver = '';
  /** What every item was answered with before any damage. */
  private before = new Map<string, string>();
  private token = '';
  readonly figures = { damages: 0, gone: 0, starts: 0, left_over: 0 };

  async start(): Promise<void> {
    this.service = await startProcess(this.settings);
    const channel = await newLiveChannel(this.running);
    for (let count = 1; count <= 2; count++) {
      await burst(channel);
      await until(async () => (await videosOf(this.running, channel.id)).length === count, {
        withinMs: videoWithinMs,
        otherwise: 'the push is no video',
      });
      this.folders.push(...readdirSync(this.root).filter((one) => !this.folders.includes(one)));
    }
    const hasCovers = async () => {
      this.videos = (await videosOf(this.running, channel.id)).toReversed();
      return this.videos.every(({ cover_url }) => cover_url !== '');
    };
    await until(hasCovers, { withinMs: jobsWithinMs, otherwise: 'there is no cover' });
    await this.makeLeftOver();
    for (const folder of [...this.folders, this.leftOver])
      cpSync(join(this.root, folder), join(this.saved, folder), { recursive: true });
    rmSync(join(this.root, this.leftOver), { recursive: true });
    await this.restart();
    this.before = await this.answers();
    demand([...this.before].filter(([, said]) => !said.startsWith('200 ')).map(String));
  }

  async end(): Promise<void> {
    await this.service?.kill();
  }

  private get running(): ServiceProcess {
    if (!this.service) throw new Error('the service was not started');
    return this.service;
  }

  /** Damages a file of the first video, looks at everything, and puts it back. */
  async tryDamage({ file, how, hits }: Damage, random: Random): Promise<void> {
    const [folder = ''] = this.folders;
    damageFile(join(this.root, folder, file), how, random);
    // A playlist that was made is kept; only a new start reads its index again.
    if (file === 'source.index') await this.restart();
    const problems = this.compare(await this.answers(), hits);
    demand(problems.map((problem) => `${file} ${how}: ${problem}`));
    this.restore(folder);
    if (hits['index.m3u8']?.includes(200)) await this.restart();
    demand(this.compare(await this.answers(), {}).map((problem) => `${file} put back: ${problem}`));
    this.figures.damages += 1;
  }

  /** A start that finds damage everywhere in the first video. */
  async tryAllAtStart(random: Random): Promise<void> {
    const [folder = ''] = this.folders;
    for (const file of ['source.mp4', 'source.index', 'cover.jpg', 'recording.json'])
      damageFile(join(this.root, folder, file), random.pick(['overwritten', 'removed']), random);
    await this.restart();
    const any = [200, ...gone];
    const hits = { 'index.m3u8': gone, 'source.mp4': any, 'cover.jpg': any };
    demand(this.compare(await this.answers(), hits).map((problem) => `at the start: ${problem}`));
    await this.checkLive();
    this.restore(folder);
    await this.restart();
    demand(this.compare(await this.answers(), {}));
  }

  /** Starts that find recordings which are no videos yet, damaged. */
  async tryLeftOvers(random: Random): Promise<void> {
    const known = await this.count();
    await this.stop();
    for (const [at, { file, how }] of leftOvers.entries()) {
      const folder = `${this.leftOver}-${random.whole(0, 2 ** 32 - 1).toString(36)}-${at}`;
      cpSync(join(this.saved, this.leftOver), join(this.root, folder), { recursive: true });
      damageFile(join(this.root, folder, file), how, random);
    }
    await this.restart();
    const least = leftOvers.filter(({ isSaved }) => isSaved).length;
    await until(async () => (await this.count()) >= known + least, {
      withinMs: videoWithinMs,
      otherwise: `of recordings that are damaged less than ${least} became videos`,
    });
    demand(this.compare(await this.answers(), {}));
    demand(await this.leftOverProblems());
    this.figures.left_over += leftOvers.length;
  }

  /** Videos of all channels. */
  private async count(): Promise<number> {
    const { body } = await this.running.call('GET', '/v1/videos?perPage=1000');
    return body.meta.total;
  }

  /** Every video there is has a playlist that can be read and says what the video says. */
  private async leftOverProblems(): Promise<string[]> {
    const headers = { host: new URL(this.running.url).host };
    const { body } = await this.running.call('GET', '/v1/videos?perPage=1000', { headers });
    const problems: string[] = [];
    for (const { id, m3u8, duration } of body.videos as ListedVideo[]) {
      const response = await fetch(m3u8);
      const text = await response.text();
      if (response.status !== 200) {
        problems.push(`the playlist of video ${id} is answered ${response.status}`);
        continue;
      }
      const { segments } = readMediaPlaylist(text);
      const ms = segments.reduce((sum, segment) => sum + segment.durationMs, 0);
      if (Math.max(1, Math.round(ms / 1000)) !== duration)
        problems.push(`video ${id} lasts ${ms} ms and says ${duration} s`);
    }
    return problems;
  }

  /** Kills the service while it records; what is left on the disk. */
  private async makeLeftOver(): Promise<void> {
    const channel = await newLiveChannel(this.running);
    const player = startPlaylistPlayer(channel.playlistUrl, { mayBreak: true });
    const push = await startClipPush(channel.publishUrl);
    await player.seen(({ shownMs }) => shownMs > 4_500);
    this.token = this.running.token;
    await this.running.kill();
    await push.over;
    await player.stop();
    const [folder = ''] = readdirSync(this.root).filter((one) => !this.folders.includes(one));
    this.leftOver = folder;
  }

  private async stop(): Promise<void> {
    this.token = this.running.token;
    const exitCode = await this.running.stop();
    if (exitCode !== 0) throw new Error(`the service ended with ${exitCode}`);
  }

  private async restart(): Promise<void> {
    if (this.running.isAlive()) await this.stop();
    this.service = await startProcess(this.settings, { token: this.token });
    this.figures.starts += 1;
    const { status, text } = await this.service.call('GET', '/readyz');
    if (status !== 200) throw new Error(`after a start it is not ready: ${text}`);
  }

  private restore(folder: string): void {
    rmSync(join(this.root, folder), { recursive: true });
    cpSync(join(this.saved, folder), join(this.root, folder), { recursive: true });
  }

  /** Status and content of every item of every video. */
  private async answers(): Promise<Map<string, string>> {
    const said = new Map<string, string>();
    for (const { id } of this.videos) {
      for (const item of items) {
        const response = await fetch(`${this.running.url}/recordings/${id}/${item}`);
        const bytes = await response.bytes();
        said.set(`${id} ${item}`, `${response.status} ${Bun.hash(bytes)}`);
      }
    }
    const { status } = await this.running.call('GET', '/v1/videos');
    if (status !== 200) throw new Error(`the list of videos is answered ${status}`);
    return said;
  }

  private compare(now: Map<string, string>, hits: Damage['hits']): string[] {
    const hurt = this.videos[0]?.id;
    const problems: string[] = [];
    for (const [name, said] of now) {
      const [id, item] = name.split(' ');
      const allowed = Number(id) === hurt ? hits[item as Item] : undefined;
      const status = Number(said.split(' ')[0]);
      if (allowed ? !allowed.includes(status) : said !== this.before.get(name))
        problems.push(`${name} is answered ${status}`);
      if (gone.includes(status)) this.figures.gone += 1;
    }
    return problems;
  }

  private async checkLive(): Promise<void> {
    const channel = await newLiveChannel(this.running);
    const player = startPlaylistPlayer(channel.playlistUrl);
    await burst(channel);
    await player.seen(({ last }) => last?.isEnded === true);
    await player.stop();
    demand(player.problems());
  }
}

/** The first seconds of the clip, all at once. */
async function burst({ publishUrl }: LiveChannel): Promise<void> {
  const publisher = await publishTo(publishUrl);
  for (const tag of testClip().tags.filter(({ timestampMs }) => timestampMs < pushMs))
    publisher.send(tag);
  await publisher.drained();
  await publisher.end();
}
