// A push in several sizes, from end to end: what players are told, what they get, and what a kill of the encoder leaves.
import { afterAll, beforeAll, expect, test as plainTest } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { type Engine, engines, temporaryFolder } from './support/engines.ts';
import {
  type ListedVariant,
  ladderClip,
  ladderPids,
  problemsOf,
  segmentsAt,
  variantsAt,
  wantLadder,
} from './support/ladder-stage.ts';
import { type LiveChannel, newLiveChannel, until, videosOf } from './support/live-channel.ts';
import { judgeVideo } from './support/media-judge.ts';
import { readMediaPlaylist } from './support/media-playlist.ts';
import { notLinux, testWith } from './support/needs.ts';
import { startPlaylistPlayer } from './support/playlist-player.ts';
import { noFfmpeg, outside } from './support/recorded-clip.ts';
import { startTestService, type TestService } from './support/service.ts';

const needed =
  noFfmpeg ?? (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const rungs = ['480p', '360p'];
const soon = { withinMs: 20_000 };

let service: TestService;
const pushes: ClipPush[] = [];
const clip = needed === undefined ? ladderClip() : undefined;
beforeAll(async () => {
  const settings = { MIN_FREE_DISK: '10M', LADDER_CORES: '8', COUNT_DIRECT_PLAYERS: 'true' };
  service = await startTestService(engines[0] as Engine, { settings });
});
afterAll(async () => {
  for (const push of pushes) await push.end();
  await service.stop();
});

function test(name: string, run: () => Promise<void>): void {
  testWith(needed, name, run, 240_000);
}

async function live(): Promise<LiveChannel> {
  await wantLadder(service, true);
  const channel = await newLiveChannel(service);
  pushes.push(await startClipPush(channel.publishUrl, clip));
  await until(async () => (await fetch(channel.playlistUrl)).status === 200, {
    ...soon,
    otherwise: 'it is not live',
  });
  return channel;
}

/** Beside the list. */
const sizeOf = ({ playlistUrl }: LiveChannel, name: string) =>
  playlistUrl.replace('live.m3u8', `${name}.m3u8`);

plainTest(
  'without a word of its account a push has one size, at the address it always had',
  async () => {
    await wantLadder(service, false);
    const channel = await newLiveChannel(service);
    const push = await startClipPush(channel.publishUrl);
    const player = startPlaylistPlayer(channel.playlistUrl);
    await player.seen(({ shownMs }) => shownMs > 0);
    expect(await (await fetch(channel.playlistUrl)).text()).not.toContain('STREAM-INF');
    for (const name of [...rungs, 'sound'])
      expect((await fetch(sizeOf(channel, name))).status).toBe(404);
    expect(ladderPids()).toEqual([]);
    await player.stop();
    await push.end();
    expect(player.problems()).toEqual([]);
  },
);

test('the address lists the source, smaller sizes and the sound alone, each of which plays', async () => {
  const channel = await live();
  const listed = await variantsAt(channel.playlistUrl);
  expect(listed.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toEqual(
    ['source', ...rungs, 'sound'].map((name) => `${name}.m3u8`),
  );
  expect(listed.map(({ attributes }) => attributes['RESOLUTION'])).toEqual([
    '896x504',
    '854x480',
    '640x360',
    undefined,
  ]);
  for (const { url, attributes } of listed) {
    const player = startPlaylistPlayer(url);
    await player.seen(({ segments }) => whole(segments).length >= 2);
    await player.stop();
    // One that a busy machine has left out is missing, which its list says.
    expect(problemsOf(player)).toEqual([]);
    const segment = [...(await segmentsAt(url)).values()].findLast((one) => !one.isGap);
    if (!segment) continue;
    const pictures = await judge(url, segment, attributes);
    if (attributes['RESOLUTION']) expect(pictures).toBe(Math.round(segment.durationMs / 100));
  }
});

test('for players that take no sound alone it is there beside a black picture, which costs next to nothing', async () => {
  const channel = await live();
  const listed = await variantsAt(`${channel.playlistUrl}?still=1`);
  const [sound, still] = listed.slice(-2) as [ListedVariant, ListedVariant];
  expect(new URL(still.url).pathname).toEndWith('/still.m3u8');
  expect(still.attributes['RESOLUTION']).toBe('256x144');
  const player = startPlaylistPlayer(still.url);
  await player.seen(({ segments }) => whole(segments).length >= 3);
  await player.stop();
  expect(problemsOf(player)).toEqual([]);
  const segments = await segmentsAt(still.url);
  const [sequence, segment] = [...segments].at(-1) ?? [];
  if (!segment) throw new Error('it has no segment');
  expect(await judge(still.url, segment, still.attributes)).toBe(segment.parts.length);
  const others = await segmentsAt(sound.url);
  const bytesOf = async (url: string, uri = '') =>
    (await (await fetch(new URL(uri, url))).bytes()).length;
  const more =
    (await bytesOf(still.url, segment.uri)) -
    (await bytesOf(sound.url, others.get(sequence ?? 0)?.uri));
  expect((more * 8_000) / segment.durationMs).toBeLessThan(10_000);
});

test('segments and parts of all sizes have the same numbers, lengths and dates', async () => {
  const channel = await live();
  const source = startPlaylistPlayer(sizeOf(channel, 'source'));
  const others = [...rungs, 'sound'].map((name) => startPlaylistPlayer(sizeOf(channel, name)));
  for (const player of [source, ...others])
    await player.seen(({ segments }) => whole(segments).length >= 3);
  for (const player of [source, ...others]) await player.stop();
  for (const player of others) {
    const { checker } = player;
    expect(problemsOf(player)).toEqual([]);
    const same = whole(checker.segments).filter(({ sequence }) =>
      whole(source.checker.segments).some((one) => one.sequence === sequence),
    );
    expect(same.length).toBeGreaterThan(0);
    for (const { sequence, durationMs, startsAt, parts } of same) {
      const wanted = source.checker.segments.get(sequence);
      expect({ durationMs, startsAt }).toEqual({
        durationMs: wanted?.durationMs,
        startsAt: wanted?.startsAt,
      } as { durationMs: number; startsAt: string });
      expect(parts.map((one) => one.durationMs)).toEqual(
        (wanted?.parts ?? []).map((one) => one.durationMs).slice(0, parts.length),
      );
    }
  }
});

test('who took the address for a playlist of one size goes on with it', async () => {
  const channel = await live();
  const { segments } = readMediaPlaylist(await (await fetch(sizeOf(channel, 'source'))).text());
  const sequence = segments.at(-1)?.sequence ?? 0;
  const answer = await fetch(`${channel.playlistUrl}?_HLS_msn=${sequence}&_HLS_part=0`);
  expect(readMediaPlaylist(await answer.text()).segments.at(-1)?.sequence).toBeGreaterThanOrEqual(
    sequence,
  );
});

test('a low-latency page is led to low-latency playlists', async () => {
  const channel = await live();
  const listed = await variantsAt(`${channel.playlistUrl}?low_latency=1`);
  for (const { url } of listed) expect(new URL(url).search).toBe('?low_latency=1');
});

test('a player that goes from size to size is one viewer', async () => {
  const channel = await live();
  const countOf = async () => {
    const { text } = await service.call('GET', '/metrics', { token: null });
    return Number(/^footlight_direct_players (\d+)$/m.exec(text)?.[1]);
  };
  const headers = { 'user-agent': `VLC/3.0.21 ${crypto.randomUUID()}` };
  const before = await countOf();
  for (const url of [
    channel.playlistUrl,
    ...['480p', '360p', 'source'].map((name) => sizeOf(channel, name)),
  ])
    await fetch(url, { headers });
  expect(await countOf()).toBe(before + 1);
});

testWith(
  needed ?? notLinux,
  'a killed encoder is started again, and the source’s players see nothing of it',
  async () => {
    const channel = await live();
    const source = startPlaylistPlayer(sizeOf(channel, 'source'));
    const rung = startPlaylistPlayer(sizeOf(channel, '360p'));
    await rung.seen(({ segments }) => whole(segments).length >= 1);
    const before = ladderPids();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    const killedAt = Math.max(...whole(source.checker.segments).map(({ sequence }) => sequence));
    await until(() => ladderPids().some((pid) => !before.includes(pid)), {
      ...soon,
      otherwise: 'no other process was started',
    });
    // It comes back with a segment, and what is lost in between is listed as missing.
    await rung.seen(({ segments }) =>
      whole(segments).some(({ sequence, isGap }) => sequence > killedAt && !isGap),
    );
    await source.seen(({ segments }) => (whole(segments).at(-1)?.sequence ?? 0) > killedAt + 1);
    await source.stop();
    await rung.stop();
    expect([...source.problems(), ...problemsOf(rung)]).toEqual([]);
    const all = whole(source.checker.segments);
    expect(all.filter(({ isGap }) => isGap)).toEqual([]);
    expect(all.map(({ sequence }) => sequence)).toEqual(
      all.map((_, at) => (all[0]?.sequence ?? 0) + at),
    );
    expect(source.checker.discontinuities).toBe(0);
  },
  240_000,
);

testWith(
  needed ?? notLinux,
  'sizes that are not made in time are missing, and come back without their largest',
  async () => {
    // Those of pushes before this one would hide its own.
    for (const push of pushes.splice(0)) await push.end();
    await until(() => ladderPids().length === 0, { ...soon, otherwise: 'encoders are left' });
    const channel = await live();
    const source = startPlaylistPlayer(sizeOf(channel, 'source'));
    const small = startPlaylistPlayer(sizeOf(channel, '360p'));
    await small.seen(({ segments }) => whole(segments).length >= 1);
    const [pid = 0] = ladderPids();
    process.kill(pid, 'SIGSTOP');
    await small.seen(({ segments }) => whole(segments).some(({ isGap }) => isGap));
    process.kill(pid, 'SIGCONT');
    const missing = whole(small.checker.segments).find(({ isGap }) => isGap)?.sequence ?? 0;
    await small.seen(({ segments }) =>
      whole(segments).some(({ sequence, isGap }) => sequence > missing && !isGap),
    );
    await source.stop();
    await small.stop();
    expect([...source.problems(), ...problemsOf(small)]).toEqual([]);
    expect(whole(source.checker.segments).filter(({ isGap }) => isGap)).toEqual([]);
    const { text } = await service.call('GET', '/metrics', { token: null });
    expect(text).toMatch(/footlight_ladder_troubles_total\{kind="behind"\} [1-9]/);
    expect(service.logLines.join('\n')).toContain('"again_with":"360p"');
  },
  240_000,
);

test('a size of which nothing was missing is one of the video, and is not made again', async () => {
  await wantLadder(service, true);
  const channel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl, clip);
  const names = [...rungs, 'sound', 'still'];
  const source = startPlaylistPlayer(sizeOf(channel, 'source'));
  const others = names.map((name) => startPlaylistPlayer(sizeOf(channel, name)));
  for (const player of others) await player.seen(({ segments }) => whole(segments).length >= 3);
  await push.end();
  for (const player of [source, ...others]) {
    await player.seen(({ last }) => last?.isEnded === true);
    await player.stop();
  }
  const [first] = whole(source.checker.segments);
  // A busy machine may have left some of a size out; then it is made as ever, or not there.
  const madeLive = names.filter((name, at) => {
    // Of the sound a part may have none, as the last one; that is no gap of what is recorded.
    if (name === 'sound' || name === 'still') return true;
    const of = whole(others[at]?.checker.segments ?? new Map());
    return of[0]?.sequence === first?.sequence && !of.some(({ isGap }) => isGap);
  });
  const folders = join(service.settings['DATA_DIR'] ?? '', 'recordings');
  const inodes = new Map(
    (await filesIn(folders)).map((name) => [name, statSync(join(folders, name)).ino]),
  );
  await until(async () => (await videosOf(service, channel.id))[0]?.m3u8_480 !== '', {
    withinMs: 60_000,
    otherwise: 'there is no variant',
  });
  const [video] = await videosOf(service, channel.id);
  const list = `${video?.m3u8}`.replace('index.m3u8', 'all.m3u8');
  const listed = await variantsAt(`${list}?still=1`);
  const there = names.filter((name) => name === '480p' || madeLive.includes(name));
  expect(listed.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toEqual([
    'index.m3u8',
    ...there.map((name) => `${name.replace(/p$/, '')}.m3u8`),
  ]);
  const { durationMs } = await judgeVideo(video?.m3u8 ?? '');
  for (const { url } of listed) {
    const judged = await judgeVideo(url);
    expect(judged).toMatchObject({ problems: [] });
    expect(Math.abs(judged.durationMs - durationMs)).toBeLessThan(300);
  }
  const { recording = '' } =
    (await service.store.one<{ recording: string }>(
      'SELECT recording FROM videos WHERE channel_id = $1',
      [channel.id],
    )) ?? {};
  expect(
    (await filesIn(join(folders, recording))).filter((name) => name.includes('ladder')),
  ).toEqual([]);
  if (madeLive.includes('480p'))
    expect(statSync(join(folders, recording, '480.mp4')).ino).toBe(
      Number(inodes.get(join(recording, '480.ladder.mp4'))),
    );
});

async function filesIn(folder: string): Promise<string[]> {
  return await readdir(folder, { recursive: true });
}

function whole(segments: ReadonlyMap<number, ListedSegmentOf>): ListedSegmentOf[] {
  return [...segments.values()]
    .filter(({ uri }) => uri !== undefined)
    .toSorted((a, b) => a.sequence - b.sequence);
}

type ListedSegmentOf =
  Awaited<ReturnType<typeof segmentsAt>> extends Map<number, infer One> ? One : never;

/** A segment is what its list says, to ffprobe; how many pictures it has. */
async function judge(
  playlist: string,
  { uri = '', map = '' }: ListedSegmentOf,
  { CODECS = '', RESOLUTION }: ListedVariant['attributes'],
): Promise<number> {
  const pieces = await Promise.all(
    [map, uri].map(async (name) => (await fetch(new URL(name, playlist))).bytes()),
  );
  const file = join(temporaryFolder(), 'segment.mp4');
  writeFileSync(file, Buffer.concat(pieces));
  const shown = ['-show_entries', 'stream=codec_name,width,height,profile,level:packet=codec_type'];
  const { streams, packets } = JSON.parse(
    outside('ffprobe', ['-v', 'error', ...shown, '-of', 'json', file]),
  );
  const picture = streams.find(({ codec_name }: { codec_name: string }) => codec_name === 'h264');
  expect(picture && `${picture.width}x${picture.height}`).toBe(RESOLUTION);
  expect(streams.length).toBe(CODECS.split(',').length);
  if (picture) expect(CODECS).toContain(picture.level.toString(16));
  const pictures = packets.filter((one: { codec_type: string }) => one.codec_type === 'video');
  // Every picture of it can be decoded.
  outside('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-']);
  return pictures.length;
}
