// Pictures and sound in step: a show of flashes and beeps, live in every size, and an hour of it as a recording.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startClipPush, testClip } from '../test/support/clip-push.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { variantsAt } from '../test/support/ladder-stage.ts';
import { newLiveChannel, until, videosOf } from '../test/support/live-channel.ts';
import { readMediaPlaylist } from '../test/support/media-playlist.ts';
import { noFfmpeg } from '../test/support/recorded-clip.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { noTranscoder, wantLadder } from './lines.ts';
import { startFastPush } from './support/fast-push.ts';
import { flashAndBeep, type Step, stepOf } from './support/flash-and-beep.ts';

export const trial: Trial = {
  sentence: 'flashes and beeps together, live in every size and recorded over an hour; 20 minutes',
  rounds: 1,
  run: async (options) => {
    const lacking = noFfmpeg ?? noTranscoder;
    if (lacking) throw new Error(lacking);
    return await stepRounds(options, { liveSeconds: 120, recordedSeconds: 3_600, speed: 10 });
  },
};

/** A picture lasts 100 ms here: what is heard within it is heard with it. And so much may it move over the show. */
const apartMsMax = 100;
const driftMsMax = 60;
const soon = { withinMs: 120_000 };

interface Lengths {
  liveSeconds: number;
  recordedSeconds: number;
  /** Seconds of the recorded show a second. */
  speed: number;
}

export async function stepRounds(
  { say }: Pick<RoundOptions, 'say'>,
  { liveSeconds, recordedSeconds, speed }: Lengths,
): Promise<Figures> {
  const folder = temporaryFolder();
  const service = await startProcess({
    DATA_DIR: folder,
    MIN_FREE_DISK: '10M',
    LADDER_CORES: '8',
    PUSH_SPEED_MAX: String(speed * 2),
    RTMP_MESSAGES_PER_SECOND: '10000',
  });
  const figures: Figures = {};
  const problems: string[] = [];
  const judge = (name: string, step: Step, seconds: number) => {
    figures[name] = `${step.flashes} flashes, sound later by ${step.leastMs} to ${step.mostMs} ms`;
    say(`${name}: ${figures[name]}`);
    problems.push(...problemsIn(step, seconds).map((problem) => `${name}: ${problem}`));
  };
  try {
    wantLadder(folder, true);
    for (const [name, file] of await liveFiles(service, flashAndBeep(liveSeconds)))
      judge(`live, ${name}`, await stepOf(file), liveSeconds / 2);
    wantLadder(folder, false);
    const playlist = await recorded(service, flashAndBeep(recordedSeconds), speed);
    judge('recorded', await stepOf(playlist), recordedSeconds);
  } finally {
    await service.stop();
  }
  demand(problems);
  return figures;
}

export function problemsIn({ flashes, leastMs, mostMs }: Step, seconds: number): string[] {
  const problems: string[] = [];
  // One each five seconds, without those at its ends.
  const wanted = Math.floor(seconds / 5) - 3;
  if (flashes < wanted) problems.push(`${flashes} flashes, not ${wanted}`);
  if (Math.max(Math.abs(leastMs), Math.abs(mostMs)) > apartMsMax)
    problems.push(`sound is later by ${leastMs} to ${mostMs} ms`);
  if (mostMs - leastMs > driftMsMax) problems.push(`it moves by ${mostMs - leastMs} ms`);
  return problems;
}

/** Of each size with pictures, all that was listed while it was pushed, as one file. */
async function liveFiles(service: ServiceProcess, file: string): Promise<[string, string][]> {
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl, testClip(file), { loop: false });
  await until(async () => (await fetch(channel.playlistUrl)).status === 200, {
    ...soon,
    otherwise: 'it is not live',
  });
  const variants = await variantsAt(channel.playlistUrl);
  const sized = variants.filter(({ attributes }) => attributes['RESOLUTION'] !== undefined);
  const files = await Promise.all(sized.map(({ url }) => collected(url)));
  await push.over;
  return files;
}

/** Follows a playlist to its end; what is missing of a size on a busy machine is left out. */
async function collected(url: string): Promise<[string, string]> {
  const name = new URL(url).pathname.split('/').at(-1)?.replace('.m3u8', '') ?? '';
  const file = join(temporaryFolder(), `${name}.mp4`);
  const taken = new Set<number>();
  let map: string | undefined;
  for (;;) {
    const response = await fetch(url);
    // Before the first part of a size, and when the push has gone.
    if (response.status !== 200 && taken.size > 0) return [name, file];
    if (response.status === 200) {
      const list = readMediaPlaylist(await response.text());
      for (const { sequence, uri, isGap, map: init = '' } of list.segments) {
        if (uri === undefined || isGap || taken.has(sequence)) continue;
        taken.add(sequence);
        if (map !== init) await append(file, new URL(init, url));
        map = init;
        await append(file, new URL(uri, url));
      }
      if (list.isEnded) return [name, file];
    }
    await Bun.sleep(300);
  }
}

async function append(file: string, url: URL): Promise<void> {
  const response = await fetch(url);
  if (response.ok) await appendFile(file, await response.bytes());
}

async function recorded(service: ServiceProcess, file: string, speed: number): Promise<string> {
  const channel = await newLiveChannel(service);
  const push = await startFastPush(channel.publishUrl, speed, {
    clip: testClip(file),
    loop: false,
  });
  await push.over;
  if (push.trouble !== undefined) throw new Error(push.trouble);
  let m3u8: string | undefined;
  await until(
    async () => {
      [{ m3u8 } = { m3u8: undefined }] = await videosOf(service, channel.id);
      return m3u8 !== undefined;
    },
    { ...soon, otherwise: 'there is no video' },
  );
  return `${m3u8}`;
}
