// Two services as nodes of one: RTMP players play on either, whichever has the push, and go on when it moves.
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { RtmpPlayback } from '../src/stream/rtmp/rtmp-client.ts';
import { playFrom } from '../src/stream/rtmp/rtmp-client.ts';
import type { ClipPush } from './support/clip-push.ts';
import { temporaryFolder } from './support/engines.ts';
import { LinkedStage, pushTo, rtmpOn } from './support/linked-stage.ts';
import { isLive, newLiveChannel, until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import type { TestService } from './support/service.ts';

const stage = new LinkedStage();
const pushes: ClipPush[] = [];
const players: RtmpPlayback[] = [];

afterEach(async () => {
  for (const player of players.splice(0)) player.close();
  for (const push of pushes.splice(0)) push.publisher.cut();
});

async function publishTo(service: TestService, publishUrl: string): Promise<ClipPush> {
  const push = await pushTo(service, publishUrl);
  pushes.push(push);
  return push;
}

/** A show that is on, on the first node. */
async function onAir(settings = {}) {
  const [first, second] = await stage.start(2, { COUNT_DIRECT_PLAYERS: 'true', ...settings });
  const channel = await newLiveChannel(first.service);
  const push = await publishTo(first.service, channel.publishUrl);
  await until(() => isLive(second.service, channel.id), {
    withinMs: 10_000,
    otherwise: 'it is not live',
  });
  return { a: first.service, b: second.service, first, second, channel, push };
}

interface Played {
  player: RtmpPlayback;
  /** Times of pictures, in their order. */
  pictures: number[];
}

async function play(service: TestService, playUrl: string): Promise<Played> {
  const pictures: number[] = [];
  const player = await playFrom(rtmpOn(service, playUrl), {
    media: ({ kind, timestamp, body }) => {
      // A picture, not the track's parameters.
      if (kind === 'video' && body[1] === 1) pictures.push(timestamp);
    },
  });
  players.push(player);
  return { player, pictures };
}

const grows = async ({ pictures }: Played, by = 30) => {
  const before = pictures.length;
  await until(() => pictures.length >= before + by, {
    withinMs: 20_000,
    otherwise: 'nothing more comes',
  });
};

async function measured(service: TestService, name: string): Promise<number> {
  const { text } = await service.call('GET', '/metrics', { token: null });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

const hasFallen = ({ pictures }: Played) => pictures.some((at, n) => at < (pictures[n - 1] ?? 0));

testWith(
  ['ffmpeg', 'ffprobe', 'rtmpdump'].find((program) => Bun.which(program) === null),
  'ffmpeg and rtmpdump play from the node that does not have the push',
  async () => {
    const { b, channel, push } = await onAir();
    const url = rtmpOn(b, channel.rtmpPlayUrl);
    const copy = join(temporaryFolder(), 'played.flv');
    const dumping = Bun.spawn(['rtmpdump', '-q', '-r', url, '-o', copy]);
    const played = Bun.spawn(
      ['ffmpeg', '-v', 'warning', '-i', url, '-t', '2', '-c', 'copy', '-f', 'null', '-'],
      { stderr: 'pipe' },
    );
    expect(await new Response(played.stderr).text()).toBe('');
    expect(await played.exited).toBe(0);
    await push.end();
    expect(await dumping.exited).toBe(0);
    const probe = Bun.spawn([
      ...['ffprobe', '-v', 'error', '-show_entries', 'stream=codec_name,width,sample_rate'],
      ...['-count_packets', '-of', 'json', copy],
    ]);
    const { streams } = JSON.parse(await new Response(probe.stdout).text());
    expect(streams).toMatchObject([
      { codec_name: 'h264', width: 640 },
      { codec_name: 'aac', sample_rate: '48000' },
    ]);
  },
);

test('many players of a node have one stream, which a slow one does not hold up', async () => {
  const { a, b, channel, push } = await onAir({ RTMP_UNREAD_MEMORY: '300000' });
  const all = [await play(b, channel.rtmpPlayUrl), await play(b, channel.rtmpPlayUrl)];
  const slow = await play(b, channel.rtmpPlayUrl);
  slow.player.pause();
  for (const one of all) await grows(one);
  expect(await measured(b, 'footlight_rtmp_relays')).toBe(1);
  expect(await measured(a, 'footlight_rtmp_relays')).toBe(0);
  expect(all.some(hasFallen)).toBe(false);
  await push.end();
  // All are told that it is over, and nothing comes any more.
  for (const { player } of all)
    expect(await player.closed).toBe('the server closed the connection');
  await until(async () => (await measured(b, 'footlight_rtmp_relays')) === 0, {
    withinMs: 5_000,
    otherwise: 'the stream still comes',
  });
});

test('players are counted on the node that they play on', async () => {
  const { a, b, channel } = await onAir();
  await grows(await play(b, channel.rtmpPlayUrl), 10);
  expect(await measured(b, 'footlight_direct_players')).toBe(1);
  expect(await measured(a, 'footlight_direct_players')).toBe(0);
  // So is who asks for the playlist there.
  const at = `${b.url}${new URL(channel.playlistUrl).pathname}`;
  const asked = await fetch(at, { headers: { 'user-agent': 'VLC/3.0.20 LibVLC/3.0.20' } });
  expect(asked.status).toBe(200);
  expect(await measured(b, 'footlight_direct_players')).toBe(2);
});

test('an address that plays nothing is refused on every node', async () => {
  const { b, channel } = await onAir();
  const other = channel.rtmpPlayUrl.replace(/\w+$/, 'nothing');
  await expect(play(b, other)).rejects.toThrow('No live channel has this play address');
});

test('players of both nodes go on when the encoder moves, and moves back', async () => {
  const { a, b, channel, push } = await onAir();
  const all = [await play(a, channel.rtmpPlayUrl), await play(b, channel.rtmpPlayUrl)];
  for (const one of all) await grows(one, 10);
  push.publisher.cut();
  const moved = await publishTo(b, channel.publishUrl);
  for (const one of all) await grows(one);
  moved.publisher.cut();
  const back = await publishTo(a, channel.publishUrl);
  for (const one of all) await grows(one);
  expect(all.some(hasFallen)).toBe(false);
  await back.end();
  for (const { player } of all)
    expect(await player.closed).toBe('the server closed the connection');
});

test('players of a node go on when the node that had the push is stopped', async () => {
  const { b, channel } = await onAir();
  const player = await play(b, channel.rtmpPlayUrl);
  await grows(player, 10);
  await stage.stopFirst();
  // Who comes while nobody pushes waits as well.
  const other = await play(b, channel.rtmpPlayUrl);
  await publishTo(b, channel.publishUrl);
  for (const one of [player, other]) await grows(one);
  expect(hasFallen(player)).toBe(false);
});

test('players go on when the line between the nodes was cut', async () => {
  const { b, channel, first, second } = await onAir();
  const player = await play(b, channel.rtmpPlayUrl);
  await grows(player, 10);
  for (const { line } of [first, second]) line.cut();
  await grows(player, 60);
  expect(hasFallen(player)).toBe(false);
  // What it had before does not come again.
  expect(new Set(player.pictures).size).toBe(player.pictures.length);
});
