// The video operations as a caller meets them, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  addVideos,
  type Ids,
  notAllowed,
  play,
  refusesInQuery,
  type Scenario,
  type Stage,
} from '../../../test/support/scenarios.ts';
import { type Reply, startTestService, type TestService } from '../../../test/support/service.ts';
import { setAccount } from '../access/account-store.ts';
import { removeManager } from '../access/manager-store.ts';

const list = 'GET /v1/videos';
const invalid = { status: 400, code: 400001 };
const noVideo = { status: 404, code: 404003 };

// Interface 2.3.
const videoKeys = [
  'id act_id name video_url video_size m3u8 m3u8_480 m3u8_720 m3u8_1080 duration',
  'width height cover_url watch_url embed_url manager upload_time start_time',
  'end_time',
].flatMap((line) => line.split(' '));

/** The names of the account `library`, oldest first. */
const library = [
  'Spring Launch',
  'spring cleaning',
  '100% live',
  '100 live',
  'a_b',
  'aXb',
  '春节联欢晚会',
  '春天',
  'École d’ÉTÉ',
  'C:\\Videos',
  'say "hi"',
  "it's on",
  'why? because',
  'ΟΔΟΣΑ',
  '🎭 mask',
];

/** What is looked for, and what is found, newest first. */
const searches: { title: string; found: string[] }[] = [
  { title: 'Spring Launch', found: ['Spring Launch'] },
  { title: 'SPRING', found: ['spring cleaning', 'Spring Launch'] },
  { title: 'ring l', found: ['Spring Launch'] },
  { title: 'springlaunch', found: [] },
  { title: 'lAu', found: ['Spring Launch'] },
  { title: 'X', found: ['aXb'] },
  { title: 'Ab', found: [] },
  { title: 'g ', found: ['spring cleaning', 'Spring Launch'] },
  { title: '春', found: ['春天', '春节联欢晚会'] },
  { title: '春节', found: ['春节联欢晚会'] },
  { title: '联欢晚', found: ['春节联欢晚会'] },
  { title: '联欢 ', found: [] },
  { title: '%', found: ['100% live'] },
  { title: '0%', found: ['100% live'] },
  { title: '100%', found: ['100% live'] },
  { title: '100% live', found: ['100% live'] },
  { title: '%live', found: [] },
  { title: '_', found: ['a_b'] },
  { title: 'a_b', found: ['a_b'] },
  { title: 'école d', found: ['École d’ÉTÉ'] },
  { title: 'été', found: ['École d’ÉTÉ'] },
  { title: '\\', found: ['C:\\Videos'] },
  { title: 'c:\\v', found: ['C:\\Videos'] },
  { title: '"', found: ['say "hi"'] },
  { title: 'y "HI"', found: ['say "hi"'] },
  { title: "it's", found: ["it's on"] },
  { title: "' OR 1=1 --", found: [] },
  { title: 'say AND spring', found: [] },
  { title: 'spr*', found: [] },
  { title: 'why?', found: ['why? because'] },
  { title: 'οδοσα', found: ['ΟΔΟΣΑ'] },
  // A sigma is written otherwise at the end of a word; what is looked for may end inside one.
  { title: 'ΟΔΟΣ', found: ['ΟΔΟΣΑ'] },
  { title: '🎭', found: ['🎭 mask'] },
];

const searching: Scenario[] = [
  ...searches.map(({ title, found }) => ({
    test: `the title ${title} finds ${found.join(', ') || 'nothing'}`,
    who: 'library',
    ask: `${list}?title=${encodeURIComponent(title)}`,
    check: isList(found),
  })),
  {
    test: 'an empty title is not given',
    who: 'library',
    ask: `${list}?title=&perPage=100`,
    check: isList(library.toReversed()),
  },
  {
    test: 'a title of 255 characters is looked for',
    who: 'library',
    ask: `${list}?title=${encodeURIComponent('🎭'.repeat(255))}`,
    check: isList([]),
  },
  {
    test: 'the pages of a search are counted and their links keep the title',
    who: 'library',
    ask: `${list}?title=${encodeURIComponent('春')}&perPage=1`,
    check: isLinked({
      meta: { total: 2, page: 2, current: 1, auto_save_live_video: true },
      next: 'title=%E6%98%A5&perPage=1&p=2',
      end: 'title=%E6%98%A5&perPage=1&p=2',
    }),
  },
  {
    // A question mark inside a query is an ordinary character (RFC 3986 3.4).
    test: 'links keep a title with a question mark and what follows it',
    who: 'library',
    ask: `${list}?title=why?&perPage=1`,
    check: isLinked({
      meta: { total: 1, page: 1, current: 1, auto_save_live_video: true },
      next: null,
      end: 'title=why%3F&perPage=1&p=1',
    }),
  },
];

// The first account has: early (of launch), annas (of annas channel, manager anna), late (of launch), loose (of none).
const listing: Scenario[] = [
  ...[
    { query: '', names: ['loose', 'late', 'annas', 'early'] },
    { query: 'act_id={launch}', names: ['late', 'early'] },
    { query: 'act_id={channel_of_anna}', names: ['annas'] },
    { query: 'act_id=999999', names: [] },
    { query: 'act_id={strangers}', names: [] },
    { query: 'act_id=', names: ['loose', 'late', 'annas', 'early'] },
    { query: 'manager={anna}', names: ['annas'] },
    { query: 'manager=0', names: ['loose', 'late', 'early'] },
    { query: 'manager=999999', names: [] },
    { query: 'manager={zoe}', names: [] },
    { query: 'manager=', names: ['loose', 'late', 'annas', 'early'] },
    { query: 'manager=0&act_id={launch}', names: ['late', 'early'] },
    { query: 'manager={anna}&act_id={launch}', names: [] },
    { query: 'title=l&act_id={launch}', names: ['late', 'early'] },
    { query: 'title=la&manager=0', names: ['late'] },
    { query: 'title=anna&manager={anna}&act_id={channel_of_anna}', names: ['annas'] },
    { query: 'nonsense=1&nonsense=2', names: ['loose', 'late', 'annas', 'early'] },
    { query: 'title=&act_id=&manager=&perPage=&p=', names: ['loose', 'late', 'annas', 'early'] },
  ].map(({ query, names }) => ({
    test: `the videos with ?${query} are ${names.join(', ') || 'none'}`,
    ask: `${list}?${query}`,
    check: isList(names),
  })),
  ...[
    { who: 'anna', query: '', names: ['annas'] },
    { who: 'anna', query: '?manager={anna}', names: ['annas'] },
    { who: 'anna', query: '?manager=0', names: [] },
    { who: 'anna', query: '?manager={ben}', names: [] },
    { who: 'anna', query: '?act_id={launch}', names: [] },
    { who: 'anna', query: '?act_id={channel_of_anna}', names: ['annas'] },
    { who: 'anna', query: '?title=late', names: [] },
    { who: 'anna', query: '?title=a', names: ['annas'] },
    { who: 'ben', query: '', names: [] },
    { who: 'stranger', query: '', names: ['strange'] },
    { who: 'stranger', query: '?act_id={launch}', names: [] },
    { who: 'stranger', query: '?title=late', names: [] },
  ].map(({ who, query, names }) => ({
    test: `${who}’s videos with "${query}" are ${names.join(', ') || 'none'}`,
    who,
    ask: list + query,
    check: isList(names),
  })),
  ...refusesInQuery(list, {
    act_id: ['-1', 'x', '1.5', '99999999999999999'],
    manager: ['-1', 'x', '1.5', '99999999999999999'],
    perPage: ['0', '-1', '1001', 'x', '10.5', '1e2'],
    p: ['0', '-1', 'x', '1.5', '2147483648'],
    title: ['x'.repeat(256), 'a%00'],
  }),
  {
    test: 'every parameter at fault is named at once',
    ask: `${list}?act_id=x&manager=x&perPage=0&p=0`,
    ...invalid,
    fields: ['act_id', 'manager', 'perPage', 'p'],
  },
  {
    test: 'a perPage too large is told its bounds',
    ask: `${list}?perPage=1001`,
    ...invalid,
    fields: ['perPage'],
    shows: { errors: { fields: [{ message: 'perPage must be 1 to 1000 (got "1001")' }] } },
  },
  {
    test: 'a parameter with two values is refused',
    ask: `${list}?perPage=1&perPage=2`,
    ...invalid,
    fields: ['perPage'],
  },
  {
    test: 'an account without videos has one empty page',
    who: 'empty',
    ask: list,
    check: isLinked({
      meta: { total: 0, page: 1, current: 1, auto_save_live_video: true },
      next: null,
      end: 'p=1',
    }),
  },
  // The account `crowd` has 25 videos and does not keep its live videos.
  ...[
    { query: '', rows: 10, page: 3, current: 1, next: 'p=2', end: 'p=3' },
    { query: 'p=3', rows: 5, page: 3, current: 3, next: null, end: 'p=3' },
    { query: 'p=4', rows: 0, page: 3, current: 4, next: null, end: 'p=3' },
    { query: 'p=302', rows: 0, page: 3, current: 302, next: null, end: 'p=3' },
    {
      query: 'p=2147483647&perPage=1000',
      rows: 0,
      page: 1,
      current: 2147483647,
      next: null,
      end: 'p=1&perPage=1000',
    },
    {
      query: 'perPage=1',
      rows: 1,
      page: 25,
      current: 1,
      next: 'perPage=1&p=2',
      end: 'perPage=1&p=25',
    },
    { query: 'perPage=25', rows: 25, page: 1, current: 1, next: null, end: 'perPage=25&p=1' },
    { query: 'perPage=1000', rows: 25, page: 1, current: 1, next: null, end: 'perPage=1000&p=1' },
    { query: 'perPage=24&p=2', rows: 1, page: 2, current: 2, next: null, end: 'perPage=24&p=2' },
    {
      query: 'manager=0&perPage=20',
      rows: 20,
      page: 2,
      current: 1,
      next: 'manager=0&perPage=20&p=2',
      end: 'manager=0&perPage=20&p=2',
    },
  ].map(({ query, rows, page, current, next, end }) => ({
    test: `of 25 videos ?${query} shows ${rows} and the next page is ${next}`,
    who: 'crowd',
    ask: query === '' ? list : `${list}?${query}`,
    check: (reply: Reply, stage: Stage) => {
      expect(reply.body.videos).toHaveLength(rows);
      const meta = { total: 25, page, current, auto_save_live_video: false };
      isLinked({ meta, next, end })(reply, stage);
    },
  })),
  {
    test: 'a list of videos carries no tag',
    ask: list,
    headers: { 'if-none-match': '*' },
    check: ({ headers }) => expect(headers.has('etag')).toBeFalse(),
  },
];

const getting: Scenario[] = [
  {
    test: 'a recording of ours has absolute addresses and every field',
    ask: 'GET /v1/videos/{late}',
    check: ({ body }, { service: { url }, ids }) => {
      const id = ids['late'];
      expect(body).toEqual({
        id,
        act_id: ids['launch'],
        name: 'late',
        video_url: `${url}/recordings/7/video.mp4`,
        video_size: 734_003_200,
        m3u8: `${url}/recordings/7/index.m3u8`,
        m3u8_480: `${url}/recordings/7/480.m3u8`,
        m3u8_720: `${url}/recordings/7/720.m3u8`,
        m3u8_1080: '',
        duration: 3_605,
        width: 1_280,
        height: 720,
        cover_url: `${url}/recordings/7/cover.jpg`,
        watch_url: `${url}/videos/${id}`,
        embed_url: `${url}/embed/videos/${id}`,
        manager: 0,
        upload_time: '2026-05-01 20:30:09',
        start_time: '2026-05-01 19:30:02',
        end_time: '2026-05-01 20:30:07',
      });
    },
  },
  {
    test: 'what is unset is an empty text, and a foreign address stays as it is',
    ask: 'GET /v1/videos/{early}',
    shows: {
      video_url: 'https://cdn.example.com/early.mp4',
      m3u8: '//cdn.example.com/early.m3u8',
      m3u8_480: '',
      m3u8_720: '',
      cover_url: '',
      upload_time: '',
      start_time: '',
      end_time: '',
    },
  },
  {
    test: 'a video shows its manager',
    ask: 'GET /v1/videos/{annas}',
    shows: ({ anna, channel_of_anna }) => ({ manager: anna, act_id: channel_of_anna }),
  },
  {
    test: 'a manager reads its own video',
    who: 'anna',
    ask: 'GET /v1/videos/{annas}',
    shows: { name: 'annas' },
  },
  {
    test: 'a manager’s token finds no video of the account’s own',
    who: 'anna',
    ask: 'GET /v1/videos/{late}',
    ...noVideo,
  },
  {
    test: 'another account finds no video',
    who: 'stranger',
    ask: 'GET /v1/videos/{late}',
    ...noVideo,
  },
  ...['0', '-1', '+1', '1.5', 'abc', '%31%00', '..%2f1', '9007199254740993', '99999'].map((id) => ({
    test: `GET of video ${id} finds no video`,
    ask: `GET /v1/videos/${id}`,
    ...noVideo,
  })),
  notAllowed('POST /v1/videos', 'GET, HEAD'),
  notAllowed('DELETE /v1/videos/{late}', 'GET, HEAD'),
  notAllowed('PUT /v1/videos/{late}', 'GET, HEAD'),
];

for (const engine of engines) {
  describe(`videos on ${engine.name}`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(await startTestService(engine));
    });
    afterAll(() => stage.service.stop());

    describe('list', () => play(listing, () => stage));
    describe('title', () => play(searching, () => stage));
    describe('get', () => play(getting, () => stage));

    test('the list shows each video as the single read does, with no other field', async () => {
      const { service } = stage;
      const { videos } = (await service.call('GET', '/v1/videos')).body;
      for (const video of videos) {
        expect(Object.keys(video)).toEqual(videoKeys);
        expect((await service.call('GET', `/v1/videos/${video.id}`)).body).toEqual(video);
      }
    });

    test('the pages of a list hold every video once, newest first', async () => {
      const { service, tokens } = stage;
      const ids: number[] = [];
      let next: string | null = `${service.url}/v1/videos?perPage=4`;
      while (next !== null) {
        const path: string = next.slice(service.url.length);
        const { body } = await service.call('GET', path, { token: tokens['crowd'] ?? '' });
        ids.push(...body.videos.map(({ id }: { id: number }) => id));
        next = body.links.next_url;
      }
      expect(ids).toHaveLength(25);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    });

    test('a video that did not change is answered 304, and HEAD is GET without the body', async () => {
      const { service, ids } = stage;
      const path = `/v1/videos/${ids['late']}`;
      const tag = (await service.call('GET', path)).headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[^"]+"$/);
      const again = await service.call('GET', path, { headers: { 'if-none-match': tag } });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
      const head = await service.call('HEAD', path);
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
      expect(head.headers.get('etag')).toBe(tag);
      expect((await service.call('HEAD', '/v1/videos')).text).toBe('');
    });

    test('a removed manager leaves its videos without a manager', async () => {
      const { service } = stage;
      const account_id = await service.newAccount();
      const token = await service.newToken({ account_id });
      const manager_id = await service.newManager('leaving', account_id);
      await addVideos(service, [{ name: 'left', account_id, manager_id }]);
      await service.store.perform(removeManager, { id: manager_id, now: service.clock.now });
      const { body } = await service.call('GET', '/v1/videos?manager=0', { token });
      expect(body.videos).toMatchObject([{ name: 'left', manager: 0 }]);
      expect(body.meta.total).toBe(1);
    });

    test('PUBLIC_URL and TIME_ZONE shape addresses, links and times', async () => {
      const service = await startTestService(engine, {
        settings: { PUBLIC_URL: 'https://live.example.com', TIME_ZONE: 'Asia/Shanghai' },
      });
      const at = Date.UTC(2026, 4, 1, 19, 30, 2);
      const [id = 0] = await addVideos(service, [
        { name: 'a', video_url: '/recordings/1/video.mp4', upload_time: at },
      ]);
      const { body } = await service.call('GET', '/v1/videos');
      await service.stop();
      expect(body.videos[0]).toMatchObject({
        video_url: 'https://live.example.com/recordings/1/video.mp4',
        watch_url: `https://live.example.com/videos/${id}`,
        embed_url: `https://live.example.com/embed/videos/${id}`,
        upload_time: '2026-05-02 03:30:02',
      });
      expect(body.links.end_url).toBe('https://live.example.com/v1/videos?p=1');
    });
  });
}

async function setStage(service: TestService): Promise<Stage> {
  const ids: Ids = {};
  const tokens: Record<string, string> = {};
  const accounts: Ids = {};
  for (const who of ['stranger', 'library', 'crowd', 'empty']) {
    accounts[who] = await service.newAccount();
    tokens[who] = await service.newToken({ account_id: accounts[who] });
  }
  for (const who of ['anna', 'ben']) {
    const manager_id = await service.newManager(who);
    ids[who] = manager_id;
    tokens[who] = await service.newToken({ manager_id });
  }
  ids['zoe'] = await service.newManager('zoe', accounts['stranger']);
  for (const [name, token] of [
    ['launch', service.token],
    ['channel_of_anna', tokens['anna'] ?? ''],
    ['strangers', tokens['stranger'] ?? ''],
  ] as const)
    ids[name] = (await service.call('POST', '/v1/activities', { token, body: { name } })).body.id;
  const { launch = 0, channel_of_anna = 0, strangers = 0, anna = 0 } = ids;
  const { stranger = 0, crowd = 0 } = accounts;
  const account_id = accounts['library'] ?? 0;
  const videos = [
    {
      name: 'early',
      channel_id: launch,
      video_url: 'https://cdn.example.com/early.mp4',
      m3u8: '//cdn.example.com/early.m3u8',
    },
    { name: 'annas', channel_id: channel_of_anna, manager_id: anna },
    {
      name: 'late',
      channel_id: launch,
      video_url: '/recordings/7/video.mp4',
      video_size: 734_003_200,
      m3u8: '/recordings/7/index.m3u8',
      m3u8_480: '/recordings/7/480.m3u8',
      m3u8_720: '/recordings/7/720.m3u8',
      duration: 3_605,
      width: 1_280,
      height: 720,
      cover_url: '/recordings/7/cover.jpg',
      upload_time: Date.UTC(2026, 4, 1, 20, 30, 9, 999),
      start_time: Date.UTC(2026, 4, 1, 19, 30, 2),
      end_time: Date.UTC(2026, 4, 1, 20, 30, 7),
    },
    { name: 'loose' },
    { name: 'strange', account_id: stranger, channel_id: strangers },
    ...library.map((name) => ({ name, account_id })),
    ...Array.from({ length: 25 }, () => ({ name: 'one of many', account_id: crowd })),
  ];
  const made = await addVideos(service, videos);
  for (const [at, { name }] of videos.entries()) ids[name] = made[at] ?? 0;
  await service.store.perform(setAccount, {
    id: crowd,
    name: undefined,
    plan: undefined,
    auto_save_live_video: false,
  });
  return { service, ids, tokens };
}

function isList(names: readonly string[]) {
  return ({ body }: Reply) => {
    expect(body.videos.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(body.meta).toMatchObject({ total: names.length, page: 1, current: 1 });
  };
}

function isLinked(wanted: { meta: object; next: string | null; end: string }) {
  return ({ body }: Reply, { service: { url } }: Stage) => {
    const of = (query: string) => `${url}/v1/videos?${query}`;
    expect(body.meta).toEqual(wanted.meta);
    expect(body.links).toEqual({
      next_url: wanted.next === null ? null : of(wanted.next),
      end_url: of(wanted.end),
    });
  };
}
