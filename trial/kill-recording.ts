// Fault 1 and 2 for recordings: kill -9 while one or two pushes are recorded; each becomes one video that plays.
import { pushMsMin } from '../src/stream/recording/make-video.ts';
import { type ClipPush, startClipPush, testClip } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import {
  isLive,
  type ListedVideo,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from '../test/support/live-channel.ts';
import { heldUpMs } from '../test/support/machine-pace.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { type Random, seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { diskProblems, untilJobsEnd } from './support/recording-judge.ts';

/** A part: what a kill may take of what players were shown. */
const missingMsMax = 250;
/** The longest that is pushed before the kill. */
const killWithinMs = 6_000;
/** From the restart to the video. */
const videoWithinMs = 2_000;

export const trial: Trial = {
  sentence: 'kill -9 while recording; each push is one playable video that misses one part at most',
  rounds: 50,
  run: (options) => killRecordingRounds(options, { waitsForJobs: true }),
};

/** Without waiting for jobs, what one was making when it was killed may lie about. */
export async function killRecordingRounds(
  { rounds, seed, say }: RoundOptions,
  { waitsForJobs }: { waitsForJobs: boolean },
): Promise<Figures> {
  const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' };
  const figures = { rounds: 0, videos: 0, worst_missing_ms: 0, worst_unsent_ms: 0, judged: 0 };
  let service = await startProcess(settings);
  const { token } = service;
  try {
    for (let at = 0; at < rounds; at++) {
      await round('kill-recording', seed + at, async () => {
        const random = seeded(seed + at);
        const shows = await startShows(service, random);
        // The moment is the point here: no event is waited for.
        await Bun.sleep(random.next() * killWithinMs);
        await service.kill();
        for (const show of shows) await endShow(show);
        service = await startProcess(settings, { token });
        for (const show of shows) {
          const { missingMs, unsentMs } = await checkShow(service, show);
          figures.worst_missing_ms = Math.max(figures.worst_missing_ms, missingMs);
          figures.worst_unsent_ms = Math.max(figures.worst_unsent_ms, unsentMs);
          figures.videos += 1;
          if (noJudge === undefined) figures.judged += 1;
        }
      });
      figures.rounds += 1;
      if ((at + 1) % 10 === 0) say(`${at + 1} rounds, ${figures.videos} videos`);
    }
    if (waitsForJobs) await untilJobsEnd({ ...settings, DATABASE_URL: '' });
    demand(diskProblems(settings.DATA_DIR, { videos: figures.videos, mayBeMaking: !waitsForJobs }));
  } finally {
    await service.kill();
  }
  return figures;
}

/** A push and a player that follows it. */
interface Show {
  channel: LiveChannel;
  push: ClipPush;
  player: PlaylistPlayer;
}

/** One or two, each of which is live. */
async function startShows(service: ServiceProcess, random: Random): Promise<Show[]> {
  const clip = testClip();
  const count = random.whole(1, 2);
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const channel = await newLiveChannel(service);
      const player = startPlaylistPlayer(channel.playlistUrl, { mayBreak: true });
      const push = await startClipPush(channel.publishUrl, clip);
      // A push of less than a second becomes no video.
      await player.seen(({ shownMs }) => shownMs > pushMsMin + missingMsMax);
      return { channel, push, player };
    }),
  );
}

async function endShow({ push, player }: Show): Promise<void> {
  push.publisher.cut();
  await push.over;
  await player.stop();
  demand(player.problems());
}

/** How much of what was shown, and of what was sent, its video misses. */
async function checkShow(service: ServiceProcess, { channel, push, player }: Show) {
  const { id } = channel;
  if (await isLive(service, id)) throw new Error(`channel ${id} is live after the restart`);
  const count = async () => (await videosOf(service, id)).length;
  await until(async () => (await count()) > 0, {
    withinMs: videoWithinMs,
    otherwise: `channel ${id} has no video`,
  });
  const videos = await videosOf(service, id);
  const [video] = videos;
  if (!video || videos.length > 1) throw new Error(`channel ${id} has ${videos.length} videos`);
  const durationMs = await checkVideo(video);
  const missingMs = player.checker.shownMs - durationMs;
  if (missingMs > missingMsMax + heldUpMs)
    throw new Error(`of ${player.checker.shownMs} ms shown, ${durationMs} ms were recorded`);
  return { missingMs, unsentMs: push.sentMs() - durationMs };
}

/** Its exact length by its playlist; whether it plays is judged by others. */
async function checkVideo(video: ListedVideo): Promise<number> {
  const response = await fetch(video.m3u8);
  const list = readMediaPlaylist(await response.text());
  const durationMs = list.segments.reduce((sum, segment) => sum + segment.durationMs, 0);
  if (video.duration !== Math.max(1, Math.round(durationMs / 1000)))
    throw new Error(`the video of ${durationMs} ms says ${video.duration} s`);
  if (noJudge !== undefined) return durationMs;
  const { problems, ...judged } = await judgeVideo(video.m3u8);
  if (Math.abs(judged.durationMs - durationMs) > missingMsMax)
    problems.push(`ffprobe finds ${judged.durationMs} ms, the playlist says ${durationMs}`);
  demand(problems);
  return durationMs;
}
