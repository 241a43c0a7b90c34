// A push from end to end: what the interface, players and the library make of it, in the whole service.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { keep } from '../src/base/bytes/memory.ts';
import { setAccount } from '../src/library/access/account-store.ts';
import { readVideoTag } from '../src/stream/formats/flv.ts';
import { cleanPicture, videoTrackOf } from '../src/stream/formats/h264.ts';
import { playFrom, publishTo, type RtmpPublisher } from '../src/stream/rtmp/rtmp-client.ts';
import { type ClipPush, startClipPush, testClip } from './support/clip-push.ts';
import { type Engine, engines } from './support/engines.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from './support/live-channel.ts';
import { readMediaPlaylist } from './support/media-playlist.ts';
import { startPlaylistPlayer } from './support/playlist-player.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { footlight } from './support/service-process.ts';

const settings = { MIN_FREE_DISK: '10M' };
const clip = testClip();
const soon = { withinMs: 3_000 };

for (const engine of engines) {
  describe(engine.name, () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService(engine, { settings, clock: movingClock() });
    });
    afterAll(() => service.stop());

    test('a channel is live from the first part that plays until its push ends', async () => {
      const channel = await newLiveChannel(service);
      expect(await liveIds(service)).not.toContain(channel.id);
      expect((await listed(service, channel.id)).last_push_stream_at).toBe('');
      expect((await fetch(channel.playlistUrl)).status).toBe(404);
      const player = startPlaylistPlayer(channel.playlistUrl);
      const startedAt = service.clock.now;
      const push = await startClipPush(channel.publishUrl, clip);
      await player.seen(({ shownMs }) => shownMs > 0);
      await until(() => isLive(service, channel.id), { ...soon, otherwise: 'it is not live' });
      expect(await liveIds(service)).toContain(channel.id);
      const pushedAt = Date.parse(
        `${(await listed(service, channel.id)).last_push_stream_at.replace(' ', 'T')}Z`,
      );
      expect(pushedAt).toBeGreaterThanOrEqual(startedAt - 1_000);
      expect(pushedAt).toBeLessThanOrEqual(service.clock.now);
      await push.end();
      await until(async () => !(await isLive(service, channel.id)), {
        ...soon,
        otherwise: 'it is live after its end',
      });
      await player.seen(({ last }) => last?.isEnded === true);
      await player.stop();
      expect(player.problems()).toEqual([]);
    });

    test('after its end a push is a video with every field', async () => {
      const manager_id = await service.newManager(`manager ${crypto.randomUUID()}`);
      const order = { name: 'Spring launch', act_manager_id: manager_id };
      const { body } = await service.call('POST', '/v1/activities', { body: order });
      const startedAt = service.clock.now;
      const push = await startClipPush(body.rtmp_publish_addr, clip);
      const player = startPlaylistPlayer(body.hls_play_addr);
      await player.seen(({ shownMs }) => shownMs > 0);
      const shownAt = service.clock.now;
      await player.seen(({ shownMs }) => shownMs > 2_600);
      await player.stop();
      await push.end();
      await until(async () => (await videosOf(service, body.id)).length === 1, {
        ...soon,
        otherwise: 'there is no video',
      });
      const [video] = await videosOf(service, body.id);
      const { url } = service;
      const id = video?.id;
      const list = readMediaPlaylist(await (await fetch(video?.m3u8 ?? '')).text());
      const durationMs = list.segments.reduce((sum, segment) => sum + segment.durationMs, 0);
      expect(durationMs).toBeGreaterThan(2_600);
      expect(video as unknown).toEqual({
        id,
        act_id: body.id,
        name: expect.stringMatching(/^Spring launch 2026-05-04 12:\d\d$/),
        video_url: `${url}/recordings/${id}/video.mp4`,
        video_size: expect.any(Number),
        m3u8: `${url}/recordings/${id}/index.m3u8`,
        m3u8_480: '',
        m3u8_720: '',
        m3u8_1080: '',
        duration: Math.round(durationMs / 1_000),
        width: 640,
        height: 360,
        cover_url: expect.any(String),
        watch_url: `${url}/videos/${id}`,
        embed_url: `${url}/embed/videos/${id}`,
        manager: manager_id,
        upload_time: expect.stringMatching(/^2026-05-04 12:\d\d:\d\d$/),
        start_time: expect.any(String),
        end_time: expect.any(String),
      });
      const at = (text = '') => Date.parse(`${text.replace(' ', 'T')}Z`);
      // They are told in whole seconds.
      expect(at(video?.start_time)).toBeWithin(startedAt - 1_000, shownAt + 1);
      const lastedMs = at(video?.end_time) - at(video?.start_time);
      expect(lastedMs).toBeGreaterThanOrEqual(durationMs - 1_000);
      // By its media: on a busy machine its last second is sent in less.
      expect(at(video?.end_time)).toBeLessThanOrEqual(service.clock.now + 1_000);
      const shows = await service.store.all<{ begin_at: number; end_at: number; media_ms: number }>(
        'SELECT begin_at, end_at, media_ms FROM shows WHERE channel_id = $1',
        [body.id],
      );
      expect(shows).toEqual([
        { begin_at: expect.any(Number), end_at: expect.any(Number), media_ms: durationMs },
      ]);
      const [{ begin_at = 0, end_at = 0 } = {}] = shows;
      expect(begin_at).toBeWithin(startedAt, shownAt + 1);
      expect(end_at).toBeWithin(begin_at, service.clock.now + 1);
      expect(
        await service.store.one('SELECT show_at, show_ms FROM videos WHERE id = $1', [id ?? 0]),
      ).toEqual({ show_at: begin_at, show_ms: 0 });
    });

    test('an account that does not keep its pushes has no video and no file of them', async () => {
      const auto_save_live_video = false;
      const account_id = await service.newAccount();
      const token = await service.newToken({ account_id });
      const change = { id: account_id, name: undefined, plan: undefined, auto_save_live_video };
      await service.store.perform(setAccount, change);
      const made = await service.call('POST', '/v1/activities', { token, body: { name: 'x' } });
      const before = recordings(service);
      await sendBurst(made.body.rtmp_publish_addr, 3_000);
      expect((await fetch(made.body.hls_play_addr)).status).toBe(200);
      // A push that ends later is a video: this one had its time.
      const other = await newLiveChannel(service);
      await sendBurst(other.publishUrl, 1_000);
      await until(async () => (await videosOf(service, other.id)).length === 1, {
        ...soon,
        otherwise: 'there is no video',
      });
      const { body } = await service.call('GET', '/v1/videos', { token });
      expect(body).toMatchObject({ videos: [], meta: { auto_save_live_video } });
      expect(recordings(service).length).toBe(before.length + 1);
    });

    test('a new key cuts the push with the old one, and the old one opens nothing', async () => {
      const { id, publishUrl } = await newLiveChannel(service);
      const push = await startClipPush(publishUrl, clip);
      await until(() => isLive(service, id), { ...soon, otherwise: 'it is not live' });
      const { body } = await service.call('POST', `/manage/v1/channels/${id}/rotate-key`);
      expect(await push.over).toContain('The publish key of this channel was changed');
      const isOff = async () => !(await isLive(service, id));
      await until(isOff, { ...soon, otherwise: 'it is live after it was cut' });
      await expect(publishTo(publishUrl)).rejects.toThrow('No channel has this publish key');
      expect(body.rtmp_publish_addr).not.toBe(publishUrl);
      const again = await publishTo(body.rtmp_publish_addr);
      await again.end();
    });

    test('the command line gives a new key too', async () => {
      const { id, publishUrl } = await newLiveChannel(service);
      const push = await startClipPush(publishUrl, clip);
      await until(() => isLive(service, id), { ...soon, otherwise: 'it is not live' });
      const { RTMP_PORT: _, ...env } = service.settings;
      const command = Bun.spawn([...footlight, 'channel', 'rotate-key', String(id)], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        stdout: 'pipe',
        stderr: 'inherit',
      });
      const { rtmp_publish_addr } = JSON.parse(await new Response(command.stdout).text());
      expect(await push.over).toContain('The publish key of this channel was changed');
      const { body } = await service.call('GET', `/v1/activities/${id}`);
      expect(keyOf(rtmp_publish_addr)).toBe(keyOf(body.rtmp_publish_addr));
    });
  });
}

describe('a channel with a push', () => {
  let service: TestService;
  let channel: LiveChannel;
  let push: ClipPush;
  beforeAll(async () => {
    const [sqlite] = engines as [Engine];
    service = await startTestService(sqlite, { settings, clock: movingClock() });
    channel = await newLiveChannel(service);
    push = await startClipPush(channel.publishUrl, clip);
    const player = startPlaylistPlayer(channel.playlistUrl);
    await player.seen(({ segments }) => segments.size > 1);
    await player.stop();
  });
  afterAll(async () => {
    await push.end();
    await service.stop();
  });

  const at = (name: string) => fetch(new URL(name, channel.playlistUrl));
  const playlist = async (query = '') =>
    readMediaPlaylist(await (await fetch(channel.playlistUrl + query)).text());

  test('has a playlist that any site may read and no cache may keep', async () => {
    const response = await fetch(channel.playlistUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('vary')).toBe('accept-encoding');
  });

  test('compresses its playlist for who takes it', async () => {
    const ask = (encoding: string) =>
      fetch(channel.playlistUrl, {
        headers: { 'accept-encoding': encoding },
        decompress: false,
      });
    const zipped = await ask('br, gzip');
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    const text = new TextDecoder().decode(gunzipSync(await zipped.bytes()));
    expect(text).toStartWith('#EXTM3U\n');
    const plain = await ask('identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toStartWith('#EXTM3U\n');
  });

  test('serves every init, segment and part that the playlist names', async () => {
    const { segments } = await playlist();
    const names = segments.flatMap(({ map, uri, parts }) => [
      map ?? '',
      ...(uri ? [uri] : []),
      ...parts.map((part) => part.uri),
    ]);
    expect(names.length).toBeGreaterThan(5);
    for (const name of new Set(names)) {
      const response = await at(name);
      expect([name, response.status]).toEqual([name, 200]);
      expect(response.headers.get('content-type')).toBe('video/mp4');
      expect(response.headers.get('cache-control')).toBe('public, max-age=3600, immutable');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const first = Buffer.from(await response.bytes()).toString('latin1', 4, 8);
      expect([name, first]).toEqual([name, name.startsWith('init') ? 'ftyp' : 'moof']);
    }
  });

  test('gives who reads whole segments the same bytes as who reads parts', async () => {
    const { segments } = await playlist();
    const whole = segments.filter(({ uri, parts }) => uri !== undefined && parts.length > 0);
    expect(whole.length).toBeGreaterThan(0);
    for (const { uri = '', parts } of whole) {
      const pieces = await Promise.all(parts.map(async (part) => (await at(part.uri)).bytes()));
      expect(Buffer.concat(pieces).equals(await (await at(uri)).bytes())).toBeTrue();
    }
  });

  test('answers who asks for the next part when that part is there', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const newest = (await playlist()).segments.at(-1);
      if (!newest) throw new Error('the playlist is empty');
      const isWhole = newest.uri !== undefined;
      const sequence = newest.sequence + (isWhole ? 1 : 0);
      const part = isWhole ? 0 : newest.parts.length;
      const next = await playlist(`?_HLS_msn=${sequence}&_HLS_part=${part}`);
      const found = next.segments.find((segment) => segment.sequence === sequence);
      // A part that its segment did not get any more is the first of the next one.
      const goesOn = next.segments.some((segment) => segment.sequence > sequence);
      expect((found?.parts.length ?? 0) > part || goesOn).toBeTrue();
    }
  });

  test('waits with the part that its playlist announces', async () => {
    const { hint = '' } = await playlist();
    const response = await at(hint);
    // The announced part may be one that its segment did not get any more.
    if (response.status === 404) expect((await playlist()).hint).not.toBe(hint);
    else expect(Buffer.from(await response.bytes()).toString('latin1', 4, 8)).toBe('moof');
  });

  test.each([
    ['?_HLS_part=1', '_HLS_part needs _HLS_msn'],
    ['?_HLS_msn=soon', '_HLS_msn and _HLS_part are numbers'],
    ['?_HLS_msn=-1', '_HLS_msn and _HLS_part are numbers'],
    ['?_HLS_msn=999999999999', '_HLS_msn is too far ahead'],
  ])('refuses to wait for %s', async (query, reason) => {
    const response = await fetch(channel.playlistUrl + query);
    expect([response.status, await response.text()]).toEqual([400, `${reason}\n`]);
  });

  test.each([
    '1.m4s',
    '999999999999.m4s',
    'init-1.mp4',
    'live.m3u',
    '..%2f..%2fservice.lock',
    '%2e%2e%2fnode-name',
  ])('has no file %s', async (name) => {
    const { status } = await fetch(channel.playlistUrl.replace('live.m3u8', name));
    expect(status).toBe(404);
  });

  test('lets other sites ask what they may ask', async () => {
    const asked = await fetch(channel.playlistUrl, { method: 'OPTIONS' });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect((await fetch(channel.playlistUrl, { method: 'POST', body: 'x' })).status).toBe(405);
  });

  test('is played over RTMP packet by packet, from a key frame on', async () => {
    const got: { kind: string; body: Uint8Array }[] = [];
    const enough = Promise.withResolvers<void>();
    const playing = await playFrom(channel.rtmpPlayUrl, {
      media: ({ kind, body }) => {
        got.push({ kind, body });
        if (got.length > 200) enough.resolve();
      },
    });
    await enough.promise;
    playing.close();
    for (const kind of ['video', 'audio'] as const) {
      const sent = sentBodies(kind);
      const [parameters, ...played] = got.filter((one) => one.kind === kind).map(hashed);
      expect(parameters).toBe(sent[0]);
      // The clip goes round and round.
      const media = [...sent.slice(1), ...sent.slice(1)];
      const from = media.indexOf(played[0] ?? '');
      expect(from).toBeGreaterThanOrEqual(0);
      expect(played).toEqual(media.slice(from, from + played.length));
    }
    const firstPicture = got.find(({ kind, body }) => kind === 'video' && body[1] === 1);
    expect((firstPicture?.body[0] ?? 0) >> 4).toBe(1);
  });

  test('refuses a second publisher, who is told why', async () => {
    await expect(publishTo(channel.publishUrl)).rejects.toThrow(
      'This channel is being published to by another connection',
    );
  });

  test('shows its publish key in the publish address alone', async () => {
    const key = keyOf(channel.publishUrl);
    const { pathname } = new URL(channel.playlistUrl);
    const paths = [
      '/v1/activities?live=1',
      `/v1/activities/${channel.id}`,
      '/v1/videos',
      '/docs',
      '/openapi.json',
      '/metrics',
      '/readyz',
      pathname,
      pathname.replace('live.m3u8', 'nothing.m4s'),
    ];
    for (const path of paths) {
      const { text } = await service.call('GET', path);
      const elsewhere = text.replaceAll(`"rtmp_publish_addr":"${channel.publishUrl}"`, '');
      expect([path, elsewhere.includes(key)]).toEqual([path, false]);
    }
    expect(service.logLines.filter((line) => line.includes(key))).toEqual([]);
  });
});

describe('who may publish and play', () => {
  let service: TestService;
  beforeAll(async () => {
    const [sqlite] = engines as [Engine];
    service = await startTestService(sqlite, { settings, clock: movingClock() });
  });
  afterAll(() => service.stop());

  test('a wrong key is refused with a sentence', async () => {
    const { publishUrl } = await newLiveChannel(service);
    const wrong = publishUrl.replace(keyOf(publishUrl), 'A'.repeat(27));
    await expect(publishTo(wrong)).rejects.toThrow('No channel has this publish key');
  });

  test('the play address publishes nothing, and the key plays nothing', async () => {
    const { publishUrl, rtmpPlayUrl } = await newLiveChannel(service);
    const push = await startClipPush(publishUrl, clip);
    const asPublish = rtmpPlayUrl.replace('/play/', '/live/');
    const asPlay = publishUrl.replace('/live/', '/play/');
    await expect(publishTo(asPublish)).rejects.toThrow('No channel has this publish key');
    await expect(playFrom(asPlay, { media: () => {} })).rejects.toThrow(
      'No live channel has this play address',
    );
    await push.end();
  });

  test('a player that knows nothing of parts waits for the first whole segment', async () => {
    const { publishUrl, playlistUrl } = await newLiveChannel(service);
    const player = startPlaylistPlayer(playlistUrl);
    const push = await startClipPush(publishUrl, clip);
    await player.seen(({ shownMs }) => shownMs > 0);
    const { segments } = readMediaPlaylist(await (await fetch(playlistUrl)).text());
    expect(segments[0]?.uri).toBeDefined();
    await player.stop();
    await push.end();
    expect(player.problems()).toEqual([]);
  });

  test('a channel without a push cannot be played', async () => {
    const { rtmpPlayUrl, playlistUrl } = await newLiveChannel(service);
    await expect(playFrom(rtmpPlayUrl, { media: () => {} })).rejects.toThrow(
      'No live channel has this play address',
    );
    expect((await fetch(playlistUrl)).status).toBe(404);
  });
});

describe('a video of a push', () => {
  let service: TestService;
  let channel: LiveChannel;
  let base: string;
  let live: Buffer;
  beforeAll(async () => {
    const [sqlite] = engines as [Engine];
    service = await startTestService(sqlite, { settings, clock: movingClock() });
    channel = await newLiveChannel(service);
    await sendBurst(channel.publishUrl, 8_000);
    live = await readPlainly(channel.playlistUrl);
    await until(async () => (await videosOf(service, channel.id)).length === 1, {
      ...soon,
      otherwise: 'there is no video',
    });
    const [video] = await videosOf(service, channel.id);
    base = new URL('.', video?.m3u8).href;
  });
  afterAll(() => service.stop());

  test('has a playlist of byte ranges that are what was live', async () => {
    const response = await fetch(`${base}index.m3u8`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const text = await response.text();
    const ranges = [...text.matchAll(/BYTERANGE[:=]"?(\d+)@(\d+)/g)].map(
      ([, size, from]) => [Number(from), Number(from) + Number(size) - 1] as const,
    );
    expect(ranges.length).toBeGreaterThan(3);
    const pieces: Uint8Array[] = [];
    for (const [from, to] of ranges) {
      const range = `bytes=${from}-${to}`;
      const piece = await fetch(`${base}source.mp4`, { headers: { range } });
      expect(piece.status).toBe(206);
      pieces.push(await piece.bytes());
    }
    expect(Buffer.concat(pieces).equals(live)).toBeTrue();
  });

  test('is served in ranges', async () => {
    const whole = await fetch(`${base}video.mp4`);
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const bytes = Buffer.from(await whole.bytes());
    const size = bytes.length;
    const ask = (range: string) => fetch(`${base}source.mp4`, { headers: { range } });
    const source = Buffer.from(await (await fetch(`${base}source.mp4`)).bytes());
    const middle = await ask('bytes=100-199');
    expect(middle.status).toBe(206);
    expect(middle.headers.get('content-range')).toBe(`bytes 100-199/${source.length}`);
    expect(source.subarray(100, 200).equals(await middle.bytes())).toBeTrue();
    const end = await ask('bytes=-50');
    expect(end.status).toBe(206);
    expect(source.subarray(-50).equals(await end.bytes())).toBeTrue();
    const beyond = await ask(`bytes=${source.length}-`);
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${source.length}`);
    const head = await fetch(`${base}video.mp4`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(size));
  });

  test('gets a progressive file of the size it says, and a cover', async () => {
    const ready = async () => (await videosOf(service, channel.id))[0]?.cover_url !== '';
    await until(ready, { withinMs: 20_000, otherwise: 'there is no cover' });
    const [video] = await videosOf(service, channel.id);
    const cover = await fetch(video?.cover_url ?? '');
    expect(cover.status).toBe(200);
    expect(cover.headers.get('content-type')).toBe('image/jpeg');
    expect([...(await cover.bytes()).subarray(0, 2)]).toEqual([0xff, 0xd8]);
    const bytes = Buffer.from(await (await fetch(video?.video_url ?? '')).bytes());
    expect(bytes.length).toBe(video?.video_size ?? 0);
    // Progressive: what a player needs first stands before the media.
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    expect(bytes.indexOf('moof')).toBe(-1);
  });

  test.each(['source.index', 'recording.json', '..%2f..%2fnode-name', '480.m3u8', 'x'])(
    'has no file %s',
    async (name) => {
      expect((await fetch(base + name)).status).toBe(404);
    },
  );

  test('is not there under another id', async () => {
    for (const id of ['0', '999', '1e0', '-1', '01'])
      expect((await fetch(`${service.url}/recordings/${id}/index.m3u8`)).status).toBe(404);
  });
});

/** The first milliseconds of the clip at once, and a proper end. */
async function sendBurst(url: string, ms: number): Promise<void> {
  const publisher: RtmpPublisher = await publishTo(url);
  for (const tag of clip.tags.filter(({ timestampMs }) => timestampMs < ms)) publisher.send(tag);
  await publisher.drained();
  await publisher.end();
}

/** As a player without low latency does: inits and whole segments, one after another. */
async function readPlainly(url: string): Promise<Buffer> {
  const text = await (await fetch(url)).text();
  const names = [...text.matchAll(/^#EXT-X-MAP:URI="([^"]+)"|^([^#\n].*)$/gm)];
  const pieces: Uint8Array[] = [];
  for (const [, init, segment] of names)
    pieces.push(await (await fetch(new URL(init ?? segment ?? '', url))).bytes());
  return Buffer.concat(pieces);
}

async function liveIds(service: TestService): Promise<number[]> {
  const { body } = await service.call('GET', '/v1/activities?live=1');
  return body.activities.map(({ id }: { id: number }) => id);
}

async function listed(service: TestService, id: number): Promise<{ last_push_stream_at: string }> {
  const { body } = await service.call('GET', '/v1/activities');
  return body.activities.find((one: { id: number }) => one.id === id);
}

function recordings(service: TestService): string[] {
  try {
    return readdirSync(join(service.settings['DATA_DIR'] ?? '', 'recordings'));
  } catch {
    return [];
  }
}

function keyOf(publishUrl: string): string {
  return publishUrl.slice(publishUrl.lastIndexOf('/') + 1);
}

/** What the clip's tags are when what players do not need is taken out, in their order. */
function sentBodies(kind: 'audio' | 'video'): string[] {
  const bodies = clip.tags.filter(({ type }) => type === kind).map(({ body }) => body);
  if (kind === 'audio') return bodies.map((body) => hashed({ body }));
  const [parameters = new Uint8Array()] = bodies;
  const track = videoTrackOf(parameters.subarray(5));
  return bodies.map((body) => {
    const tag = readVideoTag(body);
    if (tag?.what !== 'picture') return hashed({ body });
    const bytes = cleanPicture(tag.bytes, track)?.bytes ?? tag.bytes;
    return hashed({ body: Buffer.concat([body.subarray(0, 5), keep(bytes)]) });
  });
}

function hashed({ body }: { body: Uint8Array }): string {
  return Bun.hash(body).toString(36);
}
