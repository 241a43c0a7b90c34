// Exports under way whose caller may ask no longer, or whose channel was deleted: they break off, and say so.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { importOperations } from '../src/audience/records/session-import-store.ts';
import { openCommandStore } from '../src/base/db/store.ts';
import { readConfig } from '../src/config.ts';
import { register } from '../src/library/admission/registration-store.ts';
import { endLive, startLive } from '../src/stream/live/live-store.ts';
import { engines } from './support/engines.ts';
import { bringSessions } from './support/past-sessions.ts';
import { callByCookie, signUp } from './support/people.ts';
import { startTestService, type TestService } from './support/service.ts';

/** More than a socket holds of what nobody reads. */
const rows = 4_000;
const nick = '名'.repeat(60);

for (const engine of engines) {
  describe(engine.name, () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService(engine);
    });
    afterAll(() => service.stop());

    test('one that nothing happens to comes whole, also by a slow caller', async () => {
      const channel = await bigChannel(service);
      const taken = await begin(service, file(channel), `Authorization: Bearer ${service.token}`);
      service.clock.now += 5_000;
      const text = await taken.rest();
      expect(isWhole(text)).toBeTrue();
      expect(text.match(/"record_id"/g)).toHaveLength(rows);
    });

    test('one breaks off when its channel is deleted', async () => {
      const channel = await bigChannel(service);
      const taken = await begin(service, file(channel), `Authorization: Bearer ${service.token}`);
      expect((await service.call('DELETE', `/v1/activities/${channel}`)).status).toBe(200);
      expect(isWhole(await taken.rest())).toBeFalse();
    });

    test('one breaks off when its token is revoked, or may do less', async () => {
      const channel = await bigChannel(service);
      for (const take of [
        (id: number) => service.call('DELETE', `/manage/v1/tokens/${id}`),
        (id: number) =>
          service.call('PUT', `/manage/v1/tokens/${id}`, { body: { scopes: ['videos:read'] } }),
      ]) {
        const made = await service.call('POST', '/manage/v1/tokens', {
          body: { name: 'exports', scopes: ['audience:read', 'videos:read'] },
        });
        const { id, token } = made.body;
        const taken = await begin(service, file(channel), `Authorization: Bearer ${token}`);
        expect((await take(id)).status).toBe(200);
        service.clock.now += 2_000;
        expect(isWhole(await taken.rest())).toBeFalse();
      }
    });

    test('one breaks off when the session of who takes it is ended', async () => {
      const channel = await bigChannel(service);
      const { cookie } = await signUp(service, { user_name: `taker ${channel}` });
      const taken = await begin(service, file(channel), `Cookie: ${cookie}`);
      const left = await callByCookie(service, 'POST', '/manage/v1/sign-out', { cookie, body: {} });
      expect(left.status).toBe(200);
      service.clock.now += 2_000;
      expect(isWhole(await taken.rest())).toBeFalse();
    });

    test('of who watched a show nothing more comes when its channel is deleted', async () => {
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      const channel_id = body.id;
      const { now } = service.clock;
      const node = 'gone';
      const show = { channel_id, begin_at: now, media_ms: 0, anchors: '', end_at: null };
      await service.store.perform(startLive, { show, node, now, startedAt: now });
      const shows = await service.call('GET', `/manage/v1/channels/${channel_id}/shows`);
      const people = service.routes.find(({ operationId }) => operationId === 'exportShowPeople');
      const answer = await people?.handle({
        caller: { account_id: 1, manager_id: 0 },
        params: { channel_id, show_id: shows.body.shows[0].id },
        query: {},
      } as Parameters<NonNullable<typeof people>['handle']>[0]);
      const pieces = answer?.body as () => Promise<string>;
      expect(await pieces()).toStartWith('\uFEFFuser_id,');
      await service.store.perform(endLive, { node, show: { ...show, end_at: now } });
      expect((await service.call('DELETE', `/v1/activities/${channel_id}`)).status).toBe(200);
      await expect(pieces()).rejects.toThrow('channel');
    });

    test('one of who has registered breaks off, too', async () => {
      const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      const thing = `c${body.id}` as const;
      await service.store.perform(register, {
        ...{ channel_id: body.id, thing, viewer_id: 'ada', id: 'first', now: 1 },
        ...{ names: ['name'], answers: { name: 'Ada' } },
      });
      const opened = await openedRegistrations(service, body.id);
      for (const pieces of opened) expect(await pieces()).toContain('Ada');
      expect((await service.call('DELETE', `/v1/activities/${body.id}`)).status).toBe(200);
      for (const pieces of opened) await expect(pieces()).rejects.toThrow('channel');
    });
  });
}

/** Of who has registered, as its handler makes it. */
async function openedRegistrations(service: TestService, channel_id: number) {
  const names = ['exportChannelRegistrationsCsv', 'exportChannelRegistrationsNdjson'];
  const all = service.routes.filter(({ operationId }) => names.includes(operationId));
  return await Promise.all(
    all.map(async ({ handle }) => {
      const call = { caller: { account_id: 1, manager_id: 0 }, params: { channel_id }, query: {} };
      const { body } = await handle(call as Parameters<typeof handle>[0]);
      return body as () => Promise<string | undefined>;
    }),
  );
}

const file = (channel: number) => `/manage/v1/channels/${channel}/sessions.ndjson`;

async function bigChannel(service: TestService): Promise<number> {
  const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
  const sessions = Array.from({ length: rows }, (_, at) => ({
    record_id: at + 1,
    viewer_id: `v${at}`,
    entered_at: Date.UTC(2026, 0, 1) + at * 1_000,
    nick,
  }));
  const { databaseUrl, dataDir, databaseDeadlineMs } = readConfig(service.settings);
  const store = await openCommandStore(
    { databaseUrl, dataDir, deadlineMs: databaseDeadlineMs, connectionsMax: 1 },
    importOperations,
  );
  await bringSessions(store, body.id, sessions);
  await store.close();
  return body.id;
}

/** An answer of which the beginning has come, and the rest is not read yet. */
async function begin(service: TestService, path: string, header: string) {
  const { hostname, port } = new URL(service.url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  const texts: string[] = [];
  const first = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      texts.push(bytes.toString('latin1'));
      if (texts.length === 1) socket.pause();
      resolve();
    });
  });
  const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${header}\r\n\r\n`;
  socket.write(head);
  await first;
  expect(texts[0]).toStartWith('HTTP/1.1 200');
  return {
    rest: async () => {
      socket.resume();
      await closed;
      return texts.join('');
    },
  };
}

/** The last chunk is empty: RFC 9112 7.1. */
function isWhole(answer: string): boolean {
  return answer.endsWith('\r\n0\r\n\r\n');
}
