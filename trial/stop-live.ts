// Fault 15, for the media river: SIGTERM while a push is recorded, played and asked about.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pushMsMin } from '../src/stream/recording/make-video.ts';
import { readIndex } from '../src/stream/recording/recording-index.ts';
import { playFrom } from '../src/stream/rtmp/rtmp-client.ts';
import { startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  videosOf,
} from '../test/support/live-channel.ts';
import { late } from '../test/support/machine-pace.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { PlaylistChecker } from '../test/support/playlist-checker.ts';
import { nextPartQuery, startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { seeded } from '../test/support/random.ts';
import { HttpConnection, NoAnswer } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

const players = 5;
const callers = 5;
const exitWithinMs = 10_000;
/** The longest push before the signal. */
const signalWithinMs = 4_000;

export const trial: Trial = {
  sentence:
    'SIGTERM under a push, players and callers: all answered, the recording whole, exit soon',
  rounds: 20,
  run: stopLiveRounds,
};

export async function stopLiveRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const figures = { rounds: 0, answered: 0, sent_after_unanswered: 0, slowest_exit_ms: 0 };
  for (let at = 0; at < rounds; at++) {
    const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' };
    const service = await startProcess(settings);
    try {
      await round('stop-live', seed + at, async () => {
        const seen = await stopUnderLoad(service, seeded(seed + at).next() * signalWithinMs);
        figures.answered += seen.answered;
        figures.sent_after_unanswered += seen.after;
        figures.slowest_exit_ms = Math.max(figures.slowest_exit_ms, Math.round(seen.exitMs));
        await checkRecording(settings, { ...seen, token: service.token });
      });
      figures.rounds += 1;
      if ((at + 1) % 5 === 0) say(`${at + 1} rounds`);
    } finally {
      await service.kill();
    }
  }
  return figures;
}

async function stopUnderLoad(service: ServiceProcess, momentMs: number) {
  const channel = await newLiveChannel(service);
  const watcher = startPlaylistPlayer(channel.playlistUrl, { mayBreak: true });
  const push = await startClipPush(channel.publishUrl);
  await watcher.seen(({ shownMs }) => shownMs > pushMsMin);
  const rtmp = await playFrom(channel.rtmpPlayUrl, { media: () => {} });
  const load = new Load(service);
  const { pathname } = new URL(channel.playlistUrl);
  const clients = Promise.all([
    ...Array.from({ length: players }, () => load.play(pathname)),
    ...Array.from({ length: callers }, () => load.call()),
  ]);
  // The moment is the point here: no event is waited for.
  await Bun.sleep(momentMs);
  load.signalledAt = performance.now();
  const exitCode = await service.stop();
  const exitMs = performance.now() - load.signalledAt;
  await clients;
  await watcher.stop();
  const problems = [...load.problems, ...watcher.problems()];
  if (exitCode !== 0) problems.push(`the exit code is ${exitCode}`);
  problems.push(...late('the exit', exitMs, exitWithinMs));
  if (load.before > 0) problems.push(`${load.before} requests from before were not answered`);
  const told = (await push.over) ?? 'nothing';
  if (!told.includes('The service is stopping')) problems.push(`the encoder was told: ${told}`);
  if (/broke|in time/.test(await rtmp.closed)) problems.push(`RTMP play: ${await rtmp.closed}`);
  demand(problems);
  const { answered, after } = load;
  return { channel, answered, after, exitMs, shownMs: watcher.checker.shownMs };
}

/** Clients that ask one thing after another until the service ends, and what became of their requests. */
class Load {
  private readonly service: ServiceProcess;

  signalledAt = Number.POSITIVE_INFINITY;
  readonly problems: string[] = [];
  answered = 0;
  /** Sent before the signal, or after it, and not answered. */
  before = 0;
  after = 0;

  constructor(service: ServiceProcess) {
    this.service = service;
  }

  /** A player by blocking reload, judged by the checker. */
  async play(path: string): Promise<void> {
    const checker = new PlaylistChecker();
    await this.useUp(() => path + nextPartQuery(checker), checker);
    this.problems.push(...checker.problems);
  }

  async call(): Promise<void> {
    await this.useUp(() => '/v1/activities');
  }

  private async useUp(next: () => string, checker?: PlaylistChecker): Promise<void> {
    for (;;) {
      // Once nobody listens any more the client's work is done.
      const connection = await HttpConnection.open(this.service.url).catch(() => undefined);
      if (!connection) return;
      while (!connection.isClosed) await this.ask(connection, next(), checker);
    }
  }

  private async ask(connection: HttpConnection, path: string, checker?: PlaylistChecker) {
    const sentAt = performance.now();
    try {
      const { token } = this.service;
      const { status, headers, text } = await connection.request('GET', path, { token });
      this.answered += 1;
      if (status !== 200) this.problems.push(`${path} was answered ${status}: ${text}`);
      else checker?.see(text);
      if (headers['connection'] !== 'close') return;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this[sentAt < this.signalledAt ? 'before' : 'after'] += 1;
    }
    connection.close();
    await connection.closed;
  }
}

/** What the service left is whole: its index names all of it, and the next start changes nothing. */
async function checkRecording(
  settings: { DATA_DIR: string; MIN_FREE_DISK: string },
  { channel, token, shownMs }: { channel: LiveChannel; token: string; shownMs: number },
): Promise<void> {
  const root = join(settings.DATA_DIR, 'recordings');
  const [name = '', ...more] = readdirSync(root);
  const file = join(root, name, 'source.mp4');
  const index = join(root, name, 'source.index');
  const problems: string[] = [];
  const segments = readIndex(readFileSync(index, 'utf8'));
  const last = segments.at(-1);
  if (more.length > 0) problems.push('there are several recordings');
  if (!last || last.at + last.size !== readFileSync(file).length)
    problems.push('the index does not name the whole file');
  const before = [hashOf(file), hashOf(index)];
  const again = await startProcess(settings, { token });
  try {
    if (await isLive(again, channel.id)) problems.push('the channel is live after the restart');
    const [video] = await videosOf(again, channel.id);
    if (!video) throw new Error('there is no video after the restart');
    const durationMs = segments.reduce((sum, segment) => sum + segment.durationMs, 0);
    if (durationMs < shownMs) problems.push(`${shownMs} ms were shown, ${durationMs} recorded`);
    if (noJudge === undefined) problems.push(...(await judgeVideo(video.m3u8)).problems);
    if (before.join() !== [hashOf(file), hashOf(index)].join())
      problems.push('the recording was mended');
    demand(problems);
  } finally {
    await again.kill();
  }
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
