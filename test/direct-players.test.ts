// Players without a page of ours: real requests and real programs in, the interface's records out.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { noChromium, startBrowser } from './support/browser.ts';
import { startClipPush } from './support/clip-push.ts';
import { type Engine, engines } from './support/engines.ts';
import { isLive, type LiveChannel, newLiveChannel, until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { desktopChrome, ticketsOf } from './support/page.ts';
import { type Json, movingClock, startTestService } from './support/service.ts';
import { Stage } from './support/stage.ts';
import { newViewer, ViewerPage } from './support/viewer-page.ts';

const second = 1_000;
const vlc = 'VLC/3.0.21 LibVLC/3.0.21';
const counting = {
  COUNT_DIRECT_PLAYERS: 'true',
  // Clients of many addresses come from this one.
  TRUSTED_PROXIES: '127.0.0.1',
};

const stages: Stage[] = [];
afterAll(async () => {
  for (const stage of stages) await stage.end();
});

for (const engine of engines) {
  describe(engine.name, () => {
    let show: Show;
    beforeAll(async () => {
      show = await startShow(engine, { settings: counting });
    });

    test('a player at the HLS address is a session, credited from request to request', async () => {
      const { stage } = show;
      const player = show.player('203.0.113.1');
      await player.plays();
      for (let n = 0; n < 2; n += 1) {
        stage.pass(7 * second);
        await player.plays();
      }
      const record = await show.recordOf('hls', ({ watch_time }) => watch_time === '00:00:14');
      expect(record).toMatchObject({
        online_time: '00:00:14',
        nick: '',
        device: 'Other',
        browser: 'VLC',
      });
      expect(record.user_id).toMatch(/^d-[\w-]{20}$/);
      await stage.visited(record.user_id, { last_ip: '203.0.113.1', refer: 'hls', visit_times: 1 });
    });

    test('pages are told of it as of any viewer', async () => {
      const { page, welcome } = await show.stage.enter('beside a television');
      await show.player('203.0.113.2').plays();
      await page.next('viewers', ({ count }) => count > welcome.viewers);
      await page.leave();
    });

    test('a page of ours that loads the same media is counted once', async () => {
      const { stage } = show;
      const before = await show.opened();
      const { page, report } = await stage.enter('on our page');
      const player = show.player('203.0.113.3', {
        'user-agent': desktopChrome,
        referer: `${stage.service.url}/watch/${stage.channel_id}?uid=x`,
      });
      await player.plays();
      stage.pass(10 * second);
      await player.plays();
      await report(10 * second);
      await stage.recorded('on our page', [{ watch_time: '00:00:10' }]);
      await page.leave();
      expect(await show.opened()).toBe(before + 1);
    });

    test('what players are sent is the same for all, and may be kept by those between', async () => {
      const known = await show.player('203.0.113.4').plays();
      const own = await show
        .player('203.0.113.5', { referer: `${show.stage.service.url}/watch/1` })
        .plays();
      expect(known.headers).toEqual(own.headers);
      expect(known.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'no-cache' });
      expect(known.headers).not.toHaveProperty('set-cookie');
    });
  });
}

const [sqlite = engines[0] as Engine] = engines;

test('where they are not counted, a player leaves nothing', async () => {
  const show = await startShow(sqlite);
  const player = show.player('203.0.113.1');
  await player.plays();
  show.stage.pass(10 * second);
  await player.plays();
  const { report, page } = await show.stage.enter('witness');
  show.stage.pass(second);
  await report(second);
  await show.stage.recorded('witness', [{ watch_time: '00:00:01' }]);
  await page.leave();
  expect(await show.records()).toHaveLength(1);
  expect(await show.opened()).toBe(1);
});

describe('ffmpeg', () => {
  const lacking = Bun.which('ffmpeg') ? undefined : 'ffmpeg is not installed';
  const playSeconds = 6;

  /** How long it ran; it shows the stream at its own speed, as a player does. */
  const play = async (address: string): Promise<number> => {
    const startedAt = performance.now();
    const args = [
      '-v',
      'error',
      '-re',
      '-i',
      address,
      '-t',
      String(playSeconds),
      '-f',
      'null',
      '-',
    ];
    const child = Bun.spawn(['ffmpeg', ...args], { stdin: 'ignore', stderr: 'inherit' });
    expect(await child.exited).toBe(0);
    return (performance.now() - startedAt) / 1_000;
  };

  testWith(lacking, 'over HLS and over RTMP is a session of about what it played', async () => {
    const show = await startShow(sqlite, { settings: counting, clock: movingClock() });
    const { playlistUrl, rtmpPlayUrl } = show.channel;
    const [hls, rtmp] = await Promise.all([play(playlistUrl), play(rtmpPlayUrl)]);
    const played = [
      { origin: 'hls', browser: 'ffmpeg', seconds: hls },
      { origin: 'rtmp', browser: 'RTMP player', seconds: rtmp },
    ];
    for (const { origin, browser, seconds } of played) {
      // The last piece is fetched some seconds before its end is shown.
      const isPlayed = ({ watch_time }: Json) => secondsOf(watch_time) > playSeconds - 4;
      const record = await show.recordOf(origin, isPlayed);
      expect(record).toMatchObject({ browser, addr: 'Local network' });
      const [watched, online] = [record.watch_time, record.online_time].map(secondsOf);
      expect(watched).toBeLessThanOrEqual(online ?? 0);
      expect(online).toBeLessThanOrEqual(seconds);
    }
  });
});

testWith(noChromium, 'Chromium on a page of ours is counted by the page alone', async () => {
  const show = await startShow(sqlite, { settings: counting, clock: movingClock() });
  const { service, channel_id } = show.stage;
  const browser = await startBrowser();
  const viewer = await ViewerPage.open(
    await newViewer(browser),
    `${service.url}/watch/${channel_id}`,
  );
  await viewer.plays();
  await viewer.holds('video.currentTime > 2');
  await browser.close();
  const { text } = await service.call('GET', '/metrics', { token: null });
  expect(text).toContain('\nfootlight_sessions_opened_total 1\n');
  expect(text).toContain('\nfootlight_direct_players 0\n');
});

type Show = Awaited<ReturnType<typeof startShow>>;

/** A channel on air, and what comes to its play addresses. */
async function startShow(engine: Engine, options: Parameters<typeof startTestService>[1] = {}) {
  const settings = { MIN_FREE_DISK: '10M', RECORDS_CALLS_PER_DAY: '0', ...options.settings };
  const service = await startTestService(engine, { ...options, settings });
  const channel: LiveChannel = await newLiveChannel(service);
  const push = await startClipPush(channel.publishUrl);
  await until(() => isLive(service, channel.id), { withinMs: 5_000, otherwise: 'it is not live' });
  const stage = new Stage(service, {
    channel_id: channel.id,
    push,
    sign: await ticketsOf(service),
  });
  stages.push(stage);
  const records = async (): Promise<Json[]> => {
    const path = `/v1/activities/${channel.id}/userRecords`;
    const body = { filter_watch_time: 0, perPage: 100 };
    return (await service.call('POST', path, { body })).body;
  };
  return {
    stage,
    channel,
    records,
    /** Waits for the record of that origin to be as wanted. */
    recordOf: async (origin: string, isWanted: (record: Json) => boolean): Promise<Json> => {
      const find = async () => (await records()).find((one) => one.origin === origin);
      const holds = async () => {
        const record = await find();
        return record !== undefined && isWanted(record);
      };
      await until(holds, { withinMs: 15_000, otherwise: `no such record of ${origin}` });
      return await find();
    },
    opened: async () => {
      const { text } = await service.call('GET', '/metrics', { token: null });
      return Number(/^footlight_sessions_opened_total (\d+)$/m.exec(text)?.[1]);
    },
    player: (ip: string, headers: Record<string, string> = {}) => ({
      /** Loads the playlist and the newest part that it names. */
      plays: async () => {
        const asked = { 'user-agent': vlc, 'x-forwarded-for': ip, ...headers };
        const list = await fetch(channel.playlistUrl, { headers: asked });
        const parts = [...(await list.text()).matchAll(/URI="(\d+\.\d+\.m4s)"/g)];
        const name = parts.at(-2)?.[1] ?? '';
        const part = await fetch(new URL(name, channel.playlistUrl), { headers: asked });
        expect([list.status, part.status]).toEqual([200, 200]);
        await part.arrayBuffer();
        const { date, 'content-length': length, ...same } = Object.fromEntries(list.headers);
        return { headers: same };
      },
    }),
  };
}

function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}
