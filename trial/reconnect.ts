// Fault 6: the line of a push is cut inside a group of pictures, and the encoder comes back soon or late.

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
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { type ShapedLine, startShapedLine } from '../test/support/shaped-line.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';

export interface ReconnectTimes {
  /** RECONNECT_MS of the service that is come back to soon, and of the other. */
  windowMs: number;
  lateWindowMs: number;
  backSoonMs: number;
  backLateMs: number;
}

/** What the issue of the fault says: back after 3 s, after 60 s, in a window of 10 s. */
const times: ReconnectTimes = {
  windowMs: 10_000,
  lateWindowMs: 10_000,
  backSoonMs: 3_000,
  backLateMs: 60_000,
};
/** The longest push before and after the cut: about two groups of pictures. */
const pushMsMax = 4_500;
const pushMsMin = 1_500;
const videoWithinMs = 2_000;

export const trial: Trial = {
  sentence: 'a push is cut and comes back: one playlist and video within the window, two after it',
  rounds: 4,
  run: (options) => reconnectRounds(options, times),
};

export async function reconnectRounds(
  { rounds, seed, say }: RoundOptions,
  { windowMs, lateWindowMs, backSoonMs, backLateMs }: ReconnectTimes,
): Promise<Figures> {
  const figures = { rounds: 0, loads: 0, cuts_joined: 0, cuts_apart: 0, refused_meanwhile: 0 };
  const start = (ms: number) =>
    startProcess({
      DATA_DIR: temporaryFolder(),
      MIN_FREE_DISK: '10M',
      RECONNECT_MS: String(ms),
    });
  const service = await start(windowMs);
  const lateService = await start(lateWindowMs);
  try {
    for (let at = 0; at < rounds; at++) {
      await round('reconnect', seed + at, async () => {
        // At once, on channels of their own: the long form would else take a minute each.
        const soon = cutAndReturn(service, { seed: seed + at, how: 'cut', backMs: backSoonMs });
        const mute = cutAndReturn(service, { seed: seed + at, how: 'silence', backMs: backSoonMs });
        const late = cutAndReturn(lateService, {
          seed: seed + at,
          how: 'cut',
          backMs: backLateMs,
          isLate: true,
        });
        const joined = [await soon, await mute];
        const apart = await late;
        demand([...joined.flatMap((seen) => oneShow(seen)), ...twoShows(apart)]);
        figures.cuts_joined += joined.length;
        figures.cuts_apart += 1;
        for (const { loads, refused } of [...joined, apart]) {
          figures.loads += loads;
          figures.refused_meanwhile += refused;
        }
      });
      figures.rounds += 1;
      say(`${figures.rounds} rounds, ${figures.loads} playlists`);
    }
  } finally {
    await service.kill();
    await lateService.kill();
  }
  return figures;
}

interface Seen {
  loads: number;
  pushes: number;
  discontinuities: number;
  /** Tries that were refused because the old connection still had the channel. */
  refused: number;
  wasLiveBetween: boolean;
  /** Discontinuities in the playlist of each video. */
  videos: number[];
}

/** Pushes through a line that fails, comes back on another, ends; what a player and a caller saw. */
async function cutAndReturn(
  service: ServiceProcess,
  given: { seed: number; how: 'cut' | 'silence'; backMs: number; isLate?: boolean },
): Promise<Seen> {
  const random = seeded(given.seed);
  const channel = await newLiveChannel(service);
  const player = startPlaylistPlayer(channel.playlistUrl);
  const line = await startShapedLine(Number(new URL(channel.publishUrl).port));
  const pushMs = () => pushMsMin + random.next() * (pushMsMax - pushMsMin);
  try {
    const first = await startClipPush(through(line, channel));
    await player.seen(({ shownMs }) => shownMs > 0);
    // The moments are the point here: no event is waited for.
    await Bun.sleep(pushMs());
    line[given.how]();
    await Bun.sleep(given.backMs);
    if (given.isLate)
      await until(async () => !(await isLive(service, channel.id)), {
        withinMs: 0,
        otherwise: 'the channel is live after the window',
      });
    const wasLiveBetween = await isLive(service, channel.id);
    const publish = () => startClipPush(through(line, channel));
    const { push, refused } = await untilLetIn(publish, { withinMs: 10_000 });
    first.publisher.cut();
    await Bun.sleep(pushMs());
    await push.end();
    await player.seen(({ last, pushes, discontinuities }) =>
      Boolean(last?.isEnded && pushes + discontinuities > 1),
    );
    const wanted = wasLiveBetween ? 1 : 2;
    await until(async () => (await videosOf(service, channel.id)).length >= wanted, {
      withinMs: videoWithinMs,
      otherwise: 'the video is not there',
    });
    await player.stop();
    demand(player.problems());
    const { loads, pushes, discontinuities } = player.checker;
    const videos = await checkVideos(service, channel);
    return { loads, pushes, discontinuities, refused, wasLiveBetween, videos };
  } finally {
    line.close();
    await player.stop();
  }
}

function through(line: ShapedLine, { publishUrl }: LiveChannel): string {
  const url = new URL(publishUrl);
  url.hostname = '127.0.0.1';
  url.port = String(line.port);
  return url.href;
}

async function checkVideos(service: ServiceProcess, { id }: LiveChannel): Promise<number[]> {
  const videos = await videosOf(service, id);
  const counts: number[] = [];
  for (const { m3u8 } of videos) {
    const list = readMediaPlaylist(await (await fetch(m3u8)).text());
    counts.push(list.segments.at(-1)?.discontinuity ?? 0);
    if (noJudge === undefined) demand((await judgeVideo(m3u8)).problems);
  }
  return counts;
}

function oneShow({ pushes, discontinuities, wasLiveBetween, videos }: Seen): string[] {
  const problems: string[] = [];
  if (pushes !== 1) problems.push(`a push that came back was ${pushes} playlists`);
  if (discontinuities !== 1) problems.push(`the playlist had ${discontinuities} discontinuities`);
  if (!wasLiveBetween) problems.push('the channel was not live while its push was awaited');
  if (videos.length !== 1 || videos[0] !== 1)
    problems.push(`the discontinuities of its videos are ${JSON.stringify(videos)}, not [1]`);
  return problems;
}

function twoShows({ pushes, discontinuities, wasLiveBetween, videos }: Seen): string[] {
  const problems: string[] = [];
  if (pushes !== 2 || discontinuities > 0) problems.push(`there were ${pushes} pushes`);
  if (wasLiveBetween) problems.push('the channel was live after the window');
  if (videos.length !== 2 || videos.some((count) => count > 0))
    problems.push(`the discontinuities of its videos are ${JSON.stringify(videos)}, not [0,0]`);
  return problems;
}
