// Fault 1 and 4 for uploads: the line is cut and the service killed while a file comes and is read; it becomes one video.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCuttingProxy } from '../test/support/cutting-proxy.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { until } from '../test/support/live-channel.ts';
import { judgeVideo, noJudge } from '../test/support/media-judge.ts';
import { seeded } from '../test/support/random.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { filmOf, sendByTus } from '../test/support/uploads.ts';

const megabyte = 1_048_576;
const filmSeconds = 10;
const cutsOfRound = 5;
/** From the last byte, or the last start, to the video. */
const videoWithinMs = 60_000;
/** Reading a short file takes less; a kill that comes later finds the video made. */
const killWithinMs = 1_500;
/** What the service may hold more than when it greeted: two megabytes of the body, and what the collector leaves. */
const grownBytesMax = 96 * megabyte;

export const trial: Trial = {
  sentence:
    'uploads of 200 MB, cut five times and killed twice; each is one video, nothing else is left',
  rounds: 10,
  run: (options) => uploadRounds(options, { bytes: 200 * megabyte }),
};

export async function uploadRounds(
  { rounds, seed, say }: RoundOptions,
  { bytes }: { bytes: number },
): Promise<Figures> {
  const settings = { DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' };
  const film = await filmOf(bytes, filmSeconds);
  const figures = { rounds: 0, videos: 0, cuts: 0, kills: 0, judged: 0, most_grown_bytes: 0 };
  let service = await startProcess(settings);
  let heldBytes = service.memory().peakBytes;
  const { token } = service;
  const made = await service.call('POST', '/v1/activities', { body: { name: 'films' } });
  const channel_id = String(made.body.id);
  try {
    for (let at = 0; at < rounds; at++) {
      await round('upload', seed + at, async () => {
        const random = seeded(seed + at);
        const cutAt = Array.from({ length: cutsOfRound }, () => random.next() * bytes);
        const line = await startCuttingProxy(service.url, {
          cutAt: cutAt.toSorted((one, other) => one - other),
        });
        const restart = async () => {
          const grownBytes = service.memory().peakBytes - heldBytes;
          figures.most_grown_bytes = Math.max(figures.most_grown_bytes, grownBytes);
          await service.kill();
          figures.kills += 1;
          service = await startProcess(settings, { token });
          heldBytes = service.memory().peakBytes;
          line.lead(service.url);
        };
        let killing: Promise<void> | undefined;
        const killAt = random.next() * bytes;
        const path = await sendByTus({
          ...{ url: line.url, token, file: film },
          metadata: { channel_id, filename: `film ${at}.mp4` },
          onProgress: (sent) => {
            if (sent >= killAt) killing ??= restart();
          },
        });
        await killing;
        // The moment is the point here: no event is waited for.
        await Bun.sleep(random.next() * killWithinMs);
        await restart();
        figures.cuts += line.cuts();
        await line.stop();
        const m3u8 = await playlistOf(service, path);
        figures.videos += 1;
        if (noJudge === undefined) {
          const { durationMs, problems } = await judgeVideo(m3u8);
          const isWhole = Math.abs(durationMs - 1_000 * filmSeconds) < 100;
          demand([...problems, ...(isWhole ? [] : [`the video has ${durationMs} ms`])]);
          figures.judged += 1;
        }
        demand(await leftOver(service, settings.DATA_DIR, figures.videos));
      });
      figures.rounds += 1;
      say(`${at + 1} rounds, ${figures.cuts} cuts, ${figures.kills} kills`);
    }
    demand(
      figures.most_grown_bytes > grownBytesMax
        ? [`an upload made the service grow by ${figures.most_grown_bytes} bytes`]
        : [],
    );
  } finally {
    await service.kill();
  }
  return figures;
}

/** Of the video that it became. */
async function playlistOf(service: ServiceProcess, path: string): Promise<string> {
  let video_id = 0;
  const isDone = async () => {
    const { body } = await service.call('GET', path);
    demand(body.state === 'refused' ? [`the upload was refused: ${body.problem}`] : []);
    video_id = body.video_id;
    return body.state === 'done';
  };
  await until(isDone, { withinMs: videoWithinMs, otherwise: 'the upload became no video' });
  return `${service.url}/recordings/${video_id}/index.m3u8`;
}

/** Beside one recording a video nothing lies on the disk, and nothing is listed. */
async function leftOver(
  service: ServiceProcess,
  dataDir: string,
  videos: number,
): Promise<string[]> {
  // A file goes right after its video is known.
  await until(() => readdirSync(join(dataDir, 'uploads')).length === 0, {
    withinMs: videoWithinMs,
    otherwise: 'a file is left among the uploads',
  });
  const recordings = readdirSync(join(dataDir, 'recordings'));
  const { total } = (await service.call('GET', '/v1/videos')).body.meta;
  return [
    ...(recordings.length === videos ? [] : [`there are ${recordings.length} recordings`]),
    ...(total === videos ? [] : [`${total} videos are listed, and ${videos} were sent`]),
  ];
}
