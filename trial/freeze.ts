// Fault 7: a publisher freezes with its socket open; it is gone after 10 s, and gives way to another after 2.
import { readFileSync } from 'node:fs';
import { pushMsMin } from '../src/stream/recording/make-video.ts';
import { startClipPush } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  untilLetIn,
  videosOf,
} from '../test/support/live-channel.ts';
import { early } from '../test/support/machine-pace.ts';
import { startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { footlight, type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

/** The watchdog looks once a second, and two noisy cores are late. */
const goneMs = { min: 9_500, max: 12_500 };
const takenOverMs = { min: 1_900, max: 3_500 };
/** A frozen peer does not close its end: so long after the goodbye ours is dropped. */
const freedWithinMs = 4_000;
const liveWithinMs = 10_000;

export const trial: Trial = {
  sentence: 'SIGSTOP of a publisher: not live after 10 s, its socket freed, taken over after 2 s',
  rounds: 5,
  run: freezeRounds,
};

export async function freezeRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const figures = { rounds: 0, slowest_gone_ms: 0, slowest_freed_ms: 0, slowest_take_over_ms: 0 };
  const service = await startProcess({ DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' });
  try {
    for (let at = 0; at < rounds; at++) {
      await round('freeze', seed + at, async () => {
        const [left, taken] = await Promise.all([freezeAndWait(service), takeOver(service)]);
        figures.slowest_gone_ms = Math.max(figures.slowest_gone_ms, left.goneMs);
        figures.slowest_freed_ms = Math.max(figures.slowest_freed_ms, left.freedMs);
        figures.slowest_take_over_ms = Math.max(figures.slowest_take_over_ms, taken.tookMs);
      });
      figures.rounds += 1;
      say(`${figures.rounds} rounds`);
    }
  } finally {
    await service.kill();
  }
  return figures;
}

/** Resolves when enough is shown for a video. */
async function untilVideo({ playlistUrl }: LiveChannel): Promise<void> {
  const player = startPlaylistPlayer(playlistUrl);
  await player.seen(({ shownMs }) => shownMs > pushMsMin);
  await player.stop();
}

/** Freezes a publisher and waits until the service has let it go. */
async function freezeAndWait(service: ServiceProcess) {
  const channel = await newLiveChannel(service);
  const publisher = await startPublisher(service, channel);
  try {
    const sockets = socketsOf(publisher.port);
    if (sockets.length === 0) throw new Error('the publisher has no socket');
    await untilVideo(channel);
    const frozenAt = performance.now();
    publisher.child.kill('SIGSTOP');
    if (!(await isLive(service, channel.id))) throw new Error('it was gone at once');
    await until(async () => !(await isLive(service, channel.id)), {
      withinMs: goneMs.max,
      otherwise: `after ${goneMs.max} ms the channel of a frozen publisher is live`,
    });
    const tookMs = Math.round(performance.now() - frozenAt);
    demand(early('it was gone', tookMs, goneMs.min));
    const isOpen = () => socketsOf(publisher.port).some((inode) => sockets.includes(inode));
    const freedMs = await until(() => !isOpen(), {
      withinMs: freedWithinMs,
      otherwise: 'the socket of a frozen publisher is still open',
    });
    await until(async () => (await videosOf(service, channel.id)).length === 1, {
      withinMs: liveWithinMs,
      otherwise: 'the push of a frozen publisher is no video',
    });
    return { goneMs: tookMs, freedMs: Math.round(freedMs) };
  } finally {
    await publisher.end();
  }
}

/** Freezes a publisher, takes its place, and wakes it: the one who came last has the channel. */
async function takeOver(service: ServiceProcess) {
  const channel = await newLiveChannel(service);
  const player = startPlaylistPlayer(channel.playlistUrl);
  const publisher = await startPublisher(service, channel);
  try {
    const frozenAt = performance.now();
    publisher.child.kill('SIGSTOP');
    const publish = () => startClipPush(channel.publishUrl);
    const { push } = await untilLetIn(publish, { withinMs: takenOverMs.max });
    const tookMs = Math.round(performance.now() - frozenAt);
    await player.seen(({ discontinuities }) => discontinuities === 1);
    publisher.child.kill('SIGCONT');
    const exitCode = await publisher.child.exited;
    const shownMs = player.checker.shownMs;
    await player.seen((checker) => checker.shownMs > shownMs + 1_000);
    await push.end();
    await player.seen(({ last }) => last?.isEnded === true);
    await player.stop();
    const problems = player.problems();
    problems.push(...early('it was taken over', tookMs, takenOverMs.min));
    if (exitCode === 0) problems.push('the one who froze ended as if nothing had been');
    if (player.checker.discontinuities !== 1) problems.push('the one who froze came back');
    demand(problems);
    return { tookMs };
  } finally {
    await player.stop();
    await publisher.end();
  }
}

/** `footlight publish` in a process of its own, once its channel is live. */
async function startPublisher(service: ServiceProcess, { id, publishUrl }: LiveChannel) {
  const child = Bun.spawn([...footlight, 'publish', '--url', publishUrl, '--loop'], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const end = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  try {
    await until(() => isLive(service, id), {
      withinMs: liveWithinMs,
      otherwise: 'the publisher is not live',
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { child, end, port: Number(new URL(publishUrl).port) };
}

const listening = '0A';

/** Connections to a port of this machine that a process still holds, by their inodes. */
function socketsOf(port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(suffix) && state !== listening)
    .map((fields) => fields[9] ?? '0')
    .filter((inode) => inode !== '0');
}
