// Who may watch: every address by which a channel or a video is watched, for everybody who may ask, by every kind.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readTicket, signTicket } from '../src/audience/viewers/ticket.ts';
import { viewerSecretOf } from '../src/audience/viewers/viewer-secret-store.ts';
import { watchLinkQuery } from '../src/audience/viewers/watch-link.ts';
import { readAdmission } from '../src/library/admission/admission.ts';
import { registrationsOfNetwork } from '../src/library/admission/admission-limits.ts';
import { type Pass, readPass, signPass } from '../src/library/admission/pass.ts';
import { playFrom } from '../src/stream/rtmp/rtmp-client.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { newLiveChannel } from './support/live-channel.ts';
import { patience } from './support/machine-pace.ts';
import { testWith } from './support/needs.ts';
import { desktopChrome, TestPage } from './support/page.ts';
import { fileOf } from './support/pictures.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { addShownVideo } from './support/shown-video.ts';

const password = 'open sesame';

/** What is watched, and what is known of it. */
interface Stage {
  service: TestService;
  secret: string;
  channel_id: number;
  play_id: string;
  video_id: number;
  other_id: number;
  push: ClipPush;
  /** Names of a part, a segment and an init, as they are in an open channel. */
  plainNames: string[];
}

/** What somebody has to show: nothing, or the text of a pass. */
type Shown = string | undefined;

const browser = { headers: { 'user-agent': desktopChrome, accept: 'text/html' } };
const behind = (pass: Shown) => (pass === undefined ? '' : `/pass/${pass}`);
const asked = (pass: Shown) => (pass === undefined ? '' : `?pass=${pass}`);
const pageData = /<script type="application\/json" id="page">(.*?)<\/script>/;

/** A page that is for whoever asks carries the data of its player; a door carries none. */
const pageOf =
  (path: (stage: Stage) => string): Address =>
  async (stage, pass) => {
    const answer = await fetch(stage.service.url + path(stage) + asked(pass), browser);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const data = pageData.exec(text)?.[1] ?? '';
    // Nothing of it is there for those who may not: no media, no ticket, no chat.
    if (data === '') expect(text).not.toMatch(/\/hls\/|\/recordings\/|ticket|id="chat"|<video/);
    return data !== '';
  };

const mediaOf =
  (path: (stage: Stage) => string): Address =>
  async (stage, pass) => {
    const answer = await fetch(stage.service.url + behind(pass) + path(stage));
    await answer.arrayBuffer();
    if (answer.status !== 403) expect(answer.status).toBe(200);
    return answer.status === 200;
  };

/** The names that a playlist gives to whoever may have it are all that leads to a part. */
const pieceOf =
  (isIt: RegExp): Address =>
  async (stage, pass) => {
    const { url } = stage.service;
    const list = `${url}${behind(pass)}/hls/${stage.play_id}/live.m3u8`;
    const answer = await fetch(list);
    const text = await answer.text();
    const names = [...text.matchAll(/URI="([^"]+)"|^([^#\s]\S*)$/gm)].map(
      (m) => m[1] ?? m[2] ?? '',
    );
    const given = names.filter((name) => isIt.test(name)).at(-1);
    const plain = stage.plainNames.find((name) => isIt.test(name)) ?? '';
    const forged = `${'A'.repeat(22)}.${plain}`;
    const tried =
      given === undefined
        ? [plain, forged].map((one) => new URL(one, list))
        : [new URL(given, list)];
    const statuses = await Promise.all(tried.map(async (one) => (await fetch(one)).status));
    expect([...new Set(statuses)]).toEqual([answer.status]);
    return answer.status === 200;
  };

type Address = (stage: Stage, pass: Shown) => Promise<boolean>;

/** Each by the path that answers it, and what it shows. */
const addresses: Record<string, Record<string, Address>> = {
  '/watch/:id': { page: pageOf(({ channel_id }) => `/watch/${channel_id}`) },
  '/m/:id': { page: pageOf(({ channel_id }) => `/m/${channel_id}`) },
  '/embed/:id': { page: pageOf(({ channel_id }) => `/embed/${channel_id}`) },
  '/embed/:id/ticket': { connection: connected },
  '/videos/:id': { page: pageOf(({ video_id }) => `/videos/${video_id}`) },
  '/embed/videos/:id': { page: pageOf(({ video_id }) => `/embed/videos/${video_id}`) },
  '/hls/:playId/:file': {
    playlist: mediaOf(({ play_id }) => `/hls/${play_id}/live.m3u8`),
    init: pieceOf(/init-\d+\.mp4$/),
    part: pieceOf(/\d+\.\d+\.m4s$/),
    segment: pieceOf(/(?:^|[/.])\d{9,}\.m4s$/),
  },
  '/recordings/:id/:file': {
    playlist: mediaOf(({ video_id }) => `/recordings/${video_id}/index.m3u8`),
    'all sizes': mediaOf(({ video_id }) => `/recordings/${video_id}/all.m3u8`),
    source: mediaOf(({ video_id }) => `/recordings/${video_id}/source.mp4`),
    mp4: mediaOf(({ video_id }) => `/recordings/${video_id}/video.mp4`),
  },
  '/recordings/:id/captions/:file': {
    captions: mediaOf(({ video_id }) => `/recordings/${video_id}/captions/en.vtt`),
  },
  rtmp: {
    play: async ({ service, play_id }, pass) => {
      const url = `rtmp://127.0.0.1:${service.rtmpPort}/play/${play_id}${asked(pass)}`;
      try {
        const playing = await playFrom(url, reader, { timeoutMs: patience(10_000) });
        playing.close();
        return true;
      } catch (error) {
        expect((error as Error).message).toContain('pass');
        return false;
      }
    },
  },
};

/** What shows nothing that somebody might not be meant to see. */
const forEverybody = [
  ...['/', '/assets/:file', '/livez', '/readyz', '/metrics', '/openapi.json', '/images/:name'],
];

function ticketFor({ secret, channel_id, service }: Stage, pass: string): string {
  return signTicket(secret, {
    ...{ channel_id, viewer_id: `v-${crypto.randomUUID()}`, nick: '', phone: '', origin: '' },
    ...{ language: 'en', issued_at: service.clock.now, pass },
  });
}

async function connected(stage: Stage, pass: Shown): Promise<boolean> {
  const { service } = stage;
  const ticket = ticketFor(stage, pass ?? '');
  const page = new TestPage(service.url, { ticket });
  const said = await Promise.race([
    page.welcome().then(() => true),
    page.next('refused').then(({ reason }) => {
      expect(reason).toBe('no_pass');
      return false;
    }),
  ]);
  if (said) await page.leave();
  return said;
}

const kinds = {
  open: { kind: 'open' },
  password: { kind: 'password', password },
  codes: { kind: 'codes' },
  list: { kind: 'list', list: ['u-42', '138 0000 0000'] },
  form: {
    kind: 'form',
    form: [
      { name: 'name', label: 'Your name', kind: 'text', required: true },
      { name: 'email', label: 'Email', kind: 'email', required: true },
      { name: 'size', label: 'Size', kind: 'choice', choices: ['S', 'L'] },
      { name: 'news', label: 'Send me news', kind: 'tick' },
    ],
  },
  signed: { kind: 'signed' },
} as const;

/** As a browser sends it. */
const filled = { name: 'Li Wei', email: 'li@example.com', size: 'L' };

/** Who asks, and what they show. */
const askers: Record<string, (stage: Stage, made: Made) => Shown> = {
  nobody: () => undefined,
  'with words of their own': () => 'sesame',
  'with a forged pass': ({ secret }, { right }) => signPass(`${secret}x`, right),
  'with a pass that was bent': ({ secret }, { right }) => bent(signPass(secret, right)),
  "with another channel's pass": ({ secret, other_id }, { right }) =>
    signPass(secret, { ...right, of: `c${other_id}` }),
  'with a pass of before': ({ secret }, { right }) =>
    signPass(secret, { ...right, revision: 'before' }),
  'with a pass that has expired': ({ secret, service }, { right }) =>
    signPass(secret, { ...right, expires: Math.floor(service.clock.now / 1_000) - 1 }),
  'with a pass that was taken back': (_, { ended }) => ended,
  'with a right pass': (_, { text }) => text,
};

interface Made {
  /** As it was signed, and what it says. */
  text: string;
  right: Pass;
  ended: string;
}

/** The expiry is raised, and the signature stays. */
function bent(text: string): string {
  const [kind, payload = '', signature] = text.split('.');
  const fields = JSON.parse(Buffer.from(payload, 'base64url').toString());
  fields[3] += 1_000;
  return [kind, Buffer.from(JSON.stringify(fields)).toString('base64url'), signature].join('.');
}

const withFfmpeg = Bun.which('ffmpeg') ? undefined : 'ffmpeg is not installed';

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    const access = (path: string, body?: object, method = 'PUT') =>
      stage.service.call(method, path, body && { body });

    beforeAll(async () => {
      const service = await startTestService(engine, { clock: movingClock() });
      const channel = await newLiveChannel(service);
      const other = await newLiveChannel(service, 'another');
      const push = await startClipPush(channel.publishUrl);
      const play_id = new URL(channel.playlistUrl).pathname.split('/')[2] ?? '';
      const { id: video_id } = withFfmpeg
        ? { id: 0 }
        : await addShownVideo(service, { channelId: channel.id, seconds: 2 });
      const captions = fileOf(Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nhi'), 'text/vtt');
      await service.call('PUT', `/manage/v1/videos/${video_id}/captions/en`, { body: captions });
      const row = await service.store.one<{ value: string }>(
        "SELECT value FROM secrets WHERE name = 'viewers'",
      );
      // Waits for a whole segment.
      const text = await (await fetch(channel.playlistUrl)).text();
      const plainNames = [...text.matchAll(/URI="([^"]+)"|^(\d\S*)$/gm)].map(
        (m) => m[1] ?? m[2] ?? '',
      );
      stage = {
        ...{ service, secret: row?.value ?? '', channel_id: channel.id, play_id, video_id },
        ...{ other_id: other.id, push, plainNames },
      };
    });
    afterAll(async () => {
      await stage.push.end();
      await stage.service.stop();
    });

    async function made(): Promise<Made> {
      const path = `/manage/v1/channels/${stage.channel_id}`;
      const { body } = await access(`${path}/play-link`, {}, 'POST');
      const text = new URL(body.embed_url).searchParams.get('pass') ?? '';
      const gone = await access(`${path}/play-link`, {}, 'POST');
      const row = await stage.service.store.one<{ access: string }>(
        'SELECT access FROM channels WHERE id = $1',
        [stage.channel_id],
      );
      const { revision } = readAdmission(row?.access ?? '');
      const expires = Math.floor(stage.service.clock.now / 1_000) + 60;
      const right = { of: `c${stage.channel_id}`, revision, mark: 'somebody', expires } as const;
      if (revision === '') return { text: signPass(stage.secret, right), right, ended: 'none' };
      await access(`${path}/access/revoke`, { pass: gone.body.pass_id }, 'POST');
      const ended = new URL(gone.body.embed_url).searchParams.get('pass') ?? '';
      return { text, right, ended };
    }

    test('every address of the service is in the table, or is for everybody', () => {
      const told = stage.service.paths.filter((path) => !/^\/(?:docs|console)\b/.test(path));
      const watched = told.filter((path) => !forEverybody.includes(path));
      const known = Object.keys(addresses).filter((path) => path.startsWith('/'));
      const twice = known.filter((path) => /^\/(?:hls|recordings)\//.test(path));
      expect(watched.toSorted()).toEqual(
        [...known, ...twice.map((path) => `/pass/:pass${path}`)].toSorted(),
      );
    });

    for (const [kind, rule] of Object.entries(kinds))
      testWith(
        withFfmpeg,
        `${kind}: whoever may watch gets all of it, everybody else nothing`,
        async () => {
          await access(`/manage/v1/channels/${stage.channel_id}/access`, rule);
          const given = await made();
          const found: Record<string, boolean> = {};
          const wanted: Record<string, boolean> = {};
          for (const [asker, shown] of Object.entries(askers))
            for (const [path, parts] of Object.entries(addresses))
              for (const [part, isGiven] of Object.entries(parts)) {
                const cell = `${path} ${part} ${asker}`;
                found[cell] = await isGiven(stage, shown(stage, given));
                wanted[cell] = kind === 'open' || asker === 'with a right pass';
              }
          expect(found).toEqual(wanted);
        },
      );

    /** By the host that the test reaches it by. */
    const here = (address: string) =>
      stage.service.url + address.slice(new URL(address).origin.length);
    const channelPath = () => `/manage/v1/channels/${stage.channel_id}`;
    const watchUrl = (kind = 'watch') => `${stage.service.url}/${kind}/${stage.channel_id}`;
    const submit = (url: string, fields: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: browser.headers,
      });
    const isPage = async (url: string, headers: Record<string, string> = {}) =>
      pageData.test(
        await (await fetch(url, { headers: { ...browser.headers, ...headers } })).text(),
      );

    test('whoever types the password is sent in, by a cookie that goes on being good', async () => {
      await access(`${channelPath()}/access`, kinds.password);
      const wrong = await submit(watchUrl(), { password: 'open' });
      expect(wrong.status).toBe(403);
      expect(await wrong.text()).toContain('That was not right');
      const right = await submit(watchUrl(), { password });
      expect(right.status).toBe(303);
      expect(right.headers.get('location')).toBe(`/watch/${stage.channel_id}`);
      const [cookie = ''] = right.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
      expect(await isPage(watchUrl(), { cookie })).toBe(true);
      // The channel's pass opens the videos that go by it, and nothing of another channel's.
      if (stage.video_id > 0)
        expect(await isPage(`${stage.service.url}/videos/${stage.video_id}`, { cookie })).toBe(
          true,
        );
      await access(`/manage/v1/channels/${stage.other_id}/access`, kinds.password);
      const other = `${stage.service.url}/watch/${stage.other_id}`;
      expect(await isPage(other, { cookie: cookie.replace(/c\d+=/, `c${stage.other_id}=`) })).toBe(
        false,
      );
      // The same password again is a new one: who was let in by it is asked anew.
      await access(`${channelPath()}/access`, { kind: 'password', show_cover: false });
      expect(await isPage(watchUrl(), { cookie })).toBe(true);
      await access(`${channelPath()}/access`, kinds.password);
      expect(await isPage(watchUrl(), { cookie })).toBe(false);
    });

    test('in a frame of another site the address carries what the cookie would', async () => {
      await access(`${channelPath()}/access`, kinds.password);
      const right = await submit(watchUrl('embed'), { password });
      const address = right.headers.get('location') ?? '';
      expect(address).toMatch(/^\/embed\/\d+\?pass=p1\./);
      expect(await isPage(stage.service.url + address)).toBe(true);
    });

    test('who is wrong too often waits, and keeps nobody out who knows', async () => {
      const { id } = await newLiveChannel(stage.service, 'guessed at');
      const path = `/manage/v1/channels/${id}`;
      const door = `${stage.service.url}/watch/${id}`;
      await access(`${path}/access`, kinds.password);
      const statuses: number[] = [];
      for (let tried = 0; tried < 12; tried++)
        statuses.push((await submit(door, { password: `guess ${tried}` })).status);
      expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
      const kept = await submit(door, { password });
      expect(kept.status).toBe(429);
      expect(Number(kept.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await kept.text()).toContain('Too many tries');
      // Another door, and a link that was signed, are as they were.
      await access(`/manage/v1/channels/${stage.other_id}/access`, kinds.password);
      const other = `${stage.service.url}/watch/${stage.other_id}`;
      expect((await submit(other, { password })).status).toBe(303);
      const { body } = await access(`${path}/play-link`, {}, 'POST');
      expect(await isPage(here(body.watch_url.pc))).toBe(true);
    });

    test('a code lets in as often as it may, until it is taken back', async () => {
      await access(`${channelPath()}/access`, kinds.codes);
      const order = { count: 2, uses: 2, note: 'class' };
      const { body } = await access(`${channelPath()}/access/codes`, order, 'POST');
      const [once, other] = body.codes as { id: string; code: string }[];
      expect(once?.code).toMatch(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/);
      const come = (code = '') => submit(watchUrl('embed'), { code });
      const first = await come(once?.code);
      expect(first.status).toBe(303);
      // As people type it.
      expect((await come(once?.code.toLowerCase().replace('-', ' '))).status).toBe(303);
      expect((await come(once?.code)).status).toBe(403);
      const listed = await access(`${channelPath()}/access/codes`, undefined, 'GET');
      const uses = listed.body.codes.map(({ uses }: { uses: number }) => uses);
      expect(uses.toSorted()).toEqual([0, 2]);
      const inside = stage.service.url + (first.headers.get('location') ?? '');
      expect(await isPage(inside)).toBe(true);
      await access(`${channelPath()}/access/revoke`, { code: once?.id }, 'POST');
      expect(await isPage(inside)).toBe(false);
      await access(`${channelPath()}/access/revoke`, { code: other?.id }, 'POST');
      expect((await come(other?.code)).status).toBe(403);
    });

    test('who is on the list gets in by typing it or by a link, until it is another list', async () => {
      const { id: channel_id } = await newLiveChannel(stage.service, 'a class');
      const path = `/manage/v1/channels/${channel_id}/access`;
      const page = `${stage.service.url}/embed/${channel_id}`;
      await access(path, kinds.list);
      const come = async (who: string) => await submit(page, { who });
      const anna = await come('U-42');
      expect(anna.status).toBe(303);
      expect((await come('13800000000')).status).toBe(303);
      expect((await come('13900000000')).status).toBe(403);
      const secret = await viewerSecretOf(stage.service.store, 1);
      const expires = Math.floor(stage.service.clock.now / 1_000) + 600;
      const linkOf = (uid: string, phone = '') =>
        `${page}?${watchLinkQuery(secret, { channel_id, uid, nick: '', phone, expires })}`;
      expect(await isPage(linkOf('u-42'))).toBe(true);
      expect(await isPage(linkOf('u-7', '138-0000-0000'))).toBe(true);
      expect(await isPage(linkOf('u-7'))).toBe(false);
      const { body } = await access(path, { kind: 'list', list: ['13800000000'] });
      expect(body.list).toEqual(['13800000000']);
      expect(await isPage(stage.service.url + (anna.headers.get('location') ?? ''))).toBe(false);
      expect(await isPage(linkOf('u-42'))).toBe(false);
      expect(await isPage(linkOf('u-7', '138-0000-0000'))).toBe(true);
    });

    test('who is taken back by name is on the list no more, until they are put on it again', async () => {
      const { id } = await newLiveChannel(stage.service, 'another class');
      const path = `/manage/v1/channels/${id}/access`;
      const page = `${stage.service.url}/embed/${id}`;
      const come = async (who: string) => {
        const { status, headers } = await submit(page, { who });
        return { status, at: stage.service.url + (headers.get('location') ?? '') };
      };
      for (const who of ['u-42', '138 0000 0000']) {
        await access(path, kinds.list);
        const { at } = await come(who);
        expect(await isPage(at)).toBe(true);
        const { body } = await access(`${path}/revoke`, { uid: who }, 'POST');
        expect(body.list).toEqual(kinds.list.list.filter((one) => one !== who));
        expect(await isPage(at)).toBe(false);
        expect((await come(who)).status).toBe(403);
        await access(path, kinds.list);
        expect(await isPage((await come(who)).at)).toBe(true);
      }
    });

    /** What the answer to a form leads to: the page, the cookies that it set, and whose pass is among them. */
    const entered = (answer: Response) => {
      const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
      const pass = cookies.find((one) => one.startsWith('footlight_pass_'))?.split('=')[1] ?? '';
      return {
        at: stage.service.url + (answer.headers.get('location') ?? ''),
        cookie: cookies.join('; '),
        registration: readPass(stage.secret, pass)?.mark ?? '',
      };
    };
    const ticketIn = async (url: string, cookie = '') => {
      const text = await (await fetch(url, { headers: { ...browser.headers, cookie } })).text();
      return JSON.parse(pageData.exec(text)?.[1] ?? '{}').ticket as string;
    };
    /** A channel of its own, which asks whoever comes to register. */
    const asksToRegister = async (name: string) => {
      const { id } = await newLiveChannel(stage.service, name);
      const path = `/manage/v1/channels/${id}`;
      await access(`${path}/access`, kinds.form);
      const page = `${stage.service.url}/watch/${id}`;
      const listed = async () =>
        (await access(`${path}/registrations`, undefined, 'GET')).body.registrations;
      return { id, path, page, embed: `${stage.service.url}/embed/${id}`, listed };
    };

    test('who registers is sent in, is known by what they answered, and is not asked again', async () => {
      const { id, path, page, listed } = await asksToRegister('a seminar');
      const door = await (await fetch(page, browser)).text();
      expect(door).toContain('Please register to watch.');
      const wrong = await submit(page, { ...filled, email: 'li@', name: ' ', size: 'XL' });
      expect(wrong.status).toBe(400);
      const said = await wrong.text();
      for (const sentence of ['This is needed.', 'not look like an email', 'choose one of these'])
        expect(said).toContain(sentence);
      // What was right need not be typed again, and what was typed is shown as text.
      expect(said).toContain('value="li@"');
      const odd = await (await submit(page, { name: '"><script>alert(1)</script>' })).text();
      expect(odd).toContain('value="&quot;&gt;&lt;script&gt;');
      expect(await listed()).toEqual([]);
      const right = await submit(page, { ...filled, more: 'nobody asked', news: '1' });
      expect(right.status).toBe(303);
      const { cookie } = entered(right);
      expect(await isPage(page, { cookie })).toBe(true);
      const [one, ...others] = await listed();
      expect(others).toEqual([]);
      expect(one).toMatchObject({
        answers: { ...filled, news: true },
        ended_at: '',
        visit_times: 0,
      });
      // The page is that viewer's, whose record the answers are in.
      const watching = new TestPage(stage.service.url, {
        ticket: await ticketIn(page, cookie),
      });
      await watching.welcome();
      const viewer = await access(`${path}/viewers/${one.viewer_id}`, undefined, 'GET');
      expect(viewer.body.registrations).toMatchObject([{ video_id: null, answers: one.answers }]);
      const lines = await access(`${path}/visitors.ndjson`, undefined, 'GET');
      expect(JSON.parse(lines.text)).toMatchObject({
        visitor_id: one.viewer_id,
        answers: one.answers,
      });
      expect((await listed())[0].visit_times).toBe(1);
      await watching.leave();
      // The same browser again, as with another form: one registration, as it was filled in last.
      const [name, email] = kinds.form.form;
      await access(`${path}/access`, {
        kind: 'form',
        form: [{ ...name, name: 'full_name' }, email],
      });
      expect(await isPage(page, { cookie })).toBe(true);
      const again = await fetch(page, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ full_name: 'Li', email: filled.email }),
        headers: { ...browser.headers, cookie },
      });
      expect(again.status).toBe(303);
      await submit(page, { full_name: '=SUM(1)', email: filled.email });
      expect(await listed()).toMatchObject([
        { answers: { full_name: '=SUM(1)', email: filled.email } },
        { viewer_id: one.viewer_id, answers: { full_name: 'Li', email: filled.email } },
      ]);
      const csv = (await access(`${path}/registrations.csv`, undefined, 'GET')).text;
      expect(csv.split('\r\n')[0]).toEndWith(',answers.full_name,answers.email');
      expect(csv).toContain("'=SUM(1)");
      const rows = (await access(`${path}/registrations.ndjson`, undefined, 'GET')).text;
      expect(
        rows
          .trimEnd()
          .split('\n')
          .map((row: string) => JSON.parse(row).answers),
      ).toEqual([
        { full_name: 'Li', email: filled.email },
        { full_name: '=SUM(1)', email: filled.email },
      ]);
      const table = (await access(`${path}/visitors.csv`, undefined, 'GET')).text;
      expect(table.split('\r\n')[0]).toEndWith(',answers.full_name,answers.email');
      expect(table.split('\r\n')[1]).toEndWith(',Li,li@example.com');
      // While everybody may watch the form is kept for when it is wanted again.
      await access(`${path}/access`, { kind: 'open' });
      const { body } = await access(`${path}/access`, { kind: 'form' });
      expect(body.form).toHaveLength(2);
      expect(
        (await access(`/manage/v1/channels/${id}/access`, { kind: 'form', form: [] })).status,
      ).toBe(400);
    });

    test('another site has nobody register without their knowing', async () => {
      const { page, listed } = await asksToRegister('a seminar that is disturbed');
      const sentWith = (headers: Record<string, string>) =>
        fetch(page, {
          method: 'POST',
          redirect: 'manual',
          body: new URLSearchParams(filled),
          headers: { ...browser.headers, ...headers },
        });
      const { origin } = new URL(page);
      // Over plain HTTP a browser says its origin alone.
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example' },
        { origin: `${origin}0` },
        { origin: `${origin}0`, 'sec-fetch-site': 'same-site' },
        { origin: 'null' },
      ]) {
        const sent = await sentWith(headers);
        expect(sent.status).toBe(403);
        expect(sent.headers.getSetCookie()).toEqual([]);
        expect(await sent.text()).toContain('value="Li Wei"');
      }
      expect(await listed()).toEqual([]);
      for (const headers of [{ origin }, { origin: origin.replace('http:', 'https:') }])
        expect((await sentWith(headers)).status).toBe(303);
    });

    test('in a frame without cookies who has registered is who watches, and nobody else by their pass', async () => {
      const { id, path, embed, listed } = await asksToRegister('a framed seminar');
      const { at, cookie } = entered(await submit(embed, filled));
      const viewerIn = async (url: string, cookies?: string) =>
        readTicket(stage.secret, await ticketIn(url, cookies), stage.service.clock.now)?.viewer_id;
      const [{ viewer_id: own }] = await listed();
      expect(await viewerIn(at)).toBe(own);
      expect(await viewerIn(at, cookie)).toBe(own);
      const another = entered(await submit(embed, filled)).cookie;
      expect(await viewerIn(at, another)).not.toBe(own);
      // Whom a link names is that only by the link.
      const secret = await viewerSecretOf(stage.service.store, 1);
      const expires = Math.floor(stage.service.clock.now / 1_000) + 600;
      const query = watchLinkQuery(secret, {
        channel_id: id,
        uid: 'anna',
        nick: 'A',
        phone: '',
        expires,
      });
      const linked = entered(await submit(`${embed}?${query}`, filled));
      expect(await viewerIn(linked.at)).toBe('anna');
      const pass = new URL(linked.at).searchParams.get('pass');
      expect(await viewerIn(`${embed}?pass=${pass}`)).toStartWith('v-');
      const page = new TestPage(stage.service.url, { ticket: await ticketIn(at) });
      await page.welcome();
      expect((await access(`${path}/viewers/${own}`, undefined, 'GET')).status).toBe(200);
      await page.leave();
    });

    testWith(
      withFfmpeg,
      'a video may ask for a form of its own, and goes by that of its channel else',
      async () => {
        const { video_id, service } = stage;
        const path = `/manage/v1/videos/${video_id}`;
        const page = `${service.url}/videos/${video_id}`;
        const registered = async (of: string) => {
          const { body } = await access(`${of}/registrations`, undefined, 'GET');
          return body.registrations.map(({ id }: { id: string }) => id) as string[];
        };
        await access(`${channelPath()}/access`, kinds.form);
        const ofChannel = entered(await submit(page, filled));
        expect(await registered(channelPath())).toContain(ofChannel.registration);
        // Who has registered for the channel may watch it and its videos.
        for (const url of [page, watchUrl()])
          expect(await isPage(url, { cookie: ofChannel.cookie })).toBe(true);
        const form = [{ name: 'order', label: 'Order number', kind: 'number', required: true }];
        expect((await access(`${path}/access`, { kind: 'form' })).status).toBe(400);
        await access(`${path}/access`, { kind: 'form', form });
        expect(await isPage(page, { cookie: ofChannel.cookie })).toBe(false);
        const own = entered(await submit(page, { order: '17' }));
        expect(await isPage(page, { cookie: own.cookie })).toBe(true);
        expect(await isPage(watchUrl(), { cookie: own.cookie })).toBe(false);
        expect(await registered(path)).toEqual([own.registration]);
        const csv = (await access(`${path}/registrations.csv`, undefined, 'GET')).text;
        expect(csv).toContain(',answers.order\r\n');
        await access(`${path}/access/revoke`, { registration: own.registration }, 'POST');
        expect(await isPage(page, { cookie: own.cookie })).toBe(false);
        await access(`${path}/access`, { kind: 'channel' });
        expect(await isPage(page, { cookie: ofChannel.cookie })).toBe(true);
      },
    );

    test('whose registration is taken back watches no more, and cannot register again', async () => {
      const { path, page, embed, listed } = await asksToRegister('a closed seminar');
      const anna = entered(await submit(embed, filled));
      const bert = entered(await submit(embed, filled));
      const watching = new TestPage(stage.service.url, { ticket: await ticketIn(anna.at) });
      await watching.welcome();
      expect(
        (await access(`${path}/access/revoke`, { registration: 'nobody' }, 'POST')).status,
      ).toBe(400);
      await access(`${path}/access/revoke`, { registration: anna.registration }, 'POST');
      expect((await watching.next('refused')).reason).toBe('no_pass');
      expect(await isPage(anna.at)).toBe(false);
      expect(await isPage(bert.at)).toBe(true);
      const again = await fetch(page, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(filled),
        headers: { ...browser.headers, cookie: anna.cookie },
      });
      expect(again.status).toBe(403);
      const text = await again.text();
      expect(text).toContain('Your access was taken back');
      expect(text).not.toContain('<form');
      const ended = (await listed()).filter(
        ({ ended_at }: { ended_at: string }) => ended_at !== '',
      );
      expect(ended).toMatchObject([{ id: anna.registration }]);
    });

    test('who is erased has registered nowhere, and is asked anew', async () => {
      const { page, listed } = await asksToRegister('a forgotten seminar');
      const anna = entered(await submit(page, filled));
      const bert = entered(await submit(page, filled));
      const { viewer_id } = (await listed()).find(
        ({ id }: { id: string }) => id === anna.registration,
      );
      await access('/manage/v1/viewers/erase', { viewer_id }, 'POST');
      expect(await isPage(page, { cookie: anna.cookie })).toBe(false);
      expect(await isPage(page, { cookie: bert.cookie })).toBe(true);
      expect(await listed()).toMatchObject([{ id: bert.registration }]);
      expect((await submit(page, filled)).status).toBe(303);
    });

    test('a crowd registers at once, and who floods waits', async () => {
      const { page } = await asksToRegister('a flooded seminar');
      const { atOnce } = registrationsOfNetwork;
      const statuses = await Promise.all(
        Array.from({ length: atOnce + 2 }, async () => (await submit(page, filled)).status),
      );
      expect(statuses.filter((status) => status === 303)).toHaveLength(atOnce);
      const late = await submit(page, filled);
      expect(late.status).toBe(429);
      // Nobody has to type it all again.
      expect(await late.text()).toContain('value="Li Wei"');
    });

    test('who watches is sent away once their pass is taken back, and nobody else is', async () => {
      await access(`${channelPath()}/access`, kinds.signed);
      const link = async () => (await access(`${channelPath()}/play-link`, {}, 'POST')).body;
      const [ended, stays] = [await link(), await link()];
      const passOf = (url: string) => new URL(url).searchParams.get('pass') ?? '';
      const enter = async (pass: string) => {
        const page = new TestPage(stage.service.url, { ticket: ticketFor(stage, pass) });
        await page.welcome();
        return page;
      };
      const [first, second] = [
        await enter(passOf(ended.embed_url)),
        await enter(passOf(stays.embed_url)),
      ];
      const play = (pass: string) =>
        playFrom(
          `rtmp://127.0.0.1:${stage.service.rtmpPort}/play/${stage.play_id}?pass=${pass}`,
          reader,
          { timeoutMs: patience(10_000) },
        );
      const [cut, goesOn] = [
        await play(passOf(ended.embed_url)),
        await play(passOf(stays.embed_url)),
      ];
      const ofOne = { pass: ended.pass_id, code: null, uid: null, registration: null };
      await access(`${channelPath()}/access/revoke`, ofOne, 'POST');
      expect((await first.next('refused')).reason).toBe('no_pass');
      expect(await first.closed).toBe(4001);
      await cut.closed;
      await second.heard();
      const stillPlays = Symbol('still plays');
      expect(await Promise.race([goesOn.closed, stillPlays])).toBe(stillPlays);
      // Nobody means everybody by a word that is empty, or by a variable that is not set.
      const nobody = [{ pass: '' }, { pass: null }, { uid: null, registration: null }];
      // Nor by a name that is not known.
      const misspelt = [{ usr: 'anna' }, { uid: 'anna', Pass: '' }, { user_id: null }];
      for (const body of [...nobody, ...misspelt]) {
        const refused = await access(`${channelPath()}/access/revoke`, body, 'POST');
        expect(refused.status).toBe(400);
      }
      const queried = await access(`${channelPath()}/access/revoke?uid=anna`, {}, 'POST');
      expect(queried.status).toBe(400);
      await access(`${channelPath()}/access/revoke`, {}, 'POST');
      expect((await second.next('refused')).reason).toBe('no_pass');
      await goesOn.closed;
    });

    test('a link that was taken back is named until it would have expired, and no longer', async () => {
      const service = await startTestService(engine, { clock: movingClock() });
      try {
        const { id } = await newLiveChannel(service, 'links');
        const path = `/manage/v1/channels/${id}`;
        const call = async (method: string, where: string, body?: object) =>
          (await service.call(method, `${path}/${where}`, body && { body })).body;
        await call('PUT', 'access', { kind: 'signed' });
        const short = await call('POST', 'play-link', { expires_in: 60 });
        const long = await call('POST', 'play-link', { expires_in: 3_600 });
        const taken = [];
        for (const { pass_id: pass } of [short, long])
          taken.push((await call('POST', 'access/revoke', { pass })).ended_passes);
        expect(taken).toEqual([1, 2]);
        service.clock.now += 61_000;
        expect((await call('GET', 'access')).ended_passes).toBe(1);
        await call('PUT', 'access', { kind: 'signed' });
        const stored = await service.store.one<{ access: string }>(
          'SELECT access FROM channels WHERE id = $1',
          [id],
        );
        expect(stored?.access).not.toContain(short.pass_id);
        expect(stored?.access).toContain(long.pass_id);
      } finally {
        await service.stop();
      }
    });

    test('a watch link lets its user in until the user is sent away', async () => {
      await access(`${channelPath()}/access`, kinds.signed);
      const secret = await viewerSecretOf(stage.service.store, 1);
      const { channel_id } = stage;
      const expires = Math.floor(stage.service.clock.now / 1_000) + 600;
      const linkOf = (uid: string, more: object = {}) =>
        `${watchUrl()}?${watchLinkQuery(secret, { channel_id, uid, nick: '', phone: '', expires, ...more })}`;
      expect(await isPage(linkOf('anna'))).toBe(true);
      expect(await isPage(linkOf('anna', { channel_id: stage.other_id }))).toBe(false);
      const old = await (await fetch(linkOf('anna', { expires: expires - 1_200 }), browser)).text();
      expect(old).toContain('Your access has expired');
      await access(`${channelPath()}/access/revoke`, { uid: 'anna' }, 'POST');
      expect(await isPage(linkOf('anna'))).toBe(false);
      expect(await isPage(linkOf('bert'))).toBe(true);
      // Nor does the link open again when everybody's passes are taken back.
      await access(`${channelPath()}/access/revoke`, {}, 'POST');
      expect(await isPage(linkOf('anna'))).toBe(false);
      expect(await isPage(linkOf('bert'))).toBe(true);
      // A password is for those who know it: a link names its user and does not open it.
      await access(`${channelPath()}/access`, kinds.password);
      expect(await isPage(linkOf('bert'))).toBe(false);
    });

    testWith(withFfmpeg, 'a video goes by its channel until it has a word of its own', async () => {
      const { video_id, service } = stage;
      const path = `/manage/v1/videos/${video_id}`;
      const page = `${service.url}/videos/${video_id}`;
      await access(`${channelPath()}/access`, kinds.signed);
      expect((await access(`${path}/access`, undefined, 'GET')).body).toMatchObject({
        kind: 'signed',
        of_channel: true,
      });
      const ofChannel = await access(`${channelPath()}/play-link`, {}, 'POST');
      const channelPass = new URL(ofChannel.body.embed_url).searchParams.get('pass');
      const ofVideo = await access(`${path}/play-link`, {}, 'POST');
      const videoPass = new URL(ofVideo.body.embed_url).searchParams.get('pass');
      expect(await isPage(`${page}?pass=${channelPass}`)).toBe(true);
      expect(await isPage(`${page}?pass=${videoPass}`)).toBe(true);
      expect(await isPage(`${watchUrl()}?pass=${videoPass}`)).toBe(false);
      const m3u8 = here(ofVideo.body.m3u8);
      expect((await fetch(m3u8)).status).toBe(200);
      await access(`${path}/access`, kinds.password);
      expect(await isPage(`${page}?pass=${channelPass}`)).toBe(false);
      expect(await isPage(`${watchUrl()}?pass=${channelPass}`)).toBe(true);
      expect((await fetch(m3u8)).status).toBe(403);
      await access(`${path}/access`, { kind: 'open' });
      expect(await isPage(page)).toBe(true);
      await access(`${path}/access`, { kind: 'channel' });
      expect(await isPage(page)).toBe(false);
    });

    test('what is kept of a playlist serves nobody else, and its parts serve everybody who knows them', async () => {
      await access(`${channelPath()}/access`, kinds.signed);
      const link = async () => (await access(`${channelPath()}/play-link`, {}, 'POST')).body;
      const texts = await Promise.all(
        [await link(), await link()].map(async ({ hls_play_addr }) => {
          const answer = await fetch(here(hls_play_addr));
          expect(answer.headers.get('cache-control')).toBe('private, no-cache');
          return await answer.text();
        }),
      );
      const segmentsOf = (text = '') => text.split('\n').filter((line) => line.endsWith('.m4s'));
      const shared = segmentsOf(texts[0]).filter((name) => segmentsOf(texts[1]).includes(name));
      expect(shared.length).toBeGreaterThan(0);
      const part = await fetch(new URL(shared.at(-1) ?? '', stage.service.url));
      expect([part.status, part.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=3600, immutable',
      ]);
    });
  });
}

const reader = { media: () => {} };
