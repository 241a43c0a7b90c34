// What Safari asks of a stream, over a real push, its smaller sizes and its recording: the rules are in support/hls-requirements.ts.
import { afterAll, beforeAll, expect } from 'bun:test';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { type Engine, engines } from './support/engines.ts';
import { fetchHls } from './support/fetched-hls.ts';
import { type FetchedStream, judgeHls } from './support/hls-requirements.ts';
import { ladderClip, variantsAt, wantLadder } from './support/ladder-stage.ts';
import { newLiveChannel, until, videosOf } from './support/live-channel.ts';
import { noJudge } from './support/media-judge.ts';
import { testWith } from './support/needs.ts';
import { startPlaylistPlayer } from './support/playlist-player.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';

const needed =
  noFfmpeg ??
  noJudge ??
  (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const soon = { withinMs: 60_000 };

/** What is not kept to, and why. */
const known: Record<string, string> = {
  'a recording has a list of key frames to be searched by':
    'a picture under the pointer comes from the storyboard; Safari, which would use such a list for its own controls, never shows those on our pages',
};

/** The same of a recording whose sizes its jobs have made. */
const madeLater: Record<string, string> = {
  'one variant is for the slowest lines':
    'sound alone is recorded where it was live, and is none of what jobs make',
};

let service: TestService;
const pushes: ClipPush[] = [];
const clip = needed === undefined ? ladderClip() : undefined;
beforeAll(async () => {
  if (needed !== undefined) return;
  const settings = { MIN_FREE_DISK: '10M', LADDER_CORES: '8' };
  service = await startTestService(engines[0] as Engine, { settings, clock: movingClock() });
});
afterAll(async () => {
  for (const push of pushes) await push.end();
  await service?.stop();
});

/** What does not hold and is not known. */
function unknownIn(stream: FetchedStream, alsoKnown: typeof known = {}): string[] {
  return judgeHls(stream)
    .filter(({ rule }) => !(rule in known || rule in alsoKnown))
    .map(({ rule, variant, says }) => `${variant}: ${says} (${rule})`);
}

async function pushed(): Promise<{ id: number; playlistUrl: string; push: ClipPush }> {
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl, clip);
  pushes.push(push);
  await until(async () => (await fetch(channel.playlistUrl)).status === 200, {
    ...soon,
    otherwise: 'it is not live',
  });
  return { ...channel, push };
}

/** All sizes of the one video of a channel, once it has its variant. */
async function recordedIn(id: number): Promise<FetchedStream> {
  const newest = async () => (await videosOf(service, id))[0];
  await until(async () => Boolean((await newest())?.m3u8_480), {
    withinMs: 120_000,
    otherwise: 'there is no variant',
  });
  return await fetchHls(`${(await newest())?.m3u8}`.replace('index.m3u8', 'all.m3u8'));
}

/** Each of them lists so many whole segments. */
async function grown(urls: readonly string[], count: number): Promise<void> {
  const players = urls.map((url) => startPlaylistPlayer(url));
  const isWhole = ({ uri, isGap }: { uri: string | undefined; isGap: boolean }) => uri && !isGap;
  for (const player of players)
    await player.seen(({ last }) => (last?.segments.filter(isWhole).length ?? 0) >= count);
  for (const player of players) await player.stop();
}

testWith(
  needed,
  'a push in one size keeps to the rules, and so does its recording',
  async () => {
    await wantLadder(service, false);
    const { id, playlistUrl, push } = await pushed();
    await grown([playlistUrl], 3);
    expect(unknownIn(await fetchHls(playlistUrl))).toEqual([]);
    await push.end();
    const recorded = await recordedIn(id);
    expect(recorded.variants.map(({ name }) => name)).toEqual(['index', '480']);
    expect(unknownIn(recorded, madeLater)).toEqual([]);
  },
  240_000,
);

testWith(
  needed,
  'a push in every size keeps to them in each, and between them',
  async () => {
    await wantLadder(service, true);
    const { id, playlistUrl, push } = await pushed();
    const variants = await variantsAt(playlistUrl);
    await grown(
      variants.map(({ url }) => url),
      3,
    );
    const stream = await fetchHls(playlistUrl);
    expect(stream.variants.map(({ name }) => name)).toEqual(['source', '480p', '360p', 'sound']);
    expect(unknownIn(stream)).toEqual([]);
    await push.end();
    const recorded = await recordedIn(id);
    const names = recorded.variants.map(({ name }) => name);
    // On a busy machine 360 may have lacked something; sound alone never does.
    expect(names.filter((name) => name !== '360')).toEqual(['index', '480', 'sound']);
    expect(unknownIn(recorded)).toEqual([]);
  },
  240_000,
);
