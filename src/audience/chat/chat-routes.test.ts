// Moderation as a caller meets it, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  addVisits,
  bodyRules,
  play,
  refuses,
  refusesInQuery,
  type Scenario,
  type Stage,
} from '../../../test/support/scenarios.ts';
import { type Reply, startTestService, type TestService } from '../../../test/support/service.ts';
import { addMessage } from './chat-store.ts';

const chat = '/manage/v1/channels/{show}/chat';
const ids = ({ body }: Reply) => body.messages.map(({ id }: { id: number }) => id);

/** Played in their order, on a channel with the messages 1 to 7, of ada and bob by turns. */
const scenarios: Scenario[] = [
  {
    test: 'messages come newest first, with who wrote them',
    ask: `GET ${chat}`,
    check: (reply) => {
      expect(ids(reply)).toEqual([7, 6, 5, 4, 3, 2, 1]);
      expect(reply.body.open).toBeTrue();
      expect(reply.body.next_before).toBeNull();
      expect(reply.body.messages[0]).toEqual({
        id: 7,
        viewer_id: 'ada',
        nick: 'Ada',
        text: 'message 7',
        sent_at: '2026-05-04 12:00:07',
        host: false,
        reply_to: null,
        quoted: null,
      });
    },
  },
  {
    test: 'a page tells where the next begins',
    ask: `GET ${chat}?perPage=3`,
    shows: { next_before: 5 },
    check: (reply) => expect(ids(reply)).toEqual([7, 6, 5]),
  },
  {
    test: 'the next page begins there',
    ask: `GET ${chat}?perPage=3&before=5`,
    shows: { next_before: 2 },
    check: (reply) => expect(ids(reply)).toEqual([4, 3, 2]),
  },
  {
    test: 'messages of one viewer can be asked for',
    ask: `GET ${chat}?viewer_id=bob`,
    check: (reply) => expect(ids(reply)).toEqual([6, 4, 2]),
  },
  {
    test: 'who follows the chat is given the oldest of what is new, and where to go on',
    ask: `GET ${chat}?perPage=2&after=3`,
    shows: { next_after: 5, next_before: null },
    check: (reply) => expect(ids(reply)).toEqual([5, 4]),
  },
  {
    test: 'who has seen all is given nothing, and the same place',
    ask: `GET ${chat}?after=7`,
    shows: { next_after: 7, messages: [] },
  },
  ...refusesInQuery(`GET ${chat}`, {
    before: ['0', 'x'],
    after: ['-1', 'x'],
    perPage: ['0', '1001'],
  }),
  {
    test: 'the host says a line under the name of the channel',
    ask: `POST ${chat}/say`,
    send: { text: ' Welcome\u202e, everybody\n' },
    shows: {
      id: 8,
      viewer_id: '',
      nick: 'show',
      text: 'Welcome, everybody',
      sent_at: '2026-05-04 12:00:00',
      host: true,
    },
  },
  {
    test: 'and under another',
    ask: `POST ${chat}/say`,
    send: { text: '🎉'.repeat(500), nick: 'Anna' },
    shows: { id: 9, nick: 'Anna', host: true },
  },
  {
    test: 'a host’s line is read with the others, and is no visitor’s',
    ask: `GET ${chat}?after=7`,
    shows: { messages: [{ id: 9 }, { id: 8, viewer_id: '', host: true }], pinned: null },
  },
  ...refuses(`POST ${chat}/say`, 'reply_to', [0, 'x'], { text: 'hello' }),
  ...refuses(`POST ${chat}/say`, 'text', ['', 'x'.repeat(501), '\u200b', 7]),
  ...refuses(`POST ${chat}/say`, 'nick', ['x'.repeat(33), 7], { text: 'hello' }),
  {
    test: 'to say needs a text',
    ask: `POST ${chat}/say`,
    send: {},
    status: 400,
    code: 400002,
    fields: ['text'],
  },
  {
    test: 'a line is pinned, however old',
    ask: `POST ${chat}/pin`,
    send: { id: 1 },
    shows: { pinned: { id: 1, viewer_id: 'ada', text: 'message 1', host: false } },
  },
  { test: 'and read with the chat', ask: `GET ${chat}?after=9`, shows: { pinned: { id: 1 } } },
  {
    test: 'another takes its place',
    ask: `POST ${chat}/pin`,
    send: { id: 8 },
    shows: { pinned: { id: 8, host: true } },
  },
  {
    test: 'what is not there is not pinned',
    ask: `POST ${chat}/pin`,
    send: { id: 99 },
    status: 404,
    code: 404005,
  },
  { test: 'and what was pinned stays', ask: `GET ${chat}`, shows: { pinned: { id: 8 } } },
  ...refuses(`POST ${chat}/pin`, 'id', [0, 'x']),
  { test: 'a line is unpinned', ask: `POST ${chat}/unpin`, send: {}, shows: { pinned: null } },
  { test: 'none is pinned then', ask: `GET ${chat}`, shows: { pinned: null } },
  { test: 'a line is pinned again', ask: `POST ${chat}/pin`, send: { id: 9 } },
  {
    test: 'a pinned line is removed',
    ask: `POST ${chat}/remove`,
    send: { ids: [8, 9] },
    shows: { removed: [8, 9] },
  },
  { test: 'and with it the pin', ask: `GET ${chat}`, shows: { pinned: null } },
  {
    test: 'messages that are there are removed, and those alone are named',
    ask: `POST ${chat}/remove`,
    send: { ids: [1, '2', 99] },
    shows: { removed: [1, 2] },
  },
  {
    test: 'all of a viewer are removed at once',
    ask: `POST ${chat}/remove`,
    send: { viewer_id: 'bob' },
    shows: { removed: [4, 6] },
  },
  {
    test: 'what is removed is gone',
    ask: `GET ${chat}`,
    check: (reply) => expect(ids(reply)).toEqual([7, 5, 3]),
  },
  {
    test: 'to remove needs ids or a viewer',
    ask: `POST ${chat}/remove`,
    send: {},
    status: 400,
    code: 400002,
    fields: ['ids'],
  },
  ...refuses(`POST ${chat}/remove`, 'ids', [[], 7, ['x'], [0]]),
  { test: 'a chat is closed', ask: `POST ${chat}/close`, send: {}, shows: { open: false } },
  { test: 'it stays closed', ask: `GET ${chat}`, shows: { open: false } },
  { test: 'a chat is opened', ask: `POST ${chat}/open`, send: {}, shows: { open: true } },
  { test: 'it stays open', ask: `GET ${chat}`, shows: { open: true } },
  {
    test: 'a chat is slowed down',
    ask: `POST ${chat}/slow`,
    send: { seconds: 30 },
    shows: { slow_seconds: 30 },
  },
  { test: 'it stays slow', ask: `GET ${chat}`, shows: { open: true, slow_seconds: 30 } },
  {
    test: 'the host writes as before',
    ask: `POST ${chat}/say`,
    send: { text: 'one' },
    shows: { id: 10 },
  },
  { test: 'at once', ask: `POST ${chat}/say`, send: { text: 'two' }, shows: { id: 11 } },
  ...bodyRules(`POST ${chat}/slow`, { seconds: 600 }),
  ...refuses(`POST ${chat}/slow`, 'seconds', [-1, 601, 1.5, 'x']),
  {
    test: 'it is slow no more',
    ask: `POST ${chat}/slow`,
    send: { seconds: 0 },
    shows: { slow_seconds: 0 },
  },
  {
    test: 'a viewer is muted for ever',
    ask: `POST ${chat}/mute`,
    send: { viewer_id: 'ada' },
    shows: {
      silences: [{ viewer_id: 'ada', kind: 'mute', until: '', created_at: '2026-05-04 12:00:00' }],
    },
  },
  {
    test: 'a viewer is banned until a time, which the mute does not change',
    ask: `POST ${chat}/ban`,
    send: { viewer_id: 'ada', until: '2026-05-04 12:30:00' },
    shows: {
      silences: [
        { kind: 'ban', until: '2026-05-04 12:30:00' },
        { kind: 'mute', until: '' },
      ],
    },
  },
  {
    test: 'a second mute changes until when',
    ask: `POST ${chat}/mute`,
    send: { viewer_id: 'bob', until: '2026-05-04 12:00:01' },
    shows: { silences: [{ viewer_id: 'bob', until: '2026-05-04 12:00:01' }] },
  },
  {
    test: 'all of a channel are listed',
    ask: `GET ${chat}/silences`,
    check: ({ body }) => expect(body.silences).toHaveLength(3),
  },
  {
    test: 'a time that is over is refused',
    ask: `POST ${chat}/ban`,
    send: { viewer_id: 'ada', until: '2026-05-04 12:00:00' },
    status: 400,
    code: 400001,
    fields: ['until'],
  },
  {
    test: 'one kind is lifted',
    ask: `POST ${chat}/lift`,
    send: { viewer_id: 'ada', kind: 'ban' },
    shows: { silences: [{ kind: 'mute' }] },
  },
  {
    test: 'both kinds are lifted',
    ask: `POST ${chat}/lift`,
    send: { viewer_id: 'ada' },
    check: ({ body }) => expect(body.silences).toEqual([]),
  },
  {
    test: 'what was never there is lifted too',
    ask: `POST ${chat}/lift`,
    send: { viewer_id: 'nobody' },
    check: ({ body }) => expect(body.silences).toEqual([]),
  },
  ...['mute', 'ban', 'lift'].flatMap((word) => [
    ...bodyRules(`POST ${chat}/${word}`, { viewer_id: 'cyd' }),
    ...refuses(`POST ${chat}/${word}`, 'viewer_id', ['', 7]),
  ]),
  ...refuses(`POST ${chat}/lift`, 'kind', ['all', 7], { viewer_id: 'ada' }),
  ...refuses(`POST ${chat}/mute`, 'until', ['tomorrow', 7], { viewer_id: 'ada' }),
];

for (const engine of engines) {
  describe(engine.name, () => {
    let stage: Stage;
    let service: TestService;
    let channel_id = 0;
    const say = (viewer_id: string, id: number) =>
      service.store.perform(addMessage, {
        channel_id,
        viewer_id,
        nick: viewer_id === 'ada' ? 'Ada' : 'Bob',
        text: `message ${id}`,
        at: service.clock.now + id * 1_000,
      });

    beforeAll(async () => {
      service = await startTestService(engine);
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      channel_id = body.id;
      stage = { service, ids: { show: channel_id }, tokens: {} };
      const at = service.clock.now;
      const viewers = ['ada', 'bob', 'dan'].map((viewer_id) => ({ viewer_id, at }));
      await addVisits(service, channel_id, viewers);
      for (let id = 1; id <= 7; id++) await say(id % 2 === 1 ? 'ada' : 'bob', id);
    });
    afterAll(() => service.stop());

    play(scenarios, () => stage);

    test('who is muted may not write until it is lifted, and nobody may while the chat is closed', async () => {
      const path = `/manage/v1/channels/${channel_id}/chat`;
      const post = (word: string, body: object) =>
        service.call('POST', `${path}/${word}`, { body });
      await post('mute', { viewer_id: 'dan' });
      expect(await say('dan', 8)).toBe('muted');
      await post('lift', { viewer_id: 'dan' });
      expect(await say('dan', 8)).toMatchObject({ id: 12 });
      await post('close', {});
      expect(await say('dan', 9)).toBe('closed');
      await post('open', {});
      expect(await say('dan', 9)).toMatchObject({ id: 13 });
    });

    test('the host answers a line, which is quoted until it is removed', async () => {
      const path = `/manage/v1/channels/${channel_id}/chat`;
      const post = (word: string, body: object) =>
        service.call('POST', `${path}/${word}`, { body });
      const { id, text } = (await post('say', { text: 'Any questions?', nick: 'Anna' })).body;
      const said = (await post('say', { text: 'None', reply_to: id })).body;
      const quoted = { nick: 'Anna', text, host: true };
      expect(said).toMatchObject({ reply_to: id, quoted });
      const newest = async () => (await service.call('GET', `${path}?perPage=1`)).body.messages[0];
      expect(await newest()).toEqual(said);
      await post('remove', { ids: [id] });
      expect(await newest()).toMatchObject({ reply_to: id, quoted: null });
      const refused = await post('say', { text: 'None', reply_to: id });
      expect([refused.status, refused.body.errors.code]).toEqual([404, 404005]);
    });
  });
}
