// Who may what: every operation of the route table against every kind of caller.
import { afterAll, describe, expect, test } from 'bun:test';
import { addMessage, silence } from '../src/audience/chat/chat-store.ts';
import { scopes } from '../src/base/api/caller.ts';
import type { ApiError } from '../src/base/api/errors.ts';
import { makeToken } from '../src/library/access/token.ts';
import { listTokens, revokeToken } from '../src/library/access/token-store.ts';
import { engines } from './support/engines.ts';
import { addVideos, addVisits, expectError } from './support/scenarios.ts';
import { type Reply, startTestService, type TestService } from './support/service.ts';

/** What is anna's: a manager of the first account, its channel and its video. */
interface Held {
  channel: number;
  video: number;
  anna: number;
}

interface Asked {
  path(held: Held): string;
  /** What the account asks for before each call and after it, where a call changes what the next one finds. */
  before?(held: Held): [method: string, path: string];
  after?(held: Held): [method: string, path: string];
  send?(held: Held): object;
  /** What a caller who may not see anna's things is told; undefined for lists, which show them nothing. */
  refused?: { status: number; code: number };
  /** What the other manager is told, where it is not what a stranger is told. */
  refusedToManager?: { status: number; code: number };
  /** Names of what an answer shows. */
  names(reply: Reply): string[];
  /** Names the account sees, anna sees, and those who may not see anna's things see. */
  account: string[];
  manager: string[];
  others: string[];
}

const noChannel = { status: 404, code: 404002 };
const noVideo = { status: 404, code: 404003 };
const noUser = { status: 404, code: 404001 };
const noAccess = { status: 403, code: 403001 };
const noPermission = { status: 403, code: 403002 };

const oneName = ({ body }: Reply) => [body.name];
const anna = { account: ['annas'], manager: ['annas'], others: [] };

/** Ours alone, on anna's channel: nobody but the account holds the scope and sees the channel. */
const managed = { refused: noChannel, refusedToManager: noAccess, manager: [], others: [] };

const deleted = ({ channel }: Pick<Held, 'channel'>): [string, string] => [
  'DELETE',
  `/v1/activities/${channel}`,
];
const restored = ({ channel }: Pick<Held, 'channel'>): [string, string] => [
  'POST',
  `/manage/v1/channels/${channel}/restore`,
];

/** An export of the channel, whose lines hold the one viewer. */
const exported = (file: string): Asked => ({
  ...managed,
  path: ({ channel }) => `/manage/v1/channels/${channel}/${file}`,
  names: ({ text }) => text.match(/\bviewer\b/g) ?? [],
  account: ['viewer'],
});

/** A word of moderation; what it is said of is shown. */
const moderated = (word: string, send: object, names: string[]): Asked => ({
  ...managed,
  path: ({ channel }) => `/manage/v1/channels/${channel}/chat/${word}`,
  send: () => send,
  names: ({ body }) =>
    'open' in body
      ? [`open ${body.open}`]
      : (body.silences ?? body.removed).map((one: { kind?: string }) => one.kind ?? String(one)),
  account: names,
});

/** One entry for each operation of the route table; each asks for what is anna's. */
const operations: Record<string, Asked> = {
  listChannels: {
    path: () => '/v1/activities',
    names: ({ body }) => body.activities.map(({ name }: { name: string }) => name),
    account: ['accounts', 'annas'],
    manager: ['annas'],
    others: [],
  },
  createChannel: {
    path: () => '/v1/activities',
    send: (held) => ({ name: 'made for anna', act_manager_id: held.anna }),
    refused: noUser,
    refusedToManager: noPermission,
    names: oneName,
    account: ['made for anna'],
    manager: ['made for anna'],
    others: [],
  },
  getChannel: {
    path: ({ channel }) => `/v1/activities/${channel}`,
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  renameChannel: {
    path: ({ channel }) => `/v1/activities/${channel}`,
    send: () => ({ name: 'annas' }),
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  changeChannelPage: {
    path: ({ channel }) => `/v1/activities/${channel}/page`,
    send: () => ({ footer: 'kept' }),
    refused: noChannel,
    names: oneName,
    ...anna,
  },
  rotatePublishKey: {
    path: ({ channel }) => `/manage/v1/channels/${channel}/rotate-key`,
    send: () => ({}),
    refused: noChannel,
    refusedToManager: noAccess,
    names: oneName,
    ...anna,
  },
  deleteChannel: {
    path: ({ channel }) => `/v1/activities/${channel}`,
    after: restored,
    refused: noChannel,
    names: ({ body }) => [body.result],
    account: ['success'],
    manager: ['success'],
    others: [],
  },
  restoreChannel: {
    ...managed,
    before: deleted,
    path: ({ channel }) => restored({ channel })[1],
    send: () => ({}),
    after: restored,
    names: oneName,
    account: ['annas'],
  },
  listDeletedChannels: {
    before: deleted,
    path: () => '/manage/v1/deleted-channels',
    after: restored,
    refusedToManager: noAccess,
    names: ({ body }) => body.channels.map(({ name }: { name: string }) => name),
    account: ['annas'],
    manager: [],
    others: [],
  },
  getWatchRecords: {
    path: ({ channel }) => `/v1/activities/${channel}/userRecords`,
    send: () => ({ filter_watch_time: 0 }),
    refused: noChannel,
    names: ({ body }) => body.map(({ user_id }: { user_id: string }) => user_id),
    account: ['viewer'],
    manager: ['viewer'],
    others: [],
  },
  getReport: {
    path: ({ channel }) => `/v1/activities/${channel}/report`,
    refused: noChannel,
    names: ({ body }) => body.shows.map(({ begin }: { begin: string }) => begin),
    account: [],
    manager: [],
    others: [],
  },
  getVisitors: {
    path: ({ channel }) => `/v1/activities/${channel}/visitors`,
    send: () => ({}),
    refused: noChannel,
    names: ({ body }) => body.map(({ visitor_id }: { visitor_id: string }) => visitor_id),
    account: ['viewer'],
    manager: ['viewer'],
    others: [],
  },
  exportSessionsCsv: exported('sessions.csv'),
  exportSessionsNdjson: exported('sessions.ndjson'),
  exportVisitorsCsv: exported('visitors.csv'),
  exportVisitorsNdjson: exported('visitors.ndjson'),
  exportViewer: {
    ...managed,
    path: () => '/manage/v1/viewers/export',
    send: ({ channel }) => ({ viewer_id: 'viewer', channel_id: channel }),
    names: ({ text }) => text.match(/(?<="table":")\w+/g) ?? [],
    account: ['chat_messages', 'sessions', 'visitors'],
  },
  eraseViewer: {
    ...managed,
    path: () => '/manage/v1/viewers/erase',
    send: ({ channel }) => ({ viewer_id: 'somebody', channel_id: channel }),
    names: ({ body }) => [body.viewer_id],
    account: ['somebody'],
  },
  getChat: {
    ...managed,
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat`,
    names: ({ body }) => body.messages.map(({ text }: { text: string }) => text),
    account: ['hello'],
  },
  removeChatMessages: moderated('remove', { ids: [99] }, []),
  openChat: moderated('open', {}, ['open true']),
  closeChat: moderated('close', {}, ['open false']),
  muteViewer: moderated('mute', { viewer_id: 'somebody' }, ['mute']),
  banViewer: moderated('ban', { viewer_id: 'another' }, ['ban']),
  liftSilence: moderated('lift', { viewer_id: 'somebody', kind: 'mute' }, []),
  listSilences: {
    ...managed,
    path: ({ channel }) => `/manage/v1/channels/${channel}/chat/silences`,
    names: ({ body }) => body.silences.map(({ kind }: { kind: string }) => kind),
    account: ['mute'],
  },
  listVideos: {
    path: () => '/v1/videos',
    names: ({ body }) => body.videos.map(({ name }: { name: string }) => name),
    account: ['accounts', 'annas'],
    manager: ['annas'],
    others: [],
  },
  getVideo: {
    path: ({ video }) => `/v1/videos/${video}`,
    refused: noVideo,
    names: oneName,
    ...anna,
  },
};

const unauthorized = [
  'no token',
  'a malformed token',
  'an unknown token',
  'a revoked token',
  'an expired token',
];

for (const engine of engines) {
  describe(`tenancy on ${engine.name}`, async () => {
    const service = await startTestService(engine);
    const { held, tokens } = await setStage(service);
    afterAll(() => service.stop());

    test('every route has an entry in this table', () => {
      const routed = service.routes.map(({ operationId }) => operationId);
      expect(Object.keys(operations).sort()).toEqual(routed.sort());
    });

    for (const { operationId, method, scope } of service.routes) {
      const asked = operations[operationId];
      if (!asked) continue;
      const ask = async (token: string | null) => {
        if (asked.before) await service.call(...asked.before(held));
        const reply = await service.call(method, asked.path(held), {
          token,
          ...(asked.send && { body: asked.send(held) }),
        });
        if (asked.after) await service.call(...asked.after(held));
        return reply;
      };
      const shows = async (token: string, names: string[]) => {
        const reply = await ask(token);
        expect(reply.status).toBe(200);
        expect(asked.names(reply).sort()).toEqual(names);
      };

      describe(operationId, () => {
        // Refusals first: what they must not change is then read by those who may.
        for (const who of unauthorized)
          test(`${who} is unauthorized`, async () => {
            const reply = await ask(tokens[who] ?? null);
            expectError(reply, { status: 401, code: 401001 });
            expect(reply.headers.get('www-authenticate')).toBe('Bearer');
          });

        test(`a token without ${scope} may not`, async () => {
          const without = scopes.filter((one) => one !== scope);
          const reply = await ask(await service.newToken({ scopes: without }));
          expectError(reply, { status: 403, code: 403001 });
        });

        test(`a token with ${scope} alone may`, async () => {
          await shows(await service.newToken({ scopes: [scope] }), asked.account);
        });

        for (const who of ['another account', 'another manager']) {
          const manager = who === 'another manager' ? asked.refusedToManager : undefined;
          const refused = manager ?? asked.refused;
          test(`${who} ${refused ? `is told ${refused.code}` : 'is shown nothing of it'}`, async () => {
            const token = tokens[who] as string;
            if (refused) expectError(await ask(token), refused);
            else await shows(token, asked.others);
          });
        }

        test('the account may', () => shows(service.token, asked.account));
        test(`its manager’s token may${scope === 'manage' ? ' not' : ''}`, async () => {
          const token = tokens['its manager'] as string;
          // A manager's token never holds that scope.
          if (scope === 'manage') expectError(await ask(token), noAccess);
          else await shows(token, asked.manager);
        });
      });
    }

    describe('for all that', () => {
      test('the word Bearer may be written in any case, and nothing else will do', async () => {
        const withHeader = (authorization: string) =>
          service.call('GET', '/v1/activities', { token: null, headers: { authorization } });
        expect((await withHeader(`bearer ${service.token}`)).status).toBe(200);
        expect((await withHeader(`BEARER  ${service.token}`)).status).toBe(200);
        for (const header of [
          service.token,
          `Basic ${service.token}`,
          `Bearer ${service.token} x`,
          `Token ${service.token}`,
          'Bearer',
          'Bearer ',
        ])
          expectError(await withHeader(header), { status: 401, code: 401001 });
      });

      test('a token in the query is no token', async () => {
        const path = `/v1/activities?access_token=${service.token}`;
        expect((await service.call('GET', path, { token: null })).status).toBe(401);
      });

      test('a token ends at the instant it expires', async () => {
        const startedAt = service.clock.now;
        const token = await service.newToken({ expires_at: startedAt + 1_000 });
        const statusAt = async (at: number) => {
          service.clock.now = at;
          return (await service.call('GET', '/v1/activities', { token })).status;
        };
        expect(await statusAt(startedAt + 999)).toBe(200);
        expect(await statusAt(startedAt + 1_000)).toBe(401);
        service.clock.now = startedAt;
      });

      test('a token is revoked at once', async () => {
        const token = await service.newToken();
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(200);
        await revokeNewest(service);
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
      });

      test('a manager’s token never holds manage', async () => {
        const order = { manager_id: held.anna, scopes: ['channels:read', 'manage'] as const };
        expect(await refusal(service.newToken(order))).toBe('noPermission');
      });

      test('no token is made for another account’s manager', async () => {
        const account_id = await service.newAccount();
        const order = { account_id, manager_id: held.anna };
        expect(await refusal(service.newToken(order))).toBe('noUser');
      });
    });
  });
}

async function setStage(service: TestService) {
  const manager = await service.newManager('anna');
  const ben = await service.newManager('ben');
  const another = await service.newAccount();
  const tokens: Record<string, string | null> = {
    'its manager': await service.newToken({ manager_id: manager }),
    'another manager': await service.newToken({ manager_id: ben }),
    'another account': await service.newToken({ account_id: another, scopes }),
    'no token': null,
    'a malformed token': `${service.token.slice(0, -1)}${service.token.endsWith('x') ? 'y' : 'x'}`,
    'an unknown token': makeToken(),
    'an expired token': await service.newToken({ expires_at: service.clock.now - 1 }),
    'a revoked token': await service.newToken(),
  };
  await revokeNewest(service);
  const newChannel = async (name: string, token: string) =>
    (await service.call('POST', '/v1/activities', { token, body: { name } })).body.id as number;
  const own = await newChannel('accounts', service.token);
  const channel = await newChannel('annas', tokens['its manager'] as string);
  const at = service.clock.now;
  await addVisits(service, channel, [{ viewer_id: 'viewer', at }]);
  const said = { channel_id: channel, viewer_id: 'viewer', nick: '', text: 'hello', at };
  await service.store.perform(addMessage, said);
  const muted = { channel_id: channel, viewer_id: 'muted', kind: 'mute' as const, until: null };
  await service.store.perform(silence, { account_id: 1, ...muted, now: at });
  const [, video = 0] = await addVideos(service, [
    { name: 'accounts', channel_id: own },
    { name: 'annas', channel_id: channel, manager_id: manager },
  ]);
  return { held: { channel, video, anna: manager }, tokens };
}

async function revokeNewest(service: TestService): Promise<void> {
  const id = (await listTokens(service.store)).at(-1)?.id ?? 0;
  expect(await service.store.perform(revokeToken, { id, now: service.clock.now })).toBeTrue();
}

/** Why a promise was refused; undefined where it was kept. */
function refusal(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => undefined,
    (error) => (error as ApiError).kind,
  );
}
