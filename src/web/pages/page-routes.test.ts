// The pages as a browser gets them: who is let in, what they say, what they never say.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { startTestPages } from '../../../test/support/page-server.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { readTicket, signTicket, type Ticket } from '../../audience/viewers/ticket.ts';
import { signBrowserId, viewerIdOf } from '../../audience/viewers/viewer-cookie.ts';
import { watchLinkQuery } from '../../audience/viewers/watch-link.ts';
import { createAccount } from '../../library/access/account-store.ts';
import { createChannel } from '../../library/channels/channel-store.ts';
import { addVideos } from '../../library/videos/video-store.ts';
import type { VideoData, WatchData } from './page-data.ts';
import { pageElements } from './page-ids.ts';
import { qrSymbol } from './qr-code.ts';

const now = Date.UTC(2026, 4, 4, 12);
const empty = {
  style: '/assets/s.css',
  scripts: { watch: '/assets/w.js', video: '/assets/v.js', door: '/assets/d.js' },
};
const assets = {
  ofPages: async () => empty,
  answer: async () => ({ headers: {}, body: 'asset' }),
};

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const pages = await startTestPages(store, { now: () => now, assets });
    afterAll(async () => {
      await pages.stop();
      await store.close();
    });

    const channel = async (name: string, set: Record<string, unknown> = {}, sql = '') => {
      const { row } = await store.perform(createChannel, {
        owner: { account_id: 1, manager_id: 0 },
        name,
        manager_id: 0,
        page: { set, clear: [] },
        now,
        idempotency: undefined,
      });
      if (sql !== '') await store.run(`UPDATE channels SET ${sql} WHERE id = $1`, [row.id]);
      return row.id;
    };
    const shown = async (path: string, headers?: Record<string, string>) => {
      const response = await pages.get(path, headers);
      const text = await response.text();
      return { response, text, data: dataOf(text) };
    };
    const ticketOf = (data: WatchData) => readTicket(pages.secret, data.ticket, now);
    const secret = async () =>
      (
        await store.one<{ viewer_secret: string }>(
          'SELECT viewer_secret FROM accounts WHERE id = 1',
        )
      )?.viewer_secret ?? '';

    const launch = await channel('Spring launch');
    const tenant = { name: 'another', plan: 'traffic', now } as const;
    const account_id = await store.perform(createAccount, tenant);
    const foreign = await channel('Theirs', {}, `account_id = ${account_id}`);

    test('what a stranger asks for waits behind what its network asks for', async () => {
      const lines: string[] = [];
      const recorded = {
        ...store,
        for: (whose: string) => {
          lines.push(whose);
          return store.for(whose);
        },
        one: () => {
          throw new Error('read as the service itself');
        },
      };
      const own = await startTestPages(recorded, { now: () => now, assets });
      for (const path of [
        `/watch/${launch}`,
        `/embed/${launch}`,
        '/watch/999999',
        '/videos/999999',
      ])
        await own.get(path);
      expect(lines).toEqual(Array(4).fill('127.0.0.1'));
      await own.stop();
    });

    describe('a watch page', () => {
      test('says what the channel is and carries what its script needs', async () => {
        const { response, text, data } = await shown(`/watch/${launch}`);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(text).toContain('<title>Spring launch</title>');
        expect(text).toContain('<script type="module" src="/assets/w.js">');
        expect(data).toMatchObject({
          channel_id: launch,
          live: false,
          start_time: null,
          now,
          video: null,
          chat_open: true,
          is_embed: false,
          viewer_token: '',
          ticket_url: '',
          share_url: `${pages.url}/watch/${launch}`,
          language: 'en',
        });
        expect((data as WatchData).playlist).toMatch(
          /^\/hls\/[0-9A-Za-z]{22}\/live\.m3u8\?low_latency=1$/,
        );
      });

      test('never holds the publish key', async () => {
        const row = await store.one<{ stream_key: string }>(
          'SELECT stream_key FROM channels WHERE id = $1',
          [launch],
        );
        for (const path of ['watch', 'm', 'embed'])
          expect((await shown(`/${path}/${launch}`)).text).not.toContain(row?.stream_key as string);
      });

      test.each([
        ['live', {}, 'live = 1, last_push_stream_at = 1'],
        ['waiting', { start_time: now + 1 }, 'last_push_stream_at = 1'],
        ['waiting', { start_time: now - 1 }, ''],
        ['ended', { start_time: now - 1 }, 'last_push_stream_at = 1'],
        ['waiting', {}, ''],
      ])('is %s with %p and %s', async (state, set, sql) => {
        const id = await channel('a', set, sql);
        expect((await shown(`/watch/${id}`)).text).toContain(`data-state="${state}"`);
      });

      test.each([
        ['nothing was pushed yet', '', {}, ['wide', '1.7778']],
        ['the last push was upright', '720, 1280', { width: 640, height: 480 }, ['tall', '0.5625']],
        ['there is a recording alone', '0, 0', { width: 640, height: 480 }, ['wide', '1.3333']],
        ['it is a strip', '16, 4096', {}, ['tall', '0.4286']],
      ])('has the place of its picture where %s', async (_, size, video, [name, shape]) => {
        const set = size && `(picture_width, picture_height) = (${size})`;
        const id = await channel('a', {}, `last_push_stream_at = 1${set && `, ${set}`}`);
        if ('width' in video) await videos(id, ['/recordings/7/index.m3u8'], video);
        for (const kind of ['watch', 'm', 'embed']) {
          const { text } = await shown(`/${kind}/${id}`);
          expect(text).toContain(`data-shape="${name}"`);
          expect(text).toContain(`:root{--shape:${shape}}`);
        }
      });

      test('shows every setting of the channel', async () => {
        const id = await channel('Branded', {
          start_time: now + 86_400_000,
          pc_logo: '/pc.png',
          mobile_logo: '/mobile.png',
          banner: '//cdn.example.com/banner.png',
          cover_image: '/cover.png',
          live_img: 'https://cdn.example.com/back.png',
          footer: '© 2026 <Example>',
          bg_color: 'rgba(16,32,48,1)',
          theme: 'tech',
        });
        const { text } = await shown(`/watch/${id}`);
        for (const part of [
          '<img class="logo" src="/pc.png"',
          '<img class="banner" src="//cdn.example.com/banner.png"',
          '<img class="backdrop" src="https://cdn.example.com/back.png"',
          '<link rel="icon" href="/cover.png">',
          `<meta property="og:image" content="${pages.url}/cover.png">`,
          '<footer dir="auto">© 2026 &lt;Example&gt;</footer>',
          '--page:#102030;',
          'data-theme="tech"',
          '<time id="start-time" datetime="2026-05-05T12:00:00.000Z">2026-05-05 20:00 (Asia/Shanghai)</time>',
          'class="phone card"',
        ])
          expect(text).toContain(part);
        const mobile = (await shown(`/m/${id}`)).text;
        expect(mobile).toContain('<img class="logo" src="/mobile.png"');
        expect(mobile).not.toContain('class="phone card"');
      });

      test('hides the QR code where the channel wants it hidden', async () => {
        const id = await channel('a', { show_qrcode: false });
        expect((await shown(`/watch/${id}`)).text).not.toContain('id="qr"');
        expect((await shown(`/watch/${launch}`)).text).toContain('id="qr"');
      });

      test('asked for at localhost has a QR code and a link that lead others to this machine', async () => {
        const network = '192.168.1.20';
        const own = await startTestPages(store, {
          now: () => now,
          assets,
          networkHost: () => network,
        });
        const { port } = new URL(own.url);
        const codeAt = async (headers: Record<string, string>) => {
          const text = await (await own.get(`/watch/${launch}`, headers)).text();
          return /<symbol id="qr".*?<\/symbol>/s.exec(text)?.[0];
        };
        const codeOf = (host: string) => qrSymbol('qr', `http://${host}/m/${launch}`).markup;
        for (const host of ['127.0.0.1', 'localhost', '[::1]'])
          expect(await codeAt({ host: `${host}:${port}` })).toBe(codeOf(`${network}:${port}`));
        // By any other name it has been reached; and who comes by a proxy is not told what they do not know.
        expect(await codeAt({ host: 'live.example.com' })).toBe(codeOf('live.example.com'));
        const proxied = { host: `localhost:${port}`, 'x-forwarded-for': '203.0.113.9' };
        expect(await codeAt(proxied)).toBe(codeOf(`localhost:${port}`));
        const [video] = await videos(launch, ['/recordings/7/index.m3u8']);
        for (const path of [`/watch/${launch}`, `/m/${launch}`, `/videos/${video}`]) {
          const sharedAs = async (headers: Record<string, string>) =>
            (dataOf(await (await own.get(path, headers)).text()) as WatchData).share_url;
          expect(await sharedAs({ host: `localhost:${port}` })).toBe(
            `http://${network}:${port}${path}`,
          );
          expect(await sharedAs(proxied)).toBe(`http://localhost:${port}${path}`);
        }
        await own.stop();
      });

      test('speaks Chinese to those who do', async () => {
        const { text, data } = await shown(`/watch/${launch}`, { 'accept-language': 'zh-CN,zh' });
        expect(text).toContain('<html lang="zh-CN"');
        expect(text).toContain('直播尚未开始');
        expect((data as WatchData).language).toBe('zh');
        expect(ticketOf(data as WatchData)?.language).toBe('zh');
      });

      test('of a closed chat says so', async () => {
        const id = await channel('a', {}, 'chat = 0');
        const { text, data } = await shown(`/watch/${id}`);
        expect(text).toMatch(/id="chat"[^>]* data-open="false"/);
        expect((data as WatchData).chat_open).toBeFalse();
      });

      test('leads to the last video, and plays it here only where it is ours', async () => {
        const id = await channel('a', {}, 'last_push_stream_at = 1');
        const [ours] = await videos(id, ['/recordings/7/index.m3u8']);
        const { text, data } = await shown(`/watch/${id}`);
        expect((data as WatchData).video).toEqual({
          id: ours as number,
          playlist: '/recordings/7/all.m3u8',
          captions: [],
        });
        expect(text).toContain(`href="/videos/${ours}">`);
        const [theirs] = await videos(id, ['https://cdn.example.com/x.m3u8']);
        expect(((await shown(`/watch/${id}`)).data as WatchData).video).toEqual({
          id: theirs as number,
          playlist: '',
          captions: [],
        });
      });

      test('answers HEAD by its headers alone', async () => {
        const response = await fetch(`${pages.url}/watch/${launch}`, { method: 'HEAD' });
        expect([response.status, await response.text()]).toEqual([200, '']);
        expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      });
    });

    describe('a viewer', () => {
      test('gets an id by cookie, and keeps it', async () => {
        const first = await shown(`/watch/${launch}`);
        const cookie = first.response.headers.get('set-cookie') ?? '';
        expect(cookie).toMatch(
          /^footlight_viewer=[\w.-]+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
        );
        const ticket = ticketOf(first.data as WatchData);
        expect(ticket).toMatchObject({ channel_id: launch, nick: '', phone: '', origin: 'direct' });
        expect(ticket?.viewer_id).toMatch(/^v-[a-z2-7]{20}$/);
        const again = await shown(`/m/${launch}`, {
          cookie: `other=1; footlight_viewer=forged; ${cookie.split(';')[0]}`,
        });
        expect(again.response.headers.get('set-cookie')).toBeNull();
        expect(ticketOf(again.data as WatchData)?.viewer_id).toBe(ticket?.viewer_id as string);
      });

      test('with a forged cookie is somebody new', async () => {
        const browserId = 'aaaaaaaaaaaaaaaaaaaa';
        const forged = signBrowserId('another secret, not ours', browserId);
        const page = await shown(`/watch/${launch}`, { cookie: `footlight_viewer=${forged}` });
        const claimed = viewerIdOf(pages.secret, { account_id: 1, browserId });
        expect(ticketOf(page.data as WatchData)?.viewer_id).not.toBe(claimed);
        expect(page.response.headers.get('set-cookie')).toStartWith('footlight_viewer=');
      });

      test('with many cookies is somebody new: two are looked at', async () => {
        const known = `footlight_viewer=${signBrowserId(pages.secret, 'browser')}`;
        const isNew = async (...cookies: string[]) => {
          const { response } = await shown(`/watch/${launch}`, { cookie: cookies.join('; ') });
          return response.headers.has('set-cookie');
        };
        const forged = 'footlight_viewer=v1.forged.x';
        expect(await isNew('a=1', 'b=2', forged, 'c=3', known)).toBe(false);
        expect(await isNew(forged, forged, known)).toBe(true);
      });

      test('with one cookie is one viewer in an account, and another in the next', async () => {
        // Also with a cookie of the time when it held the viewer id itself.
        for (const browserId of ['aaaaaaaaaaaaaaaaaaaa', 'v-aaaaaaaaaaaaaaaaaaaa']) {
          const cookie = `footlight_viewer=${signBrowserId(pages.secret, browserId)}`;
          const seen = async (path: string) => {
            const { response, data } = await shown(path, { cookie });
            expect(response.headers.get('set-cookie')).toBeNull();
            return ticketOf(data as WatchData)?.viewer_id ?? '';
          };
          const here = await seen(`/watch/${launch}`);
          const there = await seen(`/watch/${foreign}`);
          expect(here).toBe(viewerIdOf(pages.secret, { account_id: 1, browserId }));
          expect(await seen(`/m/${await channel('another show')}`)).toBe(here);
          expect(await seen(`/embed/${foreign}`)).toBe(there);
          expect(there).not.toBe(here);
          for (const id of [here, there]) expect(id).not.toContain(browserId);
        }
      });

      test('is whom a signed link names, and needs no cookie', async () => {
        const expires = now / 1_000 + 60;
        const link = { channel_id: launch, uid: 'u-1', nick: 'Anna', phone: '123', expires };
        const query = watchLinkQuery(await secret(), link);
        const { response, data, text } = await shown(`/watch/${launch}?${query}`);
        expect(ticketOf(data as WatchData)).toMatchObject({
          viewer_id: 'u-1',
          nick: 'Anna',
          phone: '123',
        });
        expect(response.headers.get('set-cookie')).toBeNull();
        // What is shared names nobody.
        expect((data as WatchData).share_url).toBe(`${pages.url}/watch/${launch}`);
        expect(text).not.toContain('Anna');
        query.set('uid', 'u-2');
        const forged = (await shown(`/watch/${launch}?${query}`)).data as WatchData;
        expect(ticketOf(forged)?.viewer_id).toMatch(/^v-/);
      });

      test('came from where the referer says', async () => {
        const referer = 'https://news.example.com/a?b=c';
        const watch = (await shown(`/watch/${launch}`, { referer })).data as WatchData;
        expect(ticketOf(watch)?.origin).toBe('news.example.com');
        const embed = (await shown(`/embed/${launch}`, { referer })).data as WatchData;
        expect(ticketOf(embed)?.origin).toBe('embed:news.example.com');
      });

      test('that is a robot sees the page and gets nothing', async () => {
        const { response, data, text } = await shown(`/watch/${launch}`, {
          'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
        });
        expect(text).toContain('>Spring launch</h1>');
        expect((data as WatchData).ticket).toBe('');
        expect(response.headers.get('set-cookie')).toBeNull();
      });
    });

    describe('an embed', () => {
      test('is the player alone, may be framed, and keeps its viewer by itself', async () => {
        const { response, text, data } = await shown(`/embed/${launch}`);
        expect(text).toContain('id="player"');
        expect(text).not.toContain('id="chat"');
        expect(response.headers.get('x-frame-options')).toBeNull();
        expect(response.headers.get('content-security-policy')).toContain('frame-ancestors *');
        expect(data).toMatchObject({ is_embed: true, ticket_url: `/embed/${launch}/ticket` });
        expect((data as WatchData).viewer_token).not.toBe('');
      });

      test('exchanges its ticket for that of the viewer it remembers', async () => {
        const referer = 'https://news.example.com/';
        const data = (await shown(`/embed/${launch}`, { referer })).data as WatchData;
        const asked = (viewer: string, id = launch) =>
          pages.get(`/embed/${id}/ticket`, {
            'x-footlight-ticket': data.ticket,
            'x-footlight-viewer': viewer,
          });
        const browserId = 'aaaaaaaaaaaaaaaaaaaa';
        const known = signBrowserId(pages.secret, browserId);
        const { ticket } = (await (await asked(known)).json()) as { ticket: string };
        expect(readTicket(pages.secret, ticket, now)).toMatchObject({
          viewer_id: viewerIdOf(pages.secret, { account_id: 1, browserId }),
          origin: 'embed:news.example.com',
          channel_id: launch,
        });
        expect((await asked('forged')).status).toBe(403);
        // Another viewer does not get the name that a link has given.
        const linked = { viewer_id: 'u-1', nick: 'Anna', phone: '123' };
        data.ticket = signTicket(pages.secret, { ...(ticketOf(data) as Ticket), ...linked });
        const other = (await (await asked(known)).json()) as { ticket: string };
        expect(readTicket(pages.secret, other.ticket, now)).toMatchObject({ nick: '', phone: '' });
        expect((await asked(known, launch + 1)).status).toBe(403);
      });

      test('keeps a token that is another viewer in another account, as a cookie would be', async () => {
        const token = ((await shown(`/embed/${launch}`)).data as WatchData).viewer_token;
        const exchanged = async (id: number) => {
          const page = (await shown(`/embed/${id}`)).data as WatchData;
          const headers = { 'x-footlight-ticket': page.ticket, 'x-footlight-viewer': token };
          const answer = await (await pages.get(page.ticket_url, headers)).json();
          return ticketOf(answer as WatchData)?.viewer_id;
        };
        const byCookie = async (id: number) => {
          const { data } = await shown(`/embed/${id}`, { cookie: `footlight_viewer=${token}` });
          return ticketOf(data as WatchData)?.viewer_id;
        };
        const [here, there] = [await exchanged(launch), await exchanged(foreign)];
        for (const id of [here, there]) expect(id).toMatch(/^v-/);
        expect(there).not.toBe(here as string);
        expect([await byCookie(launch), await byCookie(foreign)]).toEqual([here, there]);
      });

      test('of a channel that has gone hears so, not that its viewer is unknown', async () => {
        const id = await channel('gone');
        const data = (await shown(`/embed/${id}`)).data as WatchData;
        await store.run('DELETE FROM channels WHERE id = $1', [id]);
        const response = await pages.get(`/embed/${id}/ticket`, {
          'x-footlight-ticket': data.ticket,
          'x-footlight-viewer': data.viewer_token,
        });
        expect(response.status).toBe(404);
      });
    });

    describe('a video page', () => {
      test('offers the qualities that exist and tells what the video is', async () => {
        const id = await channel('Spring launch', { theme: 'tech', footer: 'ours' });
        const [video] = await videos(id, ['/recordings/9/index.m3u8'], {
          m3u8_720: '/recordings/9/720.m3u8',
          m3u8_1080: '/recordings/9/index.m3u8',
        });
        const { text, data } = await shown(`/videos/${video}`);
        expect((data as VideoData).sources).toEqual([
          { label: 'Source', playlist: '/recordings/9/all.m3u8' },
        ]);
        const there = 'https://cdn.example.com';
        const [theirs] = await videos(id, [`${there}/index.m3u8`], {
          m3u8_720: `${there}/720.m3u8`,
          m3u8_1080: `${there}/index.m3u8`,
        });
        expect(((await shown(`/videos/${theirs}`)).data as VideoData).sources).toEqual([
          { label: 'Source', playlist: `${there}/index.m3u8` },
          { label: '720p', playlist: `${there}/720.m3u8` },
        ]);
        for (const part of [
          'data-state="video"',
          'data-shape="wide"',
          ':root{--shape:1.7778}',
          '<h1 dir="auto">video 0</h1>',
          '<dd>1:00:05</dd>',
          '<dd>1280 × 720, 734 MB</dd>',
          '2026-05-04 20:00</time>',
          `<a href="/watch/${id}"><bdi>Spring launch</bdi></a>`,
          '<img class="backdrop" src="/cover.jpg"',
          '<footer dir="auto">ours</footer>',
          'data-theme="tech"',
        ])
          expect(text).toContain(part);
        const embed = await shown(`/embed/videos/${video}`);
        expect(embed.text).not.toContain('<h1');
        expect(embed.response.headers.get('content-security-policy')).toContain(
          'frame-ancestors *',
        );
        expect(embed.response.headers.get('set-cookie')).toBeNull();
      });
    });

    describe('errors are pages', () => {
      test.each([
        ['/watch/999999', 404, 'There is no such channel'],
        ['/m/0', 404, 'There is no such channel'],
        ['/embed/abc', 404, 'There is no such channel'],
        ['/watch/9007199254740993', 404, 'There is no such channel'],
        ['/videos/999999', 404, 'There is no such video'],
        ['/embed/videos/..%2f1', 404, 'There is no such video'],
      ])('%s is %d, in words', async (path, status, words) => {
        const { response, text } = await shown(path);
        expect(response.status).toBe(status);
        expect(text).toContain(`<h1>${words}</h1>`);
        expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      });
    });

    test('the elements with an id are those that scripts know by it, each once in its page', async () => {
      const id = await channel('Spring launch', { show_qrcode: true });
      const [video] = await videos(id, ['/recordings/9/index.m3u8']);
      const kinds = ['watch', 'm', 'embed'].map((kind) => `/${kind}/${id}`);
      const found: Record<string, string> = {};
      // The QR code is drawn by its name in the markup alone.
      const known = { ...pageElements, qr: 'symbol' };
      for (const path of [...kinds, `/videos/${video}`, `/embed/videos/${video}`]) {
        const { text } = await shown(path);
        const elements = [...text.matchAll(/<([a-z0-9]+)[^<>]* id="([^"]*)"/g)];
        const ids = elements.map((match) => match[2]);
        expect(new Set(ids).size).toBe(ids.length);
        const seen = Object.fromEntries(elements.map(([, element, name]) => [name, element]));
        expect({ ...known, ...seen }).toEqual(known);
        Object.assign(found, seen);
      }
      expect(found).toEqual(known);
    });

    /** Adds videos with these playlists; their ids. */
    async function videos(channel_id: number, playlists: string[], more = {}): Promise<number[]> {
      const before = await store.one<{ id: number | null }>('SELECT max(id) AS id FROM videos');
      const made = playlists.map((m3u8, n) => ({
        channel_id,
        external_id: `${channel_id} ${m3u8}`,
        name: `video ${n}`,
        video_url: '/recordings/1/video.mp4',
        video_size: 734_003_200,
        m3u8,
        m3u8_480: '',
        m3u8_720: '',
        m3u8_1080: '',
        duration: 3_605,
        width: 1_280,
        height: 720,
        cover_url: '/cover.jpg',
        upload_time: now,
        start_time: now,
        end_time: now,
        ...more,
      }));
      await store.perform(addVideos, { account_id: 1, videos: made });
      const rows = await store.all<{ id: number }>(
        'SELECT id FROM videos WHERE id > $1 ORDER BY id',
        [before?.id ?? 0],
      );
      return rows.map(({ id }) => id);
    }
  });
}

describe('over HTTPS', async () => {
  const store = await openTestStore(engines[0] as (typeof engines)[number]);
  const publicUrl = 'https://live.example.com';
  const pages = await startTestPages(store, { now: () => now, assets, publicUrl });
  await store.perform(createChannel, {
    owner: { account_id: 1, manager_id: 0 },
    name: 'a',
    manager_id: 0,
    page: { set: {}, clear: [] },
    now,
    idempotency: undefined,
  });
  afterAll(() => pages.stop());

  test.each([
    ['/watch/1', 'HttpOnly; SameSite=Lax; Secure'],
    ['/embed/1', 'HttpOnly; SameSite=None; Partitioned; Secure'],
  ])('the cookie of %s is %s', async (path, flags) => {
    expect((await pages.get(path)).headers.get('set-cookie')).toEndWith(flags);
  });

  test('a database that is away is a page that says so', async () => {
    await store.close();
    const response = await pages.get('/watch/1');
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await response.text()).toMatch(/Something went wrong|Not available right now/);
    expect(pages.logLines.join()).toContain('a request could not be answered');
  });
});

function dataOf(text: string): WatchData | VideoData | undefined {
  const json = /<script type="application\/json" id="page">(.*?)<\/script>/s.exec(text)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}
