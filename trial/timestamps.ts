// Fault 10: timestamps that wrap, jump, repeat or lack their sound; the playlist stays valid, the recording plays, its jobs are done.
import type { Clip } from '../src/stream/rtmp/paced-push.ts';
import { publishTo, type RtmpPublisher } from '../src/stream/rtmp/rtmp-client.ts';
import { testClip } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { newLiveChannel, until, videosOf } from '../test/support/live-channel.ts';
import { judgeFile, judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import type { SentTag } from './support/bent-stamps.ts';
import {
  type BentPush,
  bentOrders,
  bentPushes,
  honestPush,
  randomPush,
} from './support/bent-stamps.ts';
import { jobProblems } from './support/job-judge.ts';
import { reorderedClip } from './support/reordered-clip.ts';

/** The service packages by stamps, not by its clock, so that a push may be sent faster than it lasts. */
const speed = 6;
const forgivenMs = 500;
/** How soon is tried elsewhere. */
const videoWithinMs = 15_000;
/** At once; more would make two cores the thing that is tried. */
const together = 4;

export const trial: Trial = {
  sentence: 'stamps that wrap, jump, repeat or lack sound: valid playlists, videos whole',
  rounds: 60,
  run: async (options) => ({
    ...(await bentRounds(options)),
    ...(noJudge === undefined ? await orderRounds(options) : {}),
    ...(await randomRounds(options)),
  }),
};

/** Each bent push once at most. */
export async function bentRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const pushes = someOf(bentPushes, { rounds, seed });
  return await withService(async (service) => {
    const loads = await inTurn(pushes, (bent) =>
      round('timestamps', seed, () => pushBent(service, bent, { seed })),
    );
    say(`${pushes.length} bent pushes`);
    return { bent: pushes.length, bent_loads: loads };
  });
}

/** As many as there are rounds, from another one on with each seed. */
function someOf<T>(all: readonly T[], { rounds, seed }: { rounds: number; seed: number }): T[] {
  const first = seed % all.length;
  return [...all.slice(first), ...all.slice(0, first)].slice(0, rounds);
}

/** Pushes with bent composition times, each once at most; their clip is made by ffmpeg. */
export async function orderRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const orders = someOf(bentOrders, { rounds, seed });
  const of = { seed, clip: reorderedClip(), variants: ['480'] as const };
  return await withService(async (service) => {
    await inTurn(orders, (bent) => round('timestamps', seed, () => pushBent(service, bent, of)));
    say(`${orders.length} pushes in bent order`);
    return { orders: orders.length };
  });
}

export async function randomRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  return await withService(async (service) => {
    const seeds = Array.from({ length: rounds }, (_, at) => seed + at);
    const loads = await inTurn(seeds, (one) =>
      round('timestamps', one, () => pushBent(service, randomPush, { seed: one })),
    );
    say(`${rounds} random pushes`);
    return { rounds, loads };
  });
}

async function withService(work: (service: ServiceProcess) => Promise<Figures>): Promise<Figures> {
  const settings = {
    DATA_DIR: temporaryFolder(),
    MIN_FREE_DISK: '10M',
    LOG_LEVEL: 'info',
    PUSH_SPEED_MAX: `${speed + 2}`,
  };
  const service = await startProcess(settings);
  try {
    const figures = await work(service);
    if (/"level":"error"/.test(service.log())) throw new Error('the service logged an error');
    return figures;
  } catch (error) {
    const said = service.log().slice(-2_000);
    throw new Error(`${(error as Error).message}\nthe service said: ${said}`, { cause: error });
  } finally {
    await service.kill();
  }
}

/** A few at a time; the sum of what they return. */
async function inTurn<T>(all: readonly T[], work: (one: T) => Promise<number>): Promise<number> {
  const waiting = [...all];
  let sum = 0;
  const workers = Array.from({ length: together }, async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      sum += await work(one);
  });
  await Promise.all(workers);
  return sum;
}

interface Bending {
  seed: number;
  clip?: Clip;
  /** What its size must give. */
  variants?: readonly '480'[];
}

/** How many playlists were judged. */
async function pushBent(
  service: ServiceProcess,
  bent: BentPush,
  { seed, clip = testClip(), variants = [] }: Bending,
): Promise<number> {
  const channel = await newLiveChannel(service, bent.name);
  const player = startPlaylistPlayer(channel.playlistUrl);
  const sent = bent.bend(honestPush(clip, bent.seconds), seeded(seed));
  try {
    const publisher = await publishTo(channel.publishUrl);
    await sendAll(publisher, sent);
    await publisher.end();
    await player.seen(({ last }) => last?.isEnded === true);
    const problems = player.problems();
    const isVideo = async () => (await videosOf(service, channel.id)).length > 0;
    const isTooShort = () =>
      service.log().includes(`too short to become a video","channel_id":${channel.id},`);
    await until(bent.isTooShort ? isTooShort : isVideo, {
      withinMs: videoWithinMs,
      otherwise: `"${bent.name}" became no video`,
    });
    if (!bent.isTooShort)
      problems.push(...(await recordingProblems(service, channel.id, { ...bent, variants })));
    demand(problems.map((problem) => `${bent.name}: ${problem}`));
    return player.checker.loads;
  } finally {
    await player.stop();
  }
}

async function sendAll(publisher: RtmpPublisher, sent: SentTag[]): Promise<void> {
  const startedAt = performance.now();
  for (const { dueMs, tag } of sent.toSorted((a, b) => a.dueMs - b.dueMs)) {
    const earlyMs = dueMs / speed - (performance.now() - startedAt);
    if (earlyMs > 2) await Bun.sleep(earlyMs);
    publisher.send(tag);
  }
  await publisher.drained();
}

async function recordingProblems(
  service: ServiceProcess,
  id: number,
  {
    recordedMs,
    lacksPictures = false,
    isUneven = false,
    variants,
  }: BentPush & Required<Pick<Bending, 'variants'>>,
): Promise<string[]> {
  const videos = await videosOf(service, id);
  const [video] = videos;
  if (!video || videos.length > 1) return [`it became ${videos.length} videos`];
  const list = readMediaPlaylist(await (await fetch(video.m3u8)).text());
  const durationMs = list.segments.reduce((sum, segment) => sum + segment.durationMs, 0);
  const problems: string[] = [];
  if (recordedMs !== undefined && Math.abs(durationMs - recordedMs) > forgivenMs)
    problems.push(`${durationMs} ms of ${recordedMs} were recorded`);
  problems.push(...(await jobProblems(service, video.id, variants)));
  if (noJudge !== undefined) return problems;
  return [
    ...problems,
    ...(await judgeVideo(video.m3u8, { lacksPictures })).problems,
    ...(await judgeFile(video.video_url, { lacksPictures })).problems,
    ...(variants.length > 0 ? await variantProblems(service, id, isUneven) : []),
  ];
}

/** Its address is in the video once its job is done. */
async function variantProblems(
  service: ServiceProcess,
  id: number,
  isUneven: boolean,
): Promise<string[]> {
  const [video] = await videosOf(service, id);
  if (!video?.m3u8_480) return ['there is no variant'];
  return (await judgeVideo(video.m3u8_480, { isUneven })).problems;
}
