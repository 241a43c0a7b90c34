// Export and erasure of one viewer as a caller meets them, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  addVisits,
  bodyRules,
  onDatabaseOf,
  play,
  refuses,
  type Scenario,
  type Stage,
} from '../../../test/support/scenarios.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { addMessage, silence } from '../chat/chat-store.ts';

/** Of what the viewers here have none. */
const none = { registrations: 0, lists: 0 };

const exported = 'POST /manage/v1/viewers/export';
const erased = 'POST /manage/v1/viewers/erase';

const rules: Scenario[] = [exported, erased].flatMap((ask) => [
  ...bodyRules(ask, { viewer_id: 'nobody' }),
  ...refuses(ask, 'viewer_id', ['', 7, 'x'.repeat(256)]),
  ...refuses(ask, 'channel_id', [0, 'x'], { viewer_id: 'ada' }),
  {
    test: `${ask} needs a viewer`,
    ask,
    send: {},
    status: 400,
    code: 400002,
    fields: ['viewer_id'],
  },
  {
    test: `${ask} of a channel that is not there is told so`,
    ask,
    send: { viewer_id: 'ada', channel_id: 999_999 },
    status: 404,
    code: 404002,
  },
]);

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    let service: TestService;

    beforeAll(async () => {
      service = await startTestService(engine);
      stage = {
        service,
        ids: { show: await newShow(service), talk: await newShow(service) },
        tokens: {},
      };
    });
    afterAll(() => service.stop());

    play(rules, () => stage);

    test('everything of a viewer is in the export', async () => {
      const reply = await service.call('POST', '/manage/v1/viewers/export', {
        body: { viewer_id: 'ada' },
      });
      expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
      expect(reply.headers.get('content-disposition')).toBe('attachment; filename="viewer.ndjson"');
      const lines = reply.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ table, channel_id }) => `${table} ${channel_id}`)).toEqual(
        [stage.ids['show'], stage.ids['talk']].flatMap((id) => [
          `visitors ${id}`,
          `sessions ${id}`,
          `chat_messages ${id}`,
          `chat_silences ${id}`,
        ]),
      );
      expect(lines[2]).toMatchObject({ text: 'hello', sent_at: '2026-05-04T12:00:00.000Z' });
    });

    test('an erased viewer is gone from the interface, and totals follow', async () => {
      const { show, talk } = stage.ids;
      const erase = (body: object) => service.call('POST', '/manage/v1/viewers/erase', { body });
      expect((await erase({ viewer_id: 'ada', channel_id: talk })).body).toEqual({
        viewer_id: 'ada',
        channels: [{ channel_id: talk, records: 2, messages: 1, silences: 1, ...none }],
      });
      expect((await erase({ viewer_id: 'ada' })).body).toEqual({
        viewer_id: 'ada',
        channels: [{ channel_id: show, records: 2, messages: 1, silences: 1, ...none }],
      });
      expect((await erase({ viewer_id: 'ada' })).body.channels).toEqual([]);
      for (const list of ['userRecords', 'visitors']) {
        const reply = await service.call('POST', `/v1/activities/${show}/${list}`);
        expect(reply.headers.get('x-total-count')).toBe('1');
        expect(reply.text).not.toContain('ada');
      }
      const left = await onDatabaseOf(service, async (sql) => {
        const rows = await sql.all<{ viewer_id: string }>('SELECT viewer_id FROM chat_messages');
        return rows.map(({ viewer_id }) => viewer_id);
      });
      expect(left).toEqual(['bob', 'bob']);
    });
  });
}

/** A channel with a session, a message and a mute of ada, and a session and a message of bob. */
async function newShow(service: TestService): Promise<number> {
  const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
  const channel_id: number = body.id;
  const at = service.clock.now;
  await addVisits(service, channel_id, [
    { viewer_id: 'ada', at, watch_ms: 61_000 },
    { viewer_id: 'bob', at, watch_ms: 61_000 },
  ]);
  for (const viewer_id of ['ada', 'bob'])
    await service.store.perform(addMessage, { channel_id, viewer_id, nick: '', text: 'hello', at });
  await service.store.perform(silence, {
    account_id: 1,
    channel_id,
    viewer_id: 'ada',
    kind: 'mute',
    until: null,
    now: at,
  });
  return channel_id;
}
