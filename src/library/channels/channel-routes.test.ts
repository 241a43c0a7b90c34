// The channel operations as a caller meets them, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  bodyRules,
  brief,
  expectError,
  type Ids,
  notAllowed,
  perform,
  play,
  refuses,
  refusesInQuery,
  type Scenario,
  type Stage,
  setLive,
  startBeside,
} from '../../../test/support/scenarios.ts';
import { type Reply, startTestService, type TestService } from '../../../test/support/service.ts';
import { removeManager } from '../access/manager-store.ts';

const list = 'GET /v1/activities';
const create = 'POST /v1/activities';
const get = 'GET /v1/activities/{launch}';
const rename = 'PUT /v1/activities/{launch}';
const page = 'PUT /v1/activities/{launch}/page';

// Interface 2.1 and 2.2.
const channelKeys =
  'id name create_at live_status watch_url embed_url page rtmp_publish_addr'.split(' ');
const trafficKeys = ['hls_play_addr', 'rtmp_play_addr'];
const listKeys = ['manager', 'manager_username', 'last_push_stream_at'];
const briefPageKeys =
  'start_time logo pc_logo mobile_logo banner cover_image live_img footer'.split(' ');
const wholePageKeys = [...briefPageKeys, 'bg_color', 'show_qrcode', 'theme', 'public'];

/** Which fields each operation shows; the channel is the same, asked for on either plan. */
const shown = [
  { operation: 'create', ask: create, send: { name: 'a' }, more: [], page: briefPageKeys },
  { operation: 'get', ask: 'GET /v1/activities/{of}', more: [], page: briefPageKeys },
  {
    operation: 'rename',
    ask: 'PUT /v1/activities/{of}',
    send: { name: 'a' },
    more: [],
    page: briefPageKeys,
  },
  { operation: 'page update', ask: 'PUT /v1/activities/{of}/page', more: [], page: wholePageKeys },
  { operation: 'list', ask: list, more: listKeys, page: briefPageKeys },
];

const invalid = { status: 400, code: 400001 };
const missingName = { status: 400, code: 400002, fields: ['name'] };
const badStart = { ...invalid, fields: ['start_time'] };
const noManager = { status: 404, code: 404001 };
const noChannel = { status: 404, code: 404002 };

const creating: Scenario[] = [
  {
    test: 'a channel is made with a name alone and is not live',
    ask: create,
    send: { name: 'Spring launch' },
    shows: {
      name: 'Spring launch',
      create_at: '2026-05-04 12:00:00',
      live_status: 0,
      page: Object.fromEntries(briefPageKeys.map((key) => [key, ''])),
    },
  },
  {
    test: 'the start time of a create is the page’s',
    ask: create,
    send: { name: 'a', start_time: '2026-05-01 19:30:00' },
    shows: { page: { start_time: '2026-05-01 19:30:00' } },
  },
  { test: 'a create without a name misses it', ask: create, send: {}, ...missingName },
  {
    test: 'a create with the name null misses it',
    ask: create,
    send: { name: null },
    ...missingName,
  },
  { test: 'a create with an empty body misses the name', ask: create, send: '', ...missingName },
  { test: 'a create with [] misses the name', ask: create, send: [], ...missingName },
  { test: 'a create without a body misses the name', ask: create, ...missingName },
  {
    test: 'every field at fault is named at once',
    ask: create,
    send: { start_time: 'soon', act_manager_id: -1 },
    ...invalid,
    fields: ['name', 'start_time', 'act_manager_id'],
  },
  ...names(create),
  ...startTimes(create, { name: 'a' }),
  ...[undefined, 0, '0', '', null].map((act_manager_id) => ({
    test: `act_manager_id ${JSON.stringify(act_manager_id)} means no manager`,
    ask: create,
    send: { name: 'a', act_manager_id },
    check: isManagedBy(undefined),
  })),
  {
    test: 'the manager of a create is taken as a number',
    ask: create,
    send: ({ anna }) => ({ name: 'a', act_manager_id: anna }),
    check: isManagedBy('anna'),
  },
  {
    test: 'the manager of a create is taken as a numeric string',
    ask: create,
    send: ({ anna }) => ({ name: 'a', act_manager_id: String(anna) }),
    check: isManagedBy('anna'),
  },
  {
    test: 'an unknown manager is no such user',
    ask: create,
    send: { name: 'a', act_manager_id: 999_999 },
    ...noManager,
  },
  {
    test: 'a manager of another account is no such user',
    ask: create,
    send: ({ zoe }) => ({ name: 'a', act_manager_id: zoe }),
    ...noManager,
  },
  ...refuses(
    create,
    'act_manager_id',
    ['anna', 1.5, '1.5', -1, true, [], {}, '99999999999999999'],
    { name: 'a' },
  ),
  {
    test: 'a channel made with a manager’s token is that manager’s',
    who: 'anna',
    ask: create,
    send: { name: 'a' },
    check: isManagedBy('anna'),
  },
  {
    test: 'act_manager_id 0 under a manager’s token is that manager',
    who: 'anna',
    ask: create,
    send: { name: 'a', act_manager_id: 0 },
    check: isManagedBy('anna'),
  },
  {
    test: 'a manager’s token may name its own manager',
    who: 'anna',
    ask: create,
    send: ({ anna }) => ({ name: 'a', act_manager_id: anna }),
    check: isManagedBy('anna'),
  },
  {
    test: 'a manager’s token may not make another manager’s channel',
    who: 'anna',
    ask: create,
    send: ({ ben }) => ({ name: 'a', act_manager_id: ben }),
    status: 403,
    code: 403002,
  },
  {
    test: 'the addresses of a channel are made of its id and of secrets',
    ask: create,
    send: { name: 'a' },
    check: ({ body }, { service: { url, rtmpPort } }) => {
      const rtmp = `rtmp://127.0.0.1:${rtmpPort}`;
      expect(body.watch_url).toEqual({
        pc: `${url}/watch/${body.id}`,
        mobile: `${url}/m/${body.id}`,
      });
      expect(body.embed_url).toBe(`${url}/embed/${body.id}`);
      // 160 and 128 random bits in base 62.
      expect(body.rtmp_publish_addr).toStartWith(`${rtmp}/live/`);
      expect(body.rtmp_publish_addr).toMatch(/\/live\/[0-9A-Za-z]{27}$/);
      const playId = body.rtmp_play_addr.slice(`${rtmp}/play/`.length);
      expect(playId).toMatch(/^[0-9A-Za-z]{22}$/);
      expect(body.rtmp_play_addr).toBe(`${rtmp}/play/${playId}`);
      expect(body.hls_play_addr).toBe(`${url}/hls/${playId}/live.m3u8`);
      expect(body.rtmp_publish_addr).not.toContain(playId);
    },
  },
];

const noSuchIds = '0 -1 +1 1.5 1e3 abc %31%00 ..%2f..%2fetc 9007199254740993 99999'.split(' ');

const gettingAndRenaming: Scenario[] = [
  {
    test: 'a channel is read without a Content-Type',
    ask: get,
    shows: ({ launch }) => ({ id: launch, name: 'launch' }),
  },
  ...names('PUT /v1/activities/{renamed}'),
  { test: 'a rename without a name misses it', ask: rename, send: {}, ...missingName },
  {
    test: 'a rename with the name null misses it',
    ask: rename,
    send: { name: null },
    ...missingName,
  },
  { test: 'a rename with an empty body misses the name', ask: rename, send: '', ...missingName },
  { test: 'a rename with [] misses the name', ask: rename, send: [], ...missingName },
  {
    test: 'a rename changes the name alone',
    ask: 'PUT /v1/activities/{renamed}',
    send: { name: ' New name ', start_time: '2030-01-01 00:00:00', footer: 'x' },
    shows: { name: 'New name', page: { start_time: '2026-06-01 10:00:00', footer: '' } },
  },
  {
    test: 'a channel keeps its new name',
    ask: 'GET /v1/activities/{renamed}',
    shows: { name: 'New name' },
  },
  ...noSuchIds.flatMap((id) => [
    { test: `GET of channel ${id} finds none`, ask: `GET /v1/activities/${id}`, ...noChannel },
    {
      test: `PUT of channel ${id} finds none`,
      ask: `PUT /v1/activities/${id}`,
      send: { name: 'a' },
      ...noChannel,
    },
    {
      test: `PUT of the page of channel ${id} finds none`,
      ask: `PUT /v1/activities/${id}/page`,
      ...noChannel,
    },
  ]),
];

const longest = `https://cdn.example.com/${'a'.repeat(2_024)}`;
const addressFields = ['pc_logo', 'mobile_logo', 'banner', 'cover_image', 'live_img'];

const paging: Scenario[] = [
  {
    test: 'a page that was never changed shows its defaults',
    ask: page,
    send: {},
    shows: {
      page: {
        ...Object.fromEntries(briefPageKeys.map((key) => [key, ''])),
        bg_color: '',
        show_qrcode: true,
        theme: 'default',
        public: false,
      },
    },
  },
  { test: 'a page update needs no body', ask: page },
  { test: 'a page update takes an empty body', ask: page, send: '' },
  { test: 'a page update takes []', ask: page, send: [] },
  ...startTimes(page, {}),
  ...addressFields.flatMap((field) => [
    ...keeps(field, [`https://cdn.example.com/${field}.png`]),
    ...refuses(page, field, ['logo.png']),
  ]),
  ...keeps('banner', [
    'http://cdn.example.com/a.png',
    'HTTPS://cdn.example.com/a.png?size=2#x',
    '//cdn.example.com/a.png',
    '/files/标志.png',
    longest,
  ]),
  ...refuses(page, 'banner', [
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'ftp://cdn.example.com/a.png',
    'cdn.example.com/a.png',
    'https://',
    '\\\\evil.example\\a.png',
    '/\\evil.example/a.png',
    'https://cdn.example.com/a b.png',
    'java\nscript:alert(1)',
    '/a.png"><script>',
    '/a\u0000.png',
    `${longest}a`,
    7,
    true,
    { url: '/a.png' },
  ]),
  {
    test: 'logo equals pc_logo',
    ask: page,
    send: { pc_logo: '/pc.png' },
    shows: { page: { logo: '/pc.png', pc_logo: '/pc.png' } },
  },
  {
    test: 'logo itself cannot be set',
    ask: page,
    send: { logo: 'anything', pc_logo: '/new.png' },
    shows: { page: { logo: '/new.png', pc_logo: '/new.png' } },
  },
  ...keeps('footer', [
    `${'汉'.repeat(1_999)}🎭`,
    'two\nlines',
    '<b>© 2026</b>',
    "'; DROP TABLE channels; --",
  ]),
  ...refuses(page, 'footer', ['🎭'.repeat(2_001), 'a\u0000b', '\ud800', 5, false, ['a']]),
  ...keeps('bg_color', [
    '#fff',
    '#FFF8',
    '#00aaff',
    '#00AAFF80',
    'rgb(255,255,255,1)',
    'rgb(0, 0, 0)',
    'rgba(12,34,56,0.5)',
    'RGBA(12, 34, 56, .25)',
  ]),
  ...refuses(page, 'bg_color', [
    'red',
    'fff',
    '#ff',
    '#fffff',
    '#ggg',
    'rgb(1,2)',
    'rgb(1,2,3,4,5)',
    'rgb(256,0,0)',
    'rgb(1,2,3',
    'rgb(1,2,3);color:red',
    'url(//evil.example)',
    0xffffff,
  ]),
  ...[
    { came: false, is: false },
    { came: true, is: true },
    { came: 0, is: false },
    { came: 1, is: true },
    { came: '0', is: false },
    { came: '1', is: true },
  ].map(({ came, is }) => ({
    test: `show_qrcode ${JSON.stringify(came)} is ${is}`,
    ask: page,
    send: { show_qrcode: came },
    shows: { page: { show_qrcode: is } },
  })),
  ...refuses(page, 'show_qrcode', [2, -1, 'yes', [], {}]),
  ...keeps('theme', ['tech', 'default']),
  ...refuses(page, 'theme', ['dark', 'Tech', 1, true]),
  {
    test: 'every field of the page at fault is named at once',
    ask: page,
    send: { footer: 1, theme: 'dark', banner: '/fine.png', bg_color: 'red' },
    ...invalid,
    fields: ['footer', 'bg_color', 'theme'],
  },
];

const unmanaged = { manager: 0, manager_username: '' };
const ofMia = (manager: number | undefined) => ({ manager, manager_username: 'mia' });

// The account `lister` has: first (no manager), second (mia), third (mia, live), fourth (no manager, live).
const listing: Scenario[] = [
  {
    test: 'channels come newest first with the fields of the list',
    who: 'lister',
    ask: list,
    shows: ({ first, second, third, fourth, mia }) => ({
      activities: [
        { id: fourth, ...unmanaged, live_status: 1, last_push_stream_at: '2026-05-03 08:15:03' },
        { id: third, ...ofMia(mia), live_status: 1, last_push_stream_at: '2026-05-03 08:15:02' },
        { id: second, ...ofMia(mia), live_status: 0, last_push_stream_at: '' },
        { id: first, ...unmanaged, live_status: 0, last_push_stream_at: '' },
      ],
      meta: { total: 4, page: 1, current: 1 },
      links: { next_url: null },
    }),
  },
  ...[
    { query: 'live=1', names: ['fourth', 'third'] },
    { query: 'live=0', names: ['fourth', 'third', 'second', 'first'] },
    { query: 'live=', names: ['fourth', 'third', 'second', 'first'] },
    { query: 'manager={mia}', names: ['third', 'second'] },
    { query: 'manager=0', names: ['fourth', 'first'] },
    { query: 'manager=', names: ['fourth', 'third', 'second', 'first'] },
    { query: 'manager=999999', names: [] },
    { query: 'manager={anna}', names: [] },
    { query: 'live=1&manager={mia}', names: ['third'] },
    { query: 'live=1&manager=0', names: ['fourth'] },
    { query: 'live=&manager=&p=', names: ['fourth', 'third', 'second', 'first'] },
    { query: 'p=1&p=1', names: ['fourth', 'third', 'second', 'first'] },
    { query: 'nonsense=1', names: ['fourth', 'third', 'second', 'first'] },
    { query: 'nonsense=1&nonsense=2', names: ['fourth', 'third', 'second', 'first'] },
  ].map(({ query, names }) => ({
    test: `the list with ?${query} shows ${names.join(', ') || 'nothing'}`,
    who: 'lister',
    ask: `${list}?${query}`,
    check: isList(names, { total: names.length, page: 1, current: 1 }),
  })),
  ...[
    { who: 'mia', query: '', names: ['third', 'second'] },
    { who: 'mia', query: '?manager={mia}', names: ['third', 'second'] },
    { who: 'mia', query: '?manager=0', names: [] },
    { who: 'mia', query: '?manager={noah}', names: [] },
    { who: 'mia', query: '?live=1', names: ['third'] },
    { who: 'noah', query: '', names: [] },
  ].map(({ who, query, names }) => ({
    test: `${who}’s token lists ${names.join(', ') || 'nothing'} with "${query}"`,
    who,
    ask: list + query,
    check: isList(names, { total: names.length, page: 1, current: 1 }),
  })),
  ...refusesInQuery(list, {
    live: ['2', '-1', 'yes', 'true', '01'],
    manager: ['-1', 'mia', '1.5', '1e3', '99999999999999999'],
    p: ['0', '-1', 'x', '1.5', '2147483648', '%20'],
  }),
  {
    test: 'a parameter with two values is refused',
    ask: `${list}?p=1&p=2`,
    ...invalid,
    fields: ['p'],
  },
  {
    test: 'every parameter at fault is named at once',
    ask: `${list}?live=7&manager=x&p=0`,
    ...invalid,
    fields: ['live', 'manager', 'p'],
  },
  {
    test: 'an account without channels has one empty page',
    who: 'empty',
    ask: list,
    check: ({ body }, { service: { url } }) => {
      expect(body).toEqual({
        activities: [],
        meta: { total: 0, page: 1, current: 1 },
        links: { next_url: null, end_url: `${url}/v1/activities?p=1` },
      });
    },
  },
  // The account `crowd` has 61 channels.
  ...[
    { query: '', rows: 30, current: 1, next: 'p=2', end: 'p=3' },
    { query: 'p=2', rows: 30, current: 2, next: 'p=3', end: 'p=3' },
    { query: 'p=3', rows: 1, current: 3, next: null, end: 'p=3' },
    { query: 'p=4', rows: 0, current: 4, next: null, end: 'p=3' },
    { query: 'p=102', rows: 0, current: 102, next: null, end: 'p=3' },
    { query: 'p=2147483647', rows: 0, current: 2147483647, next: null, end: 'p=3' },
    { query: 'perPage=5', rows: 30, current: 1, next: 'perPage=5&p=2', end: 'perPage=5&p=3' },
    {
      query: 'live=0&p=1&manager=0',
      rows: 30,
      current: 1,
      next: 'live=0&p=2&manager=0',
      end: 'live=0&p=3&manager=0',
    },
    {
      query: 'x=%E4%B8%AD+%26',
      rows: 30,
      current: 1,
      next: 'x=%E4%B8%AD+%26&p=2',
      end: 'x=%E4%B8%AD+%26&p=3',
    },
  ].map(({ query, rows, current, next, end }) => ({
    test: `of 61 channels ?${query} shows ${rows} and the next page is ${next}`,
    who: 'crowd',
    ask: query === '' ? list : `${list}?${query}`,
    check: ({ body }: Reply, { service: { url } }: Stage) => {
      const of = (search: string) => `${url}/v1/activities?${search}`;
      expect(body.activities).toHaveLength(rows);
      expect(body.meta).toEqual({ total: 61, page: 3, current });
      expect(body.links).toEqual({ next_url: next && of(next), end_url: of(end) });
    },
  })),
];

const unknownPath = { status: 404, code: 404000 };

const edge: Scenario[] = [
  { test: 'an unknown path is no such path', ask: 'GET /v1/nothing', ...unknownPath },
  { test: 'a path in capitals is no such path', ask: 'GET /V1/activities', ...unknownPath },
  {
    test: 'a path with two slashes more is no such path',
    ask: 'GET /v1/activities//',
    ...unknownPath,
  },
  { test: 'another version is no such path', ask: 'GET /v2/activities', ...unknownPath },
  notAllowed('DELETE /v1/activities', 'GET, HEAD, POST'),
  notAllowed('PUT /v1/activities', 'GET, HEAD, POST'),
  notAllowed('OPTIONS /v1/activities', 'GET, HEAD, POST'),
  notAllowed('PATCH /v1/activities/{launch}', 'GET, HEAD, PUT, DELETE'),
  notAllowed('POST /v1/activities/{launch}', 'GET, HEAD, PUT, DELETE'),
  notAllowed('GET /v1/activities/{launch}/page', 'PUT'),
  notAllowed('POST /v1/activities/{launch}/page', 'PUT'),
  {
    test: 'an answer is JSON that no cache keeps',
    ask: list,
    check: ({ headers }) => {
      expect(headers.get('content-type')).toStartWith('application/json');
      expect(headers.get('cache-control')).toBe('no-store');
    },
  },
  {
    test: 'the interface does not open itself to pages of other origins',
    ask: list,
    headers: { origin: 'https://evil.example' },
    check: ({ headers }) => expect(headers.has('access-control-allow-origin')).toBeFalse(),
  },
  {
    test: 'the caller’s request id comes back',
    ask: list,
    headers: { 'x-request-id': 'order-7.A:b_c' },
    check: ({ headers }) => expect(headers.get('x-request-id')).toBe('order-7.A:b_c'),
  },
  {
    test: 'the caller’s request id comes back in an error and its body',
    ask: `${list}?p=0`,
    headers: { 'x-request-id': 'order-8' },
    ...invalid,
    fields: ['p'],
    check: ({ body }) => expect(body.errors.request_id).toBe('order-8'),
  },
  ...['two words', 'a'.repeat(129), '<script>'].map((id) => ({
    test: `the request id ${brief(id)} is replaced by one of ours`,
    ask: list,
    headers: { 'x-request-id': id },
    check: ({ headers }: Reply) =>
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  })),
  {
    test: 'a message says what came and what was wanted',
    ask: `${list}?p=0`,
    ...invalid,
    fields: ['p'],
    shows: { errors: { fields: [{ message: 'p must be 1 to 2147483647 (got "0")' }] } },
  },
  {
    test: 'a call without a token is told how to authenticate',
    ask: list,
    who: 'nobody',
    status: 401,
    code: 401001,
    check: ({ headers }) => expect(headers.get('www-authenticate')).toBe('Bearer'),
  },
];

for (const engine of engines) {
  describe(`channels on ${engine.name}`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(await startTestService(engine));
    });
    afterAll(() => stage.service.stop());

    describe('fields', () => {
      for (const plan of ['traffic', 'standard'] as const) {
        for (const { operation, more, page: pageKeys, ...asked } of shown) {
          const keys = [...channelKeys, ...(plan === 'traffic' ? trafficKeys : []), ...more];
          test(`${operation} on plan ${plan} shows ${keys.length} fields and ${pageKeys.length} of the page`, async () => {
            const ids = { of: stage.ids[plan] ?? 0 };
            const reply = await perform({ test: '', who: plan, ...asked }, { ...stage, ids });
            const channel = operation === 'list' ? reply.body.activities[0] : reply.body;
            expect(Object.keys(channel).sort()).toEqual(keys.sort());
            expect(Object.keys(channel.page).sort()).toEqual([...pageKeys].sort());
          });
        }
      }
    });

    describe('create', () => play([...creating, ...bodyRules(create, { name: 'a' })], () => stage));
    describe('get and rename', () =>
      play([...gettingAndRenaming, ...bodyRules(rename, { name: 'launch' })], () => stage));
    describe('page', () => play([...paging, ...bodyRules(page, { footer: 'a' })], () => stage));
    describe('list', () => play(listing, () => stage));
    describe('edge', () => play(edge, () => stage));

    test('a page update changes only the fields it names, and "" and null do what they say', async () => {
      const { service } = stage;
      const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a' } })).body;
      const put = async (body: unknown) =>
        (await service.call('PUT', `/v1/activities/${id}/page`, { body })).body.page;
      const all = {
        start_time: '2026-05-01 19:30:00',
        pc_logo: '/pc.png',
        mobile_logo: '/mobile.png',
        banner: '/banner.png',
        cover_image: '/cover.png',
        live_img: '/live.png',
        footer: 'text',
        bg_color: '#fff',
        show_qrcode: false,
        theme: 'tech',
        public: true,
      };
      expect(await put(all)).toEqual({ ...all, logo: '/pc.png' });
      expect(await put({ banner: '/other.png' })).toEqual({
        ...all,
        logo: '/pc.png',
        banner: '/other.png',
      });
      const nulls = Object.fromEntries(Object.keys(all).map((key) => [key, null]));
      expect(await put(nulls)).toEqual({ ...all, logo: '/pc.png', banner: '/other.png' });
      const stored = (await service.call('GET', `/v1/activities/${id}`)).body.page;
      expect(stored).toMatchObject({ pc_logo: '/pc.png', banner: '/other.png', footer: 'text' });
      const empties = Object.fromEntries(Object.keys(all).map((key) => [key, '']));
      const texts = Object.fromEntries([...briefPageKeys, 'bg_color'].map((key) => [key, '']));
      expect(await put(empties)).toEqual({
        ...texts,
        show_qrcode: true,
        theme: 'default',
        public: false,
      });
    });

    test('page updates at the same time lose nothing of each other', async () => {
      const { service } = stage;
      const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a' } })).body;
      for (let round = 1; round <= 10; round++) {
        const changes = [...addressFields, 'footer'].map((field) => ({ [field]: `/${round}` }));
        await Promise.all(
          changes.map((body) => service.call('PUT', `/v1/activities/${id}/page`, { body })),
        );
        const { body } = await service.call('GET', `/v1/activities/${id}`);
        expect(body.page).toMatchObject(Object.assign({}, ...changes));
      }
    });

    test('each create makes a channel with keys of its own', async () => {
      const made = await Promise.all(
        Array.from({ length: 10 }, () =>
          stage.service.call('POST', '/v1/activities', { body: { name: 'same' } }),
        ),
      );
      for (const key of ['id', 'rtmp_publish_addr', 'rtmp_play_addr', 'hls_play_addr'])
        expect(new Set(made.map(({ body }) => body[key])).size).toBe(10);
    });

    test('the pages of a list hold every channel once, newest first', async () => {
      const { service, tokens } = stage;
      const ids: number[] = [];
      let next: string | null = `${service.url}/v1/activities`;
      while (next !== null) {
        const path: string = next.slice(service.url.length);
        const { body } = await service.call('GET', path, { token: tokens['crowd'] ?? '' });
        ids.push(...body.activities.map(({ id }: { id: number }) => id));
        next = body.links.next_url;
      }
      expect(ids).toHaveLength(61);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    });

    test('a removed manager leaves its channels without a manager, and its token ends', async () => {
      const { service } = stage;
      const account_id = await service.newAccount();
      const token = await service.newToken({ account_id });
      const manager_id = await service.newManager('leaving', account_id);
      const managers = await service.newToken({ account_id, manager_id });
      await service.call('POST', '/v1/activities', { token, body: { name: 'own' } });
      await service.call('POST', '/v1/activities', { token: managers, body: { name: 'theirs' } });
      await service.store.perform(removeManager, { id: manager_id, now: service.clock.now });
      const { body } = await service.call('GET', '/v1/activities?manager=0', { token });
      expect(body.meta.total).toBe(2);
      expect(body.activities).toMatchObject([
        { name: 'theirs', manager: 0, manager_username: '' },
        { name: 'own', manager: 0, manager_username: '' },
      ]);
      const past = await service.call('GET', `/v1/activities?manager=${manager_id}`, { token });
      expect(past.body.meta.total).toBe(0);
      expect((await service.call('GET', '/v1/activities', { token: managers })).status).toBe(401);
    });

    describe('Idempotency-Key', () => {
      const hourMs = 3_600_000;
      const createWith = (key: string, body: object, token?: string) =>
        stage.service.call('POST', '/v1/activities', {
          body,
          headers: { 'idempotency-key': key },
          ...(token !== undefined && { token }),
        });

      test('a second create with the same key and body answers the first one’s channel', async () => {
        const body = { name: 'once', start_time: '2026-05-01 19:30:00' };
        const first = await createWith('twice', body);
        const second = await createWith('twice', { ...body, name: ' once ', nonsense: 1 });
        expect(second.status).toBe(200);
        expect(second.body).toEqual(first.body);
      });

      test('the same key with another body is refused', async () => {
        await createWith('bodies', { name: 'one' });
        for (const body of [
          { name: 'two' },
          { name: 'one', start_time: '2026-05-01 19:30:00' },
          { name: 'one', act_manager_id: stage.ids['anna'] },
        ])
          expectError(await createWith('bodies', body), {
            ...invalid,
            fields: ['Idempotency-Key'],
          });
      });

      test('the same key of another account or manager makes a channel of its own', async () => {
        const body = { name: 'shared key' };
        const made = [
          await createWith('shared', body),
          await createWith('shared', body, stage.tokens['stranger']),
          await createWith('shared', body, stage.tokens['anna']),
          await createWith('shared', body, stage.tokens['ben']),
        ];
        expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect(new Set(made.map((reply) => reply.body.id)).size).toBe(4);
      });

      test('a key is known for 24 hours and then makes a new channel', async () => {
        const { clock } = stage.service;
        const startedAt = clock.now;
        const first = await createWith('day', { name: 'a' });
        clock.now = startedAt + 24 * hourMs - 1;
        const replayed = await createWith('day', { name: 'a' });
        clock.now = startedAt + 24 * hourMs;
        const made = await createWith('day', { name: 'another name is no conflict now' });
        clock.now = startedAt;
        expect(replayed.body.id).toBe(first.body.id);
        expect(made.status).toBe(200);
        expect(made.body.id).not.toBe(first.body.id);
      });

      test('a create that was refused does not use up its key', async () => {
        const refused = await createWith('refused', { name: 'a', act_manager_id: 999_999 });
        expectError(refused, noManager);
        expect((await createWith('refused', { name: 'b' })).status).toBe(200);
      });

      test('20 creates at once with one key make one channel', async () => {
        const token = stage.tokens['racer'];
        const made = await Promise.all(
          Array.from({ length: 20 }, () => createWith('race', { name: 'a' }, token)),
        );
        expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
        expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
        const { body } = await stage.service.call('GET', '/v1/activities', { token: token ?? '' });
        expect(body.meta.total).toBe(1);
        expect(body.activities).toHaveLength(1);
      });

      for (const key of ['two words', 'ключ', 'a'.repeat(256)])
        test(`the key ${brief(key)} is refused`, async () => {
          const reply = await createWith(Buffer.from(key).toString('latin1'), { name: 'a' });
          expectError(reply, { ...invalid, fields: ['Idempotency-Key'] });
        });
    });

    describe('an account that has all its channels', () => {
      const full = { status: 403, code: 403002 };
      let service: TestService;
      beforeAll(async () => {
        service = await startTestService(engine, { settings: { CHANNELS_PER_ACCOUNT: '5' } });
      });
      afterAll(() => service.stop());
      const createAs = (token: string, headers: Record<string, string> = {}) =>
        service.call('POST', '/v1/activities', { token, headers, body: { name: 'one more' } });

      test('of 20 creates at once exactly the first so many are made', async () => {
        const { token } = service;
        const made = await Promise.all(Array.from({ length: 20 }, () => createAs(token)));
        const refused = made.filter(({ status }) => status !== 200);
        expect(refused).toHaveLength(15);
        for (const reply of refused) {
          expectError(reply, full);
          expect(reply.body.errors.message).toBe(
            'This account has its 5 channels, and may have no more',
          );
        }
        const { body } = await service.call('GET', '/v1/activities', { token });
        expect(body.meta.total).toBe(5);
        expect(body.activities).toHaveLength(5);
      });

      test('still gets the answer of a create that it made, and another account is not full', async () => {
        const token = await service.newToken({ account_id: await service.newAccount() });
        const headers = { 'idempotency-key': 'fifth' };
        for (let made = 0; made < 4; made += 1) await createAs(token);
        const fifth = await createAs(token, headers);
        expect(fifth.status).toBe(200);
        expectError(await createAs(token, { 'idempotency-key': 'sixth' }), full);
        expect((await createAs(token, headers)).body.id).toBe(fifth.body.id);
        expectError(await createAs(token, { 'idempotency-key': 'sixth' }), full);
      });
    });

    describe('ETag', () => {
      test('a channel that did not change is answered 304 without a body', async () => {
        const { service, ids } = stage;
        const path = `/v1/activities/${ids['launch']}`;
        const first = await service.call('GET', path);
        const tag = first.headers.get('etag') ?? '';
        expect(tag).toMatch(/^"[^"]+"$/);
        for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
          const again = await service.call('GET', path, { headers: { 'if-none-match': known } });
          expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
          expect(again.headers.get('etag')).toBe(tag);
        }
        const other = await service.call('GET', path, { headers: { 'if-none-match': '"other"' } });
        expect({ status: other.status, body: other.body }).toEqual({
          status: 200,
          body: first.body,
        });
      });

      test('a channel that changed is answered whole with another tag', async () => {
        const { service, ids } = stage;
        const path = `/v1/activities/${ids['tagged']}`;
        const tag = (await service.call('GET', path)).headers.get('etag') ?? '';
        await service.call('PUT', `${path}/page`, { body: { footer: 'changed' } });
        const reply = await service.call('GET', path, { headers: { 'if-none-match': tag } });
        expect(reply.status).toBe(200);
        expect(reply.body.page.footer).toBe('changed');
        expect(reply.headers.get('etag')).not.toBe(tag);
      });

      test('lists carry no tag', async () => {
        const reply = await stage.service.call('GET', '/v1/activities', {
          headers: { 'if-none-match': '*' },
        });
        expect(reply.status).toBe(200);
        expect(reply.headers.has('etag')).toBeFalse();
      });
    });

    describe('HEAD', () => {
      for (const { path, status } of [
        { path: '/v1/activities', status: 200 },
        { path: '/v1/activities/{launch}', status: 200 },
        { path: '/v1/activities/0', status: 404 },
      ])
        test(`HEAD ${path} is GET without the body`, async () => {
          const { service, ids } = stage;
          const at = path.replace('{launch}', String(ids['launch']));
          const got = await service.call('GET', at);
          const head = await service.call('HEAD', at);
          expect({ status: head.status, text: head.text }).toEqual({ status, text: '' });
          for (const name of ['content-type', 'etag', 'cache-control'])
            expect(head.headers.get(name)).toBe(got.headers.get(name));
        });

      test('HEAD of an operation that is no GET is not allowed', async () => {
        const reply = await stage.service.call(
          'HEAD',
          `/v1/activities/${stage.ids['launch']}/page`,
        );
        expect(reply.status).toBe(405);
        expect(reply.headers.get('allow')).toBe('PUT');
      });
    });

    describe('bodies on the wire', () => {
      const send = async (body: Bun.BodyInit) => {
        const { url, token } = stage.service;
        const response = await fetch(`${url}/v1/activities`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body,
        });
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
      };
      const bytes = (text: string) => new TextEncoder().encode(text);
      const good = bytes('{"name":"on the wire"}');

      test('a body without a Content-Type is JSON', async () => {
        expect((await send(good)).body.name).toBe('on the wire');
      });

      test('a body in chunks is read whole', async () => {
        const parts = [good.subarray(0, 5), good.subarray(5, 12), good.subarray(12)];
        expect((await send(inChunks(parts))).body.name).toBe('on the wire');
      });

      test('chunks of more than 64 KB in all are too large', async () => {
        const chunks = Array.from({ length: 17 }, () => bytes(' '.repeat(4_096)));
        const reply = await send(inChunks([...chunks, good]));
        expectError(reply, { status: 413, code: 413001 });
      });

      test('a body that is no UTF-8 is refused', async () => {
        const broken = new Uint8Array([...bytes('{"name":"'), 0xff, 0xfe, ...bytes('"}')]);
        expectError(await send(broken), invalid);
      });
    });

    describe('addresses', () => {
      test('without PUBLIC_URL they start with the host that the request names', async () => {
        const { service, ids } = stage;
        const id = ids['launch'];
        for (const [host, rtmp] of [
          ['phone.local:8080', 'rtmp://phone.local'],
          ['live.example.com', 'rtmp://live.example.com'],
          ['[::1]:8080', 'rtmp://[::1]'],
        ]) {
          const asked = { headers: { host: host as string } };
          const { body } = await service.call('GET', `/v1/activities/${id}`, asked);
          expect(body.watch_url.pc).toBe(`http://${host}/watch/${id}`);
          expect(body.hls_play_addr).toStartWith(`http://${host}/hls/`);
          expect(body.rtmp_publish_addr).toStartWith(`${rtmp}:${service.rtmpPort}/live/`);
          const listed = (await service.call('GET', '/v1/activities', asked)).body;
          expect(listed.links.end_url).toStartWith(`http://${host}/v1/activities?p=`);
        }
      });

      for (const host of ['user@evil.example', 'evil"example'])
        test(`the host ${host} is refused, and not repeated`, async () => {
          const { status, body, text } = await stage.service.call('GET', '/v1/activities', {
            headers: { host },
          });
          expect([status, body.errors.code]).toEqual([400, 400001]);
          expect(text).not.toContain('evil');
        });
    });

    describe('settings', () => {
      let elsewhere: TestService;
      beforeAll(async () => {
        elsewhere = await startTestService(engine, {
          settings: {
            TIME_ZONE: 'Europe/Berlin',
            PUBLIC_URL: 'https://live.example.com/',
            RTMP_PUBLIC_URL: 'rtmp://push.example.com:2935',
          },
        });
      });
      afterAll(() => elsewhere.stop());

      test('PUBLIC_URL and RTMP_PUBLIC_URL start every address, whatever host the request names', async () => {
        const { body } = await elsewhere.call('POST', '/v1/activities', {
          body: { name: 'a' },
          headers: { host: 'other.example' },
        });
        const { id } = body;
        expect(body).toMatchObject({
          watch_url: {
            pc: `https://live.example.com/watch/${id}`,
            mobile: `https://live.example.com/m/${id}`,
          },
          embed_url: `https://live.example.com/embed/${id}`,
          hls_play_addr: expect.stringMatching(
            /^https:\/\/live\.example\.com\/hls\/\w+\/live\.m3u8$/,
          ),
          rtmp_publish_addr: expect.stringMatching(/^rtmp:\/\/push\.example\.com:2935\/live\/\w+$/),
          rtmp_play_addr: expect.stringMatching(/^rtmp:\/\/push\.example\.com:2935\/play\/\w+$/),
        });
        const listed = (await elsewhere.call('GET', '/v1/activities')).body;
        expect(listed.links.end_url).toBe('https://live.example.com/v1/activities?p=1');
      });

      test('times are shown and read in TIME_ZONE', async () => {
        const { body } = await elsewhere.call('POST', '/v1/activities', {
          body: { name: 'a', start_time: '2026-12-24 20:00:00' },
        });
        expect(body.create_at).toBe('2026-05-04 14:00:00');
        expect(body.page.start_time).toBe('2026-12-24 20:00:00');
      });

      test('a start time that the clocks skip is refused, one they repeat is taken', async () => {
        const startingAt = (start_time: string) =>
          elsewhere.call('POST', '/v1/activities', { body: { name: 'a', start_time } });
        expectError(await startingAt('2026-03-29 02:30:00'), badStart);
        const twice = await startingAt('2026-10-25 02:30:00');
        expect(twice.body.page.start_time).toBe('2026-10-25 02:30:00');
      });

      test('without RTMP_PUBLIC_URL the host of PUBLIC_URL and RTMP_PORT serve', async () => {
        const service = await startTestService(engine, {
          settings: { PUBLIC_URL: 'https://live.example.com:8443', RTMP_PORT: '1936' },
        });
        const { body } = await service.call('POST', '/v1/activities', { body: { name: 'a' } });
        await service.stop();
        expect(body.rtmp_publish_addr).toStartWith('rtmp://live.example.com:1936/live/');
        expect(body.rtmp_play_addr).toStartWith('rtmp://live.example.com:1936/play/');
      });
    });

    test('channels, pages and keys are there after a restart', async () => {
      // The port is another after the restart; the addresses are to be the same.
      const settings = { RTMP_PUBLIC_URL: 'rtmp://live.example.com' };
      const service = await startTestService(engine, { settings });
      const made = await service.call('POST', '/v1/activities', {
        body: { name: 'kept', start_time: '2026-05-01 19:30:00' },
        headers: { host: 'live.example.com', 'idempotency-key': 'kept' },
      });
      await service.stop();
      const again = await startBeside(engine, service);
      const asked = { headers: { host: 'live.example.com', 'idempotency-key': 'kept' } };
      const read = await again.call('GET', `/v1/activities/${made.body.id}`, asked);
      const replayed = await again.call('POST', '/v1/activities', {
        body: { name: 'kept', start_time: '2026-05-01 19:30:00' },
        ...asked,
      });
      await again.stop();
      expect(read.body).toEqual(made.body);
      expect(replayed.body).toEqual(made.body);
    });
  });
}

async function setStage(service: TestService): Promise<Stage> {
  const ids: Ids = {};
  const tokens: Record<string, string> = {};
  const newHolder = async (who: string, plan: 'traffic' | 'standard' = 'traffic') => {
    const account_id = await service.newAccount(plan);
    tokens[who] = await service.newToken({ account_id });
    return account_id;
  };
  const newManager = async (who: string, account_id: number) => {
    const manager_id = await service.newManager(who, account_id);
    ids[who] = manager_id;
    tokens[who] = await service.newToken({ account_id, manager_id });
  };
  const newChannel = async (name: string, who?: string, more: object = {}) => {
    const token = who === undefined ? service.token : (tokens[who] ?? '');
    const { body } = await service.call('POST', '/v1/activities', {
      token,
      body: { name, ...more },
    });
    ids[name] = body.id;
  };
  await newManager('anna', 1);
  await newManager('ben', 1);
  await newManager('zoe', await newHolder('stranger'));
  await newHolder('empty');
  await newHolder('racer');
  await newHolder('traffic');
  await newHolder('standard', 'standard');
  const lister = await newHolder('lister');
  await newManager('mia', lister);
  await newManager('noah', lister);
  await newChannel('launch');
  await newChannel('tagged');
  await newChannel('renamed', undefined, { start_time: '2026-06-01 10:00:00' });
  await newChannel('traffic', 'traffic');
  await newChannel('standard', 'standard');
  await newChannel('first', 'lister');
  await newChannel('second', 'mia');
  await newChannel('third', 'mia');
  await newChannel('fourth', 'lister');
  await setLive(service, ids['third'] ?? 0, Date.UTC(2026, 4, 3, 8, 15, 2));
  await setLive(service, ids['fourth'] ?? 0, Date.UTC(2026, 4, 3, 8, 15, 3));
  await newHolder('crowd');
  const token = tokens['crowd'] ?? '';
  const body = { name: 'one of many' };
  const crowd = Array.from({ length: 61 }, () =>
    service.call('POST', '/v1/activities', { token, body }),
  );
  await Promise.all(crowd);
  return { service, ids, tokens };
}

/** What holds for a name wherever one is given. */
function names(ask: string): Scenario[] {
  const kept = [
    'a',
    'x'.repeat(255),
    '🎭'.repeat(255),
    '春季发布会',
    "Robert'); DROP TABLE channels;--",
    '<script>alert(1)</script>',
  ];
  return [
    ...kept.map((name) => ({
      test: `${ask}: the name ${brief(name)} is kept`,
      ask,
      send: { name },
      shows: { name },
    })),
    {
      test: `${ask}: a name is trimmed before it is counted`,
      ask,
      send: { name: ` \t${'x'.repeat(255)}\n ` },
      shows: { name: 'x'.repeat(255) },
    },
    ...refuses(ask, 'name', ['', '   ', 'x'.repeat(256), '🎭'.repeat(256)]),
    ...refuses(ask, 'name', ['a\u0000b', '\ud83c', 5, true, [], {}]),
  ];
}

/** One scenario for each value that a field of the page is kept and shown with, as written. */
function keeps(field: string, values: readonly string[]): Scenario[] {
  return values.map((value) => ({
    test: `${field} ${brief(value)} is kept as written`,
    ask: page,
    send: { [field]: value },
    shows: { page: { [field]: value } },
  }));
}

/** What holds for a start time wherever one is given. */
function startTimes(ask: string, rest: object): Scenario[] {
  const kept = ['2026-05-01 19:30:00', '2024-02-29 00:00:00', '9999-12-31 23:59:59', ''];
  const refused = [
    '2026-05-01 19:30',
    '2026-05-01T19:30:00',
    '2026-05-01 19:30:00Z',
    '2026-05-01',
    '2026-02-29 00:00:00',
    '2026-13-01 00:00:00',
    '2026-05-01 24:00:00',
    '2026-05-01 19:60:00',
    'tomorrow',
    ' ',
    1777663800,
    true,
    {},
  ];
  return [
    ...kept.map((start_time) => ({
      test: `${ask}: the start time ${JSON.stringify(start_time)} is kept`,
      ask,
      send: { ...rest, start_time },
      shows: { page: { start_time } },
    })),
    ...refuses(ask, 'start_time', refused, rest),
  ];
}

/** The newest channel of the owner's list is the one just made, and it is this manager's. */
function isManagedBy(who: string | undefined) {
  return async ({ body }: Reply, { service, ids }: Stage) => {
    const newest = (await service.call('GET', '/v1/activities')).body.activities[0];
    expect(newest).toMatchObject({
      id: body.id,
      manager: who === undefined ? 0 : ids[who],
      manager_username: who ?? '',
    });
  };
}

function isList(names: readonly string[], meta: object) {
  return ({ body }: Reply) => {
    expect(body.activities.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(body.meta).toEqual(meta);
  };
}

/** A body without a length, sent in chunks. */
function inChunks(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
