// Lists of visitors and sessions as a caller meets them, on both engines: filters, pages, and looking for somebody.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { addVisits } from '../../../test/support/scenarios.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

const at = (time: string) => Date.parse(`2026-05-04T${time}Z`);

const visits = [
  { viewer_id: 'u-ada', nick: 'Ada Lovelace', phone: '13800000001', watch_ms: 90_000 },
  { viewer_id: 'u-bob', nick: '100%_Bob', watch_ms: 30_000 },
  { viewer_id: 'v-CY', nick: '张伟', phone: '13900000002' },
  { viewer_id: 'u-ada', nick: 'Ada Lovelace', phone: '13800000001', watch_ms: 2_000 },
].map((visit, n) => ({ ...visit, at: at(`09:0${n}:00`) }));

for (const engine of engines)
  describe(engine.name, () => {
    const held: { service?: TestService; id?: number } = {};
    beforeAll(async () => {
      const service = await startTestService(engine, { settings: { RECORDS_CALLS_PER_DAY: '1' } });
      held.service = service;
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      held.id = body.id;
      await addVisits(service, body.id, visits);
    });
    afterAll(async () => {
      await held.service?.stop();
    });

    async function list(what: 'visitors' | 'sessions', query: string) {
      const path = `/manage/v1/channels/${held.id}/${what}?${query}`;
      const reply = await held.service?.call('GET', path);
      const key = what === 'visitors' ? 'visitor_id' : 'user_id';
      return {
        status: reply?.status,
        body: reply?.body,
        ids: reply?.body[what]?.map((row: Record<string, string>) => row[key]),
      };
    }

    test.each([
      ['', ['v-CY', 'u-bob', 'u-ada']],
      ['direction=asc', ['u-ada', 'u-bob', 'v-CY']],
      ['filter=1', ['u-ada']],
      ['perPage=1&p=2', ['u-bob']],
      ['q=lovelace', ['u-ada']],
      ['q=LOVE', ['u-ada']],
      ['q=v-cy', ['v-CY']],
      ['q=u-', ['u-bob', 'u-ada']],
      ['q=u-&direction=asc', ['u-ada', 'u-bob']],
      ['q=u-&perPage=1&p=2', ['u-ada']],
      ['q=u-&filter=1', ['u-ada']],
      ['q=%E4%BC%9F', ['v-CY']],
      ['q=139000', ['v-CY']],
      ['q=%25_', ['u-bob']],
      ['q=nobody', []],
      ['q=%20', ['v-CY', 'u-bob', 'u-ada']],
    ])('visitors of %s', async (query, ids) => {
      expect(await list('visitors', query)).toMatchObject({
        status: 200,
        ids,
        body: { whole: true },
      });
    });

    test.each([
      ['', ['u-ada', 'u-bob', 'u-ada']],
      ['filter_watch_time=0', ['u-ada', 'v-CY', 'u-bob', 'u-ada']],
      ['q=ada', ['u-ada', 'u-ada']],
      ['q=v-&filter_watch_time=0', ['v-CY']],
      ['q=v-', []],
      ['q=u-&start_time=2026-05-04 09:01:00&end_time=2026-05-04 09:02:00', ['u-bob']],
      ['q=u-&perPage=2&p=2', ['u-ada']],
    ])('sessions of %s', async (query, ids) => {
      expect(await list('sessions', query)).toMatchObject({ status: 200, ids });
    });

    test('a page past the end is empty but counted, and links lead on', async () => {
      const past = await list('visitors', 'q=u-&perPage=1&p=9');
      expect(past).toMatchObject({ ids: [], body: { meta: { total: 2, page: 2, current: 9 } } });
      const first = await list('sessions', 'perPage=1');
      expect(first.body.links.next_url).toContain('p=2');
    });

    test('looking at them is under no daily limit', async () => {
      for (let n = 0; n < 3; n++) expect((await list('sessions', '')).status).toBe(200);
    });

    test.each([
      ['sessions', 'perPage=101', 'perPage'],
      ['sessions', 'start_time=soon', 'start_time'],
      ['visitors', 'direction=up', 'direction'],
      ['visitors', `q=${'x'.repeat(256)}`, 'q'],
    ] as const)('%s of %s are refused by the name of the field', async (what, query, name) => {
      const { status, body } = await list(what, query);
      expect({ status, name: body.errors.fields[0].name }).toEqual({ status: 400, name });
    });
  });
