// Exports as a caller meets them, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  addVisits,
  expectError,
  play,
  refusesInQuery,
  type Scenario,
  type Stage,
} from '../../../test/support/scenarios.ts';
import { type Reply, startTestService, type TestService } from '../../../test/support/service.ts';
import type { Scope } from '../../base/api/caller.ts';

const at = (time: string) => Date.parse(`2026-05-04T${time}Z`);
const path = '/manage/v1/channels/{show}';

const scenarios: Scenario[] = [
  {
    test: 'sessions come as CSV that a spreadsheet can open, named for their channel',
    ask: `GET ${path}/sessions.csv`,
    check: (reply, { ids }) => {
      expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      expect(reply.headers.get('content-disposition')).toBe(
        `attachment; filename="channel-${ids['show']}-sessions.csv"`,
      );
      expect(reply.headers.get('cache-control')).toBe('no-store');
      // `text()` takes the mark away, which is one of its own.
      expect(viewers(reply)).toEqual(['ada', "'=bob", 'ada']);
    },
  },
  {
    test: 'sessions come as NDJSON with every text as it is',
    ask: `GET ${path}/sessions.ndjson`,
    check: (reply, { ids }) => {
      expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
      expect(reply.headers.get('content-disposition')).toBe(
        `attachment; filename="channel-${ids['show']}-sessions.ndjson"`,
      );
      expect(viewers(reply)).toEqual(['ada', '=bob', 'ada']);
    },
  },
  {
    test: 'visitors come as CSV',
    ask: `GET ${path}/visitors.csv`,
    check: (reply) => expect(viewers(reply)).toEqual(['ada', "'=bob"]),
  },
  {
    test: 'visitors come as NDJSON',
    ask: `GET ${path}/visitors.ndjson`,
    check: (reply) => expect(viewers(reply)).toEqual(['ada', '=bob']),
  },
  {
    test: 'a start is a time of entering from its second on',
    ask: `GET ${path}/sessions.ndjson?start_time=2026-05-04 09:00:01`,
    check: (reply) => expect(viewers(reply)).toEqual(['=bob', 'ada']),
  },
  {
    test: 'an end has its whole second',
    ask: `GET ${path}/sessions.ndjson?start_time=2026-05-04 09:00&end_time=2026-05-04 09:00:01`,
    check: (reply) => expect(viewers(reply)).toEqual(['ada', '=bob']),
  },
  {
    test: 'a period without anybody is an empty file',
    ask: `GET ${path}/sessions.ndjson?start_time=2027-01-01 00:00:00`,
    check: ({ text }) => expect(text).toBe(''),
  },
  {
    test: 'a start after the end is refused',
    ask: `GET ${path}/sessions.csv?start_time=2026-05-05 00:00:00&end_time=2026-05-04 00:00:00`,
    status: 400,
    code: 400001,
    fields: ['start_time'],
  },
  ...refusesInQuery(`GET ${path}/sessions.csv`, {
    start_time: ['tomorrow', '2026-02-30 00:00:00'],
    end_time: ['1'],
  }),
  {
    test: 'HEAD answers what GET would, without the rows',
    ask: `HEAD ${path}/sessions.csv`,
    check: ({ headers, text }) => {
      expect(headers.get('content-type')).toStartWith('text/csv');
      expect(text).toBe('');
    },
  },
  {
    test: 'another format is no path',
    ask: `GET ${path}/sessions.xml`,
    status: 404,
    code: 404000,
  },
];

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    let service: TestService;
    let channel = 0;

    beforeAll(async () => {
      service = await startTestService(engine);
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      channel = body.id;
      stage = { service, ids: { show: channel }, tokens: {} };
      await addVisits(service, channel, [
        { viewer_id: 'ada', at: at('09:00:00.999'), watch_ms: 1_500, nick: 'Ada, "A"' },
        { viewer_id: '=bob', at: at('09:00:01.000'), watch_ms: 61_000 },
        { viewer_id: 'ada', at: at('10:00:00.123'), watch_ms: 2_000 },
      ]);
    });
    afterAll(() => service.stop());

    play(scenarios, () => stage);

    test('who may read the pages may have the files, without a right to run the channel', async () => {
      for (const file of [
        'sessions.csv',
        'sessions.ndjson',
        'visitors.csv',
        'visitors.ndjson',
      ] as const) {
        const asked = async (scope: Scope) => {
          const token = await service.newToken({ scopes: [scope] });
          return await service.call('GET', `/manage/v1/channels/${channel}/${file}`, { token });
        };
        expect((await asked('audience:read')).status).toBe(200);
        expect((await asked('manage')).status).toBe(200);
        expectError(await asked('channels:run'), { status: 403, code: 403001 });
      }
    });

    test('a line says what the interface says, and exactly', async () => {
      const records = await service.call('POST', `/v1/activities/${channel}/userRecords`);
      const { text } = await service.call('GET', `/manage/v1/channels/${channel}/sessions.ndjson`);
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ record_id }) => record_id)).toEqual(
        records.body.map(({ record_id }: { record_id: number }) => record_id).reverse(),
      );
      expect(lines[2]).toEqual({
        ...records.body[0],
        ip: '',
        online_ms: 2_000,
        watch_ms: 2_000,
        watched: [
          {
            show: '1970-01-01T00:00:00.001Z',
            from: '1970-01-01T00:00:00.001Z',
            to: '1970-01-01T00:00:02.001Z',
            position_ms: 0,
          },
        ],
        entered_at: '2026-05-04T10:00:00.123Z',
        last_seen_at: '2026-05-04T10:00:02.123Z',
      });
    });

    test('the daily limit does not count them, and who entered since is in the next one', async () => {
      const file = `/manage/v1/channels/${channel}/visitors.ndjson`;
      for (let n = 0; n < 12; n++) expect((await service.call('GET', file)).status).toBe(200);
      await addVisits(service, channel, [{ viewer_id: 'cyd', at: at('11:00:00.000') }]);
      expect(viewers(await service.call('GET', file))).toEqual(['ada', '=bob', 'cyd']);
    });

    test('callers who leave in the middle make room for others', async () => {
      const file = `/manage/v1/channels/${channel}/sessions.csv`;
      const headers = { authorization: `Bearer ${service.token}` };
      for (let n = 0; n < 50; n++) {
        const leaving = new AbortController();
        const response = await fetch(service.url + file, { headers, signal: leaving.signal });
        leaving.abort();
        expect(response.status).toBe(200);
        await service.call('HEAD', file);
      }
      expect((await service.call('GET', file)).status).toBe(200);
    });
  });
}

/** Whose lines these are. */
function viewers({ text, headers }: Reply): string[] {
  const lines = text.trimEnd().split(/\r?\n/);
  if (headers.get('content-type') === 'application/x-ndjson')
    return lines.map((line) => JSON.parse(line)).map((one) => one.user_id ?? one.visitor_id);
  const [names = '', ...rows] = lines;
  const column = names.split(',').findIndex((name) => /user_id|visitor_id/.test(name));
  // No cell before it has a comma.
  return rows.map((row) => row.split(',')[column] ?? '');
}
