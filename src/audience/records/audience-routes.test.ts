// Watch records and visitors as a caller meets them, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  addVisits,
  bodyRules,
  type Ids,
  notAllowed,
  perform,
  play,
  refuses,
  type Scenario,
  type Stage,
  type Visit,
} from '../../../test/support/scenarios.ts';
import { type Reply, startTestService, type TestService } from '../../../test/support/service.ts';

const records = 'POST /v1/activities/{show}/userRecords';
const visitors = 'POST /v1/activities/{show}/visitors';
const both = [records, visitors];

const invalid = { status: 400, code: 400001 };
const noChannel = { status: 404, code: 404002 };

/** The visits of the channel `show`, in order of entering: five by four viewers. */
const visits: Visit[] = [
  { viewer_id: 'ada', at: utc('09:00:00.000'), watch_ms: 999 },
  { viewer_id: 'bob', at: utc('09:00:00.999'), watch_ms: 1_000 },
  { viewer_id: 'cyd', at: utc('09:00:59.500'), watch_ms: 59_999 },
  { viewer_id: 'dan', at: utc('09:01:00.000'), watch_ms: 60_000 },
  {
    viewer_id: 'ada',
    at: utc('10:30:15.250'),
    nick: 'Ada 🎭',
    addr: '广东省深圳市',
    phone: '+44 20 7946 0000',
    device: 'iPhone',
    browser: 'WeChat',
    origin: 'example.com',
    ip: '203.0.113.9',
    // 30 h 2 min 3.9 s online, of which 26 h 59.999 s watched.
    online_ms: 108_123_900,
    watch_ms: 93_659_999,
    last_seen_at: utc('10:30:15.250') + 108_123_900,
  },
];

/** What is sent for, and whose records come, newest entry first. */
const periods: { send: object; found: string[] }[] = [
  { send: {}, found: ['ada', 'dan', 'cyd', 'bob', 'ada'] },
  { send: { start_time: '', end_time: '' }, found: ['ada', 'dan', 'cyd', 'bob', 'ada'] },
  { send: { start_time: null, end_time: null }, found: ['ada', 'dan', 'cyd', 'bob', 'ada'] },
  // A time of entering is cut to its second: bob entered at 09:00:00.999.
  { send: { end_time: '2026-05-04 09:00:00' }, found: ['bob', 'ada'] },
  { send: { start_time: '2026-05-04 09:00:00' }, found: ['ada', 'dan', 'cyd', 'bob', 'ada'] },
  { send: { start_time: '2026-05-04 09:00:01' }, found: ['ada', 'dan', 'cyd'] },
  {
    send: { start_time: '2026-05-04 09:00:00', end_time: '2026-05-04 09:00:00' },
    found: ['bob', 'ada'],
  },
  { send: { end_time: '2026-05-04 08:59:59' }, found: [] },
  { send: { start_time: '2026-05-04 10:30:15' }, found: ['ada'] },
  { send: { start_time: '2026-05-04 10:30:16' }, found: [] },
  // Without seconds: from the first second of the minute, to the last.
  { send: { start_time: '2026-05-04 09:01' }, found: ['ada', 'dan'] },
  { send: { end_time: '2026-05-04 09:00' }, found: ['cyd', 'bob', 'ada'] },
  { send: { end_time: '2026-05-04 09:00:58' }, found: ['bob', 'ada'] },
  {
    send: { start_time: '2026-05-04 09:00', end_time: '2026-05-04 09:00' },
    found: ['cyd', 'bob', 'ada'],
  },
  { send: { start_time: '2026-05-04 09:00:30', end_time: '2026-05-04 09:00' }, found: ['cyd'] },
  {
    send: { start_time: '0001-01-01 00:00:00', end_time: '9999-12-31 23:59:59' },
    found: ['ada', 'dan', 'cyd', 'bob', 'ada'],
  },
];

const badTimes = [
  '2026-05-04T09:00:00',
  '2026-05-04 09:00:00Z',
  '2026-05-04 9:00:00',
  '2026-05-04',
  '2026-02-30 00:00:00',
  '2026-02-30 00:00',
  '2026-05-04 24:00:00',
  '2026-05-04 09:60',
  'yesterday1234567',
  1777885200,
  true,
  [],
];

const watchRecords: Scenario[] = [
  {
    test: 'a watch record has every field, minutes in its times and hours past 24',
    ask: records,
    send: { perPage: 1 },
    check: ({ body }) => {
      expect(body).toEqual([
        {
          record_id: expect.any(Number),
          user_id: 'ada',
          nick: 'Ada 🎭',
          addr: '广东省深圳市',
          online_time: '30:02:03',
          watch_time: '26:00:59',
          phone: '+44 20 7946 0000',
          first_login_time: '2026-05-04 10:30',
          last_online_time: '2026-05-05 16:32',
          device: 'iPhone',
          browser: 'WeChat',
          origin: 'example.com',
        },
      ]);
    },
  },
  {
    test: 'record ids rise with the entries',
    ask: records,
    send: { filter_watch_time: 0 },
    check: ({ body }) => {
      const ids = body.map(({ record_id }: { record_id: number }) => record_id);
      expect(ids).toEqual([...new Set<number>(ids)].sort((a, b) => b - a));
    },
  },
  ...periods.map(({ send, found }) => ({
    test: `the period ${JSON.stringify(send)} holds ${found.join(', ') || 'nobody'}`,
    ask: records,
    send: { ...send, filter_watch_time: 0 },
    check: areRecords(found),
  })),
  {
    test: 'a period is filtered too',
    ask: records,
    send: { end_time: '2026-05-04 09:00:00' },
    check: areRecords(['bob']),
  },
  {
    test: 'a start after the end is refused',
    ask: records,
    send: { start_time: '2026-05-04 09:00:01', end_time: '2026-05-04 09:00:00' },
    ...invalid,
    fields: ['start_time'],
  },
  {
    test: 'a start minute after the end minute is refused',
    ask: records,
    send: { start_time: '2026-05-04 09:01', end_time: '2026-05-04 09:00' },
    ...invalid,
    fields: ['start_time'],
  },
  ...refuses(records, 'start_time', badTimes),
  ...refuses(records, 'end_time', badTimes),
  ...[undefined, 1, '1', '', null].map((filter_watch_time) => ({
    test: `filter_watch_time ${JSON.stringify(filter_watch_time)} leaves out who watched less than a second`,
    ask: records,
    send: { filter_watch_time },
    check: areRecords(['ada', 'dan', 'cyd', 'bob']),
  })),
  ...[0, '0'].map((filter_watch_time) => ({
    test: `filter_watch_time ${JSON.stringify(filter_watch_time)} leaves out nobody`,
    ask: records,
    send: { filter_watch_time },
    check: areRecords(['ada', 'dan', 'cyd', 'bob', 'ada']),
  })),
  ...refuses(records, 'filter_watch_time', [2, -1, 'yes', '01', true, []]),
  {
    test: 'every field at fault is named at once',
    ask: records,
    send: { start_time: 'x', end_time: 'y', perPage: 101, p: 0, filter_watch_time: 3 },
    ...invalid,
    fields: ['start_time', 'end_time', 'perPage', 'p', 'filter_watch_time'],
  },
];

const visitorSummaries: Scenario[] = [
  {
    test: 'a visitor has every field, seconds in its times and both spellings of referer',
    ask: visitors,
    send: { direction: 'asc', perPage: 1 },
    check: ({ body }, { ids }) => {
      expect(body).toEqual([
        {
          id: ids['show'],
          uin: 1,
          name: 'show',
          addr: '广东省深圳市',
          visitor_id: 'ada',
          nick: 'Ada 🎭',
          watch_time: '26:01:00',
          phone: '+44 20 7946 0000',
          referer: 'example.com',
          refer: 'example.com',
          visit_times: 2,
          first_login_time: '2026-05-04 09:00:00',
          last_online_time: '2026-05-05 16:32:19',
          device: 'iPhone',
          browser: 'WeChat',
          last_ip: '203.0.113.9',
          share_times: 0,
          comment_count: 0,
        },
      ]);
    },
  },
  {
    test: 'uin is the account’s id',
    who: 'stranger',
    ask: 'POST /v1/activities/{strangers}/visitors',
    shows: ({ stranger, strangers }) => [{ uin: stranger, id: strangers, name: 'strangers' }],
  },
  ...[undefined, 'desc', '', null].map((direction) => ({
    test: `direction ${JSON.stringify(direction)} puts the newest first entry first`,
    ask: visitors,
    send: { direction },
    check: areVisitors(['dan', 'cyd', 'bob', 'ada']),
  })),
  {
    test: 'direction "asc" puts the oldest first entry first; a second visit moves nobody',
    ask: visitors,
    send: { direction: 'asc' },
    check: areVisitors(['ada', 'bob', 'cyd', 'dan']),
  },
  ...refuses(visitors, 'direction', ['up', 'ASC', 1, true]),
  ...[undefined, 0, '0', '', null].map((filter) => ({
    test: `filter ${JSON.stringify(filter)} hides nobody`,
    ask: visitors,
    send: { filter },
    check: areVisitors(['dan', 'cyd', 'bob', 'ada']),
  })),
  ...[1, '1'].map((filter) => ({
    test: `filter ${JSON.stringify(filter)} leaves out who watched less than a minute`,
    ask: visitors,
    send: { filter },
    check: areVisitors(['dan', 'ada']),
  })),
  ...refuses(visitors, 'filter', [2, -1, 'yes', false, {}]),
  {
    test: 'every field at fault is named at once',
    ask: visitors,
    send: { filter: 3, perPage: 0, p: 'x', direction: 'up' },
    ...invalid,
    fields: ['filter', 'perPage', 'p', 'direction'],
  },
];

/** What holds for both operations alike. The channel `crowd` has 125 viewers of one visit each. */
const shared: Scenario[] = both.flatMap((ask) => {
  const crowd = ask.replace('{show}', '{crowd}');
  return [
    { test: `${ask} needs no body`, ask },
    { test: `${ask} takes an empty body`, ask, send: '' },
    {
      test: `${ask} takes an empty body of another type`,
      ask,
      headers: { 'content-type': 'text/plain' },
    },
    { test: `${ask} takes []`, ask, send: [] },
    ...bodyRules(ask, { perPage: 20 }),
    ...[
      { send: {}, rows: 20, pages: 7 },
      { send: { perPage: null, p: null }, rows: 20, pages: 7 },
      { send: { perPage: '', p: '' }, rows: 20, pages: 7 },
      { send: { perPage: 1 }, rows: 1, pages: 125 },
      { send: { perPage: 100 }, rows: 100, pages: 2 },
      { send: { perPage: '100', p: '2' }, rows: 25, pages: 2 },
      { send: { p: 7 }, rows: 5, pages: 7 },
      { send: { p: 8 }, rows: 0, pages: 7 },
      { send: { p: 2147483647, perPage: 100 }, rows: 0, pages: 2 },
    ].map(({ send, rows, pages }) => ({
      test: `${crowd} with ${JSON.stringify(send)} answers ${rows} of 125`,
      ask: crowd,
      send: { ...send, filter_watch_time: 0 },
      check: ({ body, headers }: Reply) => {
        expect(body).toHaveLength(rows);
        expect(headers.get('x-total-count')).toBe('125');
        const { next, last } = linksOf(headers);
        const p = Number('p' in send && send.p ? send.p : 1);
        expect(next?.searchParams.get('p')).toBe(p < pages ? String(p + 1) : undefined);
        expect(last?.searchParams.get('p')).toBe(String(pages));
      },
    })),
    ...refuses(ask, 'perPage', [0, -1, 101, '101', 1.5, 'ten', true, []]),
    ...refuses(ask, 'p', [0, -1, '0', 1.5, 'x', 2147483648, {}]),
    {
      test: `${ask} tells the bounds of perPage`,
      ask,
      send: { perPage: 101 },
      ...invalid,
      fields: ['perPage'],
      shows: { errors: { fields: [{ message: 'perPage must be 1 to 100 (got 101)' }] } },
    },
    {
      test: `${ask} counts only what its filter shows`,
      ask,
      send: { filter: 1, filter_watch_time: 1 },
      check: ({ body, headers }: Reply) =>
        expect(headers.get('x-total-count')).toBe(String(body.length)),
    },
    {
      test: `${ask} answers an empty array for a channel nobody visited`,
      ask: ask.replace('{show}', '{quiet}'),
      check: ({ text, headers }: Reply) => {
        expect(text).toBe('[]');
        expect(headers.get('x-total-count')).toBe('0');
        expect(linksOf(headers).next).toBeUndefined();
      },
    },
    ...['0', '-1', '1.5', 'abc', '9007199254740993', '99999'].map((id) => ({
      test: `${ask.replace('{show}', id)} finds no channel`,
      ask: ask.replace('{show}', id),
      ...noChannel,
    })),
    { test: `${ask} is not another account’s to read`, who: 'stranger', ask, ...noChannel },
    { test: `${ask} is not a manager’s to read`, who: 'anna', ask, ...noChannel },
    {
      test: `${ask} is a manager’s to read where the channel is theirs`,
      who: 'anna',
      ask: ask.replace('{show}', '{annas}'),
    },
    notAllowed(ask.replace('POST', 'GET'), 'POST'),
    notAllowed(ask.replace('POST', 'OPTIONS'), 'POST'),
  ];
});

// In Berlin 2026-03-29 has no 02:00 to 02:59, and 2026-10-25 has it twice: from 00:00 and from 01:00 UTC.
const summerTime: Scenario[] = [
  ...['2026-03-29 02:00:00', '2026-03-29 02:30', '2026-03-29 02:59:59'].flatMap((time) =>
    ['start_time', 'end_time'].map((field) => ({
      test: `${field} ${time}, which the clocks skip, is refused`,
      ask: records,
      send: { [field]: time },
      ...invalid,
      fields: [field],
    })),
  ),
  ...[
    { send: {}, found: ['second', 'first', 'spring'] },
    { send: { end_time: '2026-03-29 03:00:00' }, found: ['spring'] },
    { send: { start_time: '2026-03-29 03:00:01' }, found: ['second', 'first'] },
    { send: { start_time: '2026-10-25 02:30:00' }, found: ['second', 'first'] },
    { send: { start_time: '2026-10-25 02:30:01' }, found: ['second'] },
    { send: { start_time: '2026-10-25 02:30' }, found: ['second', 'first'] },
    { send: { end_time: '2026-10-25 02:30:00' }, found: ['second', 'first', 'spring'] },
    { send: { end_time: '2026-10-25 02:29:59' }, found: ['first', 'spring'] },
    { send: { end_time: '2026-10-25 02:29' }, found: ['first', 'spring'] },
    {
      send: { start_time: '2026-10-25 02:30:00', end_time: '2026-10-25 02:30:00' },
      found: ['second', 'first'],
    },
    // From 02:40 summer time to 02:35 winter time is a period of 55 minutes.
    {
      send: { start_time: '2026-10-25 02:40:00', end_time: '2026-10-25 02:35:00' },
      found: ['second'],
    },
  ].map(({ send, found }) => ({
    test: `the period ${JSON.stringify(send)} holds ${found.join(', ')}`,
    ask: records,
    send: { ...send, filter_watch_time: 0 },
    check: areRecords(found),
  })),
  {
    test: 'both halves of a repeated hour are shown alike',
    ask: records,
    send: { start_time: '2026-10-25 02:00:00', filter_watch_time: 0 },
    shows: [
      { user_id: 'second', first_login_time: '2026-10-25 02:30' },
      { user_id: 'first', first_login_time: '2026-10-25 02:30' },
    ],
  },
  {
    test: 'visitors are shown in the time zone, with seconds',
    ask: visitors,
    send: { direction: 'asc', perPage: 1 },
    shows: [{ visitor_id: 'spring', first_login_time: '2026-03-29 03:00:00' }],
  },
];

for (const engine of engines) {
  describe(`audience on ${engine.name}`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(
        await startTestService(engine, { settings: { RECORDS_CALLS_PER_DAY: '0' } }),
      );
    });
    afterAll(() => stage.service.stop());

    describe('watch records', () => play(watchRecords, () => stage));
    describe('visitors', () => play(visitorSummaries, () => stage));
    describe('both', () => play(shared, () => stage));

    for (const { ask, send } of [
      { ask: records, send: { perPage: 2, filter_watch_time: '0', end_time: '2026-05-04 10:30' } },
      { ask: records, send: { perPage: 2, start_time: '2026-05-04 09:00:00' } },
      { ask: visitors, send: { perPage: 3, direction: 'asc' } },
      { ask: visitors, send: { perPage: 1, filter: 1 } },
    ])
      test(`the links of ${ask} with ${JSON.stringify(send)} lead through every page`, async () => {
        const whole = await perform({ test: '', ask, send: { ...send, perPage: 100 } }, stage);
        const rows: unknown[] = [];
        let reply = await perform({ test: '', ask, send }, stage);
        for (;;) {
          rows.push(...reply.body);
          expect(reply.headers.get('x-total-count')).toBe(String(whole.body.length));
          const { next, last } = linksOf(reply.headers);
          expect(last?.origin).toBe(stage.service.url);
          if (!next) break;
          expect(next.origin).toBe(stage.service.url);
          reply = await perform({ test: '', ask: `POST ${next.pathname}${next.search}` }, stage);
        }
        expect(rows).toEqual(whole.body);
        expect(rows.length).toBeGreaterThan(send.perPage);
      });

    test('fields may be sent in the query, and the body goes before it', async () => {
      const inQuery = await perform(
        { test: '', ask: `${records}?perPage=2&filter_watch_time=0&p=3` },
        stage,
      );
      expect(inQuery.body).toMatchObject([
        { user_id: 'ada', first_login_time: '2026-05-04 09:00' },
      ]);
      const inBody = await perform(
        { test: '', ask: `${records}?perPage=2&p=3`, send: { p: 1 } },
        stage,
      );
      expect(inBody.body).toMatchObject([{ user_id: 'ada' }, { user_id: 'dan' }]);
      const badQuery = {
        test: '',
        ask: `${visitors}?perPage=101`,
        ...invalid,
        fields: ['perPage'],
      };
      await perform(badQuery, stage);
    });

    test('a renamed channel shows its new name in its visitors', async () => {
      const { service, ids } = stage;
      const path = `/v1/activities/${ids['renamed']}`;
      await addVisits(service, ids['renamed'] ?? 0, [{ viewer_id: 'ada', at: service.clock.now }]);
      await service.call('PUT', path, { body: { name: 'new name' } });
      const { body } = await service.call('POST', `${path}/visitors`);
      expect(body).toMatchObject([{ name: 'new name', visitor_id: 'ada' }]);
    });

    describe('in Berlin', () => {
      let berlin: Stage;
      beforeAll(async () => {
        const settings = { TIME_ZONE: 'Europe/Berlin', RECORDS_CALLS_PER_DAY: '0' };
        const service = await startTestService(engine, { settings });
        const made = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
        await addVisits(service, made.body.id, [
          { viewer_id: 'spring', at: Date.UTC(2026, 2, 29, 1, 0, 0) },
          { viewer_id: 'first', at: Date.UTC(2026, 9, 25, 0, 30, 0) },
          { viewer_id: 'second', at: Date.UTC(2026, 9, 25, 1, 30, 0) },
        ]);
        berlin = { service, ids: { show: made.body.id }, tokens: {} };
      });
      afterAll(() => berlin.service.stop());

      play(summerTime, () => berlin);

      test('a link keeps a period whose ends occur twice', async () => {
        const twice = '2026-10-25 02:30:00';
        const send = { start_time: twice, end_time: twice, filter_watch_time: 0, perPage: 1 };
        const first = await perform({ test: '', ask: records, send }, berlin);
        const { next } = linksOf(first.headers);
        const second = await perform(
          { test: '', ask: `POST ${next?.pathname}${next?.search}` },
          berlin,
        );
        expect([first.body[0].user_id, second.body[0].user_id]).toEqual(['second', 'first']);
      });
    });

    test('PUBLIC_URL starts the links', async () => {
      const service = await startTestService(engine, {
        settings: { PUBLIC_URL: 'https://live.example.com' },
      });
      const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a' } })).body;
      const { headers } = await service.call('POST', `/v1/activities/${id}/visitors`);
      await service.stop();
      expect(linksOf(headers).last?.href).toStartWith(
        `https://live.example.com/v1/activities/${id}/visitors?`,
      );
    });
  });
}

async function setStage(service: TestService): Promise<Stage> {
  const stranger = await service.newAccount();
  const manager_id = await service.newManager('anna');
  const tokens = {
    stranger: await service.newToken({ account_id: stranger }),
    anna: await service.newToken({ manager_id }),
  };
  const ids: Ids = { stranger };
  for (const [name, token] of [
    ['show', service.token],
    ['crowd', service.token],
    ['quiet', service.token],
    ['renamed', service.token],
    ['annas', tokens.anna],
    ['strangers', tokens.stranger],
  ] as const)
    ids[name] = (await service.call('POST', '/v1/activities', { token, body: { name } })).body.id;
  await addVisits(service, ids['show'] ?? 0, visits);
  await addVisits(service, ids['strangers'] ?? 0, [{ viewer_id: 'eve', at: utc('09:00:00.000') }]);
  const crowd = Array.from({ length: 125 }, (_, at) => ({
    viewer_id: `v${at}`,
    at: utc('08:00:00.000') + at * 1_000,
  }));
  await addVisits(service, ids['crowd'] ?? 0, crowd);
  return { service, ids, tokens };
}

function utc(time: string): number {
  return Date.parse(`2026-05-04T${time}Z`);
}

function areRecords(found: readonly string[]) {
  return ({ body, headers }: Reply) => {
    expect(body.map(({ user_id }: { user_id: string }) => user_id)).toEqual(found);
    expect(headers.get('x-total-count')).toBe(String(found.length));
  };
}

function areVisitors(found: readonly string[]) {
  return ({ body, headers }: Reply) => {
    expect(body.map(({ visitor_id }: { visitor_id: string }) => visitor_id)).toEqual(found);
    expect(headers.get('x-total-count')).toBe(String(found.length));
  };
}

/** The addresses of a `Link` header by their relation (RFC 8288). */
function linksOf(headers: Headers): { next?: URL; last?: URL } {
  const links = (headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, url = '', relation]) => [relation, new URL(url)]));
}
