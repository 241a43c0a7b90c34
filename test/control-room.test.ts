// The control room of a channel that is really pushed to and watched, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startLive } from '../src/stream/live/live-store.ts';
import { Show } from '../src/stream/live/show.ts';
import { showRow } from '../src/stream/live/show-store.ts';
import { publishTo } from '../src/stream/rtmp/rtmp-client.ts';
import { testClip } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { isLive, newLiveChannel, until } from './support/live-channel.ts';
import { expectError } from './support/scenarios.ts';
import type { Json } from './support/service.ts';
import { type Stage, startStage } from './support/stage.ts';

const soon = { withinMs: 5_000 };

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await startStage(engine);
    });
    afterAll(() => stage.end());

    const liveOf = async (id: number): Promise<Json> =>
      (await stage.service.call('GET', `/manage/v1/channels/${id}/live`)).body;
    const liveUntil = async (id: number, isWanted: (live: Json) => boolean, otherwise: string) => {
      let live: Json;
      const isSeen = async () => {
        live = await liveOf(id);
        return isWanted(live);
      };
      await until(isSeen, { ...soon, otherwise }).catch((error) => {
        throw new Error(`${error.message}: ${JSON.stringify(live)}`);
      });
      return live;
    };

    test('a channel that nothing was ever pushed to is off air, without viewers', async () => {
      const { id } = await newLiveChannel(stage.service);
      expect(await liveOf(id)).toEqual({
        id,
        on_air: false,
        show: null,
        viewers: 0,
        peak: null,
        curve: null,
        push: null,
        advice: [],
      });
    });

    test('the list of channels tells what is on air and who is there', async () => {
      const { service, channel_id } = stage;
      const { id: other } = await newLiveChannel(service, 'Autumn SHOW');
      const list = async (query: string) =>
        (await service.call('GET', `/manage/v1/channels?${query}`)).body;
      const { page } = await stage.enter('somebody');
      const { channels, counts, meta } = await list('state=on_air');
      expect(channels).toEqual([
        {
          id: channel_id,
          name: 'a show',
          live_status: 1,
          state: 'on_air',
          viewers: 1,
          start_time: '',
          manager: 0,
          manager_username: '',
          last_push_stream_at: '2026-05-04 12:00:00',
          cover_image: '',
          has_picture: expect.any(Boolean),
        },
      ]);
      expect(counts).toMatchObject({ on_air: 1, upcoming: 0, past: 0 });
      expect(meta).toEqual({ total: 1, page: 1, current: 1 });
      const body = { start_time: '2026-05-05 12:00:00', cover_image: '/cover.png' };
      await service.call('PUT', `/v1/activities/${other}/page`, { body });
      const upcoming = { id: other, state: 'upcoming', viewers: 0, has_picture: false, ...body };
      expect(await list('state=upcoming&q=autumn+s')).toMatchObject({ channels: [upcoming] });
      expect((await list('q=autumn&state=past')).channels).toEqual([]);
      const refused = await service.call('GET', '/manage/v1/channels?state=soon');
      expectError(refused, { status: 400, code: 400001, fields: ['state'] });
      await page.leave();
      const isGone = async () => (await list('state=on_air')).channels[0].viewers === 0;
      await until(isGone, { ...soon, otherwise: 'the viewer is still there' });
    });

    test('of a push it tells the encoder, its tracks and its rates', async () => {
      const { service, channel_id } = stage;
      const { body } = await service.call('GET', `/v1/activities/${channel_id}/report`);
      const hasRates = ({ push: { video, audio } }: Json) =>
        video.kbps > 0 && audio.kbps > 0 && video.key_frame_seconds > 0;
      const live = await liveUntil(channel_id, hasRates, 'it has no rates');
      const [{ id, begin }] = body.shows;
      expect(live).toMatchObject({ on_air: true, show: { id, begin }, advice: [] });
      expect(live.push).toEqual({
        since: expect.stringMatching(/^2026-05-04 12:00:0\d$/),
        connected: true,
        encoder: 'FMLE/3.0 (compatible; Footlight)',
        video: {
          codec: expect.stringMatching(/^avc1\.[0-9a-f]{6}$/),
          width: 640,
          height: 360,
          fps: expect.any(Number),
          kbps: expect.any(Number),
          key_frame_seconds: 2,
          key_frame_seconds_max: 2,
        },
        audio: { codec: 'mp4a.40.2', sample_rate: 48_000, channels: 2, kbps: expect.any(Number) },
        cuts: 0,
        late_seconds: expect.any(Number),
        timestamps: { jumps: 0, backward: 0 },
      });
      // The clip has 30, whatever the machine does to its pace.
      expect(live.push.video.fps).toBeWithin(29, 31);
    });

    test('a picture of the stream is a JPEG that nobody keeps, and there is none off air', async () => {
      const { service, channel_id } = stage;
      const path = (id: number) => `/manage/v1/channels/${id}/picture.jpg`;
      const headers = { authorization: `Bearer ${service.token}` };
      const ask = () => fetch(service.url + path(channel_id), { headers });
      const isMade = async () => (await ask()).status === 200;
      await until(isMade, { withinMs: 20_000, otherwise: 'there is no picture' });
      const made = await ask();
      expect(Object.fromEntries(made.headers)).toMatchObject({
        'content-type': 'image/jpeg',
        'cache-control': 'private, no-store',
      });
      expect((await made.bytes()).slice(0, 2).toHex()).toBe('ffd8');
      const { body } = await service.call('GET', '/manage/v1/channels?state=on_air');
      expect(body.channels[0]).toMatchObject({ id: channel_id, has_picture: true });
      const { id } = await newLiveChannel(service);
      expectError(await service.call('GET', path(id)), { status: 404, code: 404006 });
    });

    test('viewers are counted as they come and go, and the curve and the peak remember them', async () => {
      const here = stage.at(stage.channel_id);
      const pages = [await here.enter('one'), await here.enter('two')];
      expect(await liveOf(stage.channel_id)).toMatchObject({ viewers: 2, peak: 2 });
      for (const { page } of pages) await page.leave();
      await liveUntil(stage.channel_id, ({ viewers }) => viewers === 0, 'they are still there');
      stage.pass(25_000);
      const { viewers, peak, curve } = await liveOf(stage.channel_id);
      expect({ viewers, peak }).toEqual({ viewers: 0, peak: 2 });
      expect(curve).toEqual({ step_seconds: 10, viewers: [2, 0, 0] });
    });

    test('who is here is listed, the latest first, with what they do', async () => {
      const { service } = stage;
      const { id } = await newLiveChannel(service);
      const room = stage.at(id);
      const present = async (query = '') =>
        (await service.call('GET', `/manage/v1/channels/${id}/present${query}`)).body;
      expect(await present()).toMatchObject({ viewers: [], meta: { total: 0, page: 1 } });
      const ada = await room.enter('ada', { ticket: { nick: 'Ada', phone: '555' } });
      // Less than a silence, after which the page would be let go.
      stage.pass(20_000);
      const bob = await room.enter('bob');
      const tab = await room.enter('ada');
      await bob.report(0);
      stage.pass(5_000);
      await ada.report(4_000);
      await bob.report(0);
      await tab.report(0);
      const body = { viewer_id: 'bob' };
      await service.call('POST', `/manage/v1/channels/${id}/chat/mute`, { body });
      const { viewers, meta } = await present();
      const [first, second] = viewers;
      expect(meta).toEqual({ total: 2, page: 1, current: 1 });
      expect(first).toMatchObject({ user_id: 'bob', pages: 1, playing: false, muted: true });
      expect(second).toEqual({
        user_id: 'ada',
        nick: 'Ada',
        phone: '555',
        addr: 'Local network',
        device: 'PC',
        browser: 'Chrome',
        since: expect.any(String),
        pages: 2,
        playing: true,
        muted: false,
      });
      const seconds = (at: string) => Date.parse(`${at.replace(' ', 'T')}Z`) / 1_000;
      expect(seconds(first.since) - seconds(second.since)).toBe(20);
      const page = await present('?perPage=1&p=2');
      expect(page.viewers.map(({ user_id }: Json) => user_id)).toEqual(['ada']);
      expect(page.meta).toEqual({ total: 2, page: 2, current: 2 });
      expect(await present('?p=9')).toMatchObject({ viewers: [], meta: { total: 2 } });
      await ada.report(0);
      expect((await present()).viewers[1]).toMatchObject({ user_id: 'ada', playing: false });
      await bob.page.leave();
      await ada.page.leave();
      const isOne = async () => {
        const [one, ...others] = (await present()).viewers;
        return others.length === 0 && one?.user_id === 'ada' && one.pages === 1;
      };
      await until(isOne, { ...soon, otherwise: 'they are still there' });
      await tab.page.leave();
    });

    test('key frames that are far apart are said, with how far', async () => {
      const channel = await newLiveChannel(stage.service);
      const publisher = await publishTo(channel.publishUrl);
      // Of the clip's two seconds between key frames it makes nine.
      const clip = testClip();
      const tags = clip.tags.filter(({ timestampMs }) => timestampMs < 4_500);
      for (const tag of tags)
        publisher.send({ ...tag, timestampMs: Math.round(tag.timestampMs * 4.5) });
      await publisher.drained();
      await until(() => isLive(stage.service, channel.id), { ...soon, otherwise: 'not live' });
      const { advice } = await liveUntil(
        channel.id,
        ({ push }) => push.video.key_frame_seconds !== null,
        'no key frame came',
      );
      expect(advice).toContainEqual({ code: 'keyframes_far_apart', seconds: 9 });
      await publisher.end();
      await liveUntil(channel.id, (live) => !live.on_air && live.push === null, 'it goes on');
    });

    test('a push that is cut is away, and when it is back the cut is counted', async () => {
      const channel = await newLiveChannel(stage.service);
      const head = testClip().tags.filter(({ timestampMs }) => timestampMs < 1_000);
      const begin = async () => {
        const publisher = await publishTo(channel.publishUrl);
        for (const tag of head) publisher.send(tag);
        await publisher.drained();
        return publisher;
      };
      (await begin()).cut();
      const away = await liveUntil(channel.id, ({ push }) => push?.connected === false, 'not cut');
      expect(away).toMatchObject({ push: { cuts: 1, late_seconds: null } });
      expect(away.advice).toContainEqual({ code: 'push_away', count: 1 });
      const again = await begin();
      const back = await liveUntil(channel.id, ({ push }) => push.connected, 'not back');
      expect(back.push.cuts).toBe(1);
      expect(back.advice).toContainEqual({ code: 'connection_cut', count: 1 });
      await again.end();
    });

    test('another service on the database knows that it is on air, and null of the rest', async () => {
      const { service } = stage;
      const elsewhere = await newLiveChannel(service);
      const now = service.clock.now;
      const show = showRow(new Show(now), { channel_id: elsewhere.id, end_at: null });
      await service.store.perform(startLive, { show, node: 'another', startedAt: now, now });
      expect(await liveOf(elsewhere.id)).toEqual({
        id: elsewhere.id,
        on_air: true,
        show: { id: expect.any(Number), begin: expect.any(String) },
        viewers: null,
        peak: null,
        curve: null,
        push: null,
        advice: [],
      });
    });
  });
}
