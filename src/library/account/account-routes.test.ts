// An account run by its owner over HTTP: managers, tokens, jobs, what its videos take, the secret of its links.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { addVideos, expectError } from '../../../test/support/scenarios.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { addRecording } from '../../stream/recording/recording-store.ts';
import { accessLimits } from '../access/access-limits.ts';
import { startTokenUses } from '../access/token-uses.ts';
import type { JobKind } from '../jobs/job.ts';
import { claimJob, failJob, finishJob } from '../jobs/job-store.ts';

const day = 86_400_000;

for (const engine of engines) {
  describe(`an account on ${engine.name}`, async () => {
    const service: TestService = await startTestService(engine, {
      settings: { ACCOUNT_DISK: '1G', VIDEO_RETENTION_DAYS: '90', IP_RETENTION_DAYS: '7' },
    });
    afterAll(() => service.stop());
    const { store, clock } = service;
    const ask = (method: string, path: string, body?: object) =>
      service.call(method, `/manage/v1/${path}`, body && { body });

    describe('managers', () => {
      test('are made, listed by name, renamed and removed', async () => {
        const ben = (await ask('POST', 'managers', { username: ' ben ' })).body;
        expect(ben).toEqual({
          id: ben.id,
          username: 'ben',
          channels: 0,
          created_at: '2026-05-04 12:00:00',
        });
        const { id } = (await ask('POST', 'managers', { username: 'zoe' })).body;
        await ask('PUT', `managers/${id}`, { username: 'anna' });
        await service.call('POST', '/v1/activities', { body: { name: 'a', act_manager_id: id } });
        const { managers } = (await ask('GET', 'managers')).body;
        expect(managers).toMatchObject([
          { id, username: 'anna', channels: 1 },
          { id: ben.id, username: 'ben', channels: 0 },
        ]);
        expect((await ask('DELETE', `managers/${id}`)).body).toEqual({ result: 'success' });
        expectError(await ask('DELETE', `managers/${id}`), { status: 404, code: 404001 });
        expect((await ask('GET', 'managers')).body.managers).toHaveLength(1);
      });

      test('have names of their own, and the field that is wrong is named', async () => {
        for (const username of ['ben', 'be\u200bn', '\u202eben']) {
          const again = await ask('POST', 'managers', { username });
          expectError(again, { status: 400, code: 400001, fields: ['username'] });
        }
        const none = { status: 400, code: 400002, fields: ['username'] };
        expectError(await ask('POST', 'managers', {}), none);
        expectError(await ask('POST', 'managers', { username: ' ' }), { ...none, code: 400001 });
      });

      test('are a thousand at most', async () => {
        const account_id = await service.newAccount();
        const token = await service.newToken({ account_id, scopes: ['manage'] });
        for (let n = 0; n < accessLimits.managersMax; n++)
          await service.newManager(`manager ${n}`, account_id);
        const body = { username: 'one more' };
        const reply = await service.call('POST', '/manage/v1/managers', { token, body });
        expectError(reply, { status: 403, code: 403002 });
      });
    });

    describe('a token', () => {
      test('is shown once, with all but manage unless it is said, and works', async () => {
        const { token, ...made } = (await ask('POST', 'tokens', { name: 'the shop' })).body;
        expect(made).toMatchObject({ name: 'the shop', manager: null, expires_at: '' });
        expect(made.scopes).not.toContain('manage');
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(200);
        const { text, body } = await ask('GET', 'tokens');
        expect(text).not.toContain(token);
        expect(body.tokens[0]).toEqual(made);
      });

      test('ends when its days are over', async () => {
        const order = { scopes: ['channels:read'], expires_in_days: '2' };
        const { token, expires_at } = (await ask('POST', 'tokens', order)).body;
        expect(expires_at).toBe('2026-05-06 12:00:00');
        clock.now += 2 * day;
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
        clock.now -= 2 * day;
      });

      test('can be let do less, not more', async () => {
        const order = { scopes: ['audience:read', 'channels:read'] };
        const { token, id } = (await ask('POST', 'tokens', order)).body;
        const status = async () => (await service.call('GET', '/v1/activities', { token })).status;
        expect(await status()).toBe(200);
        const less = await ask('PUT', `tokens/${id}`, { scopes: ['audience:read'] });
        expect(less.body.scopes).toEqual(['audience:read']);
        expect(await status()).toBe(403);
        const more = await ask('PUT', `tokens/${id}`, order);
        expectError(more, { status: 400, code: 400001, fields: ['scopes'] });
        const named = (await ask('PUT', `tokens/${id}`, { name: 'records' })).body;
        expect(named).toMatchObject({ name: 'records', scopes: ['audience:read'] });
      });

      test('with manage can be let do what manage holds', async () => {
        const { id } = (await ask('POST', 'tokens', { scopes: ['manage'] })).body;
        const less = await ask('PUT', `tokens/${id}`, { scopes: ['channels:run'] });
        expect(less.body.scopes).toEqual(['channels:run']);
      });

      test('is revoked at once, and once', async () => {
        const { token, id } = (await ask('POST', 'tokens', {})).body;
        expect((await ask('DELETE', `tokens/${id}`)).body).toEqual({ result: 'success' });
        expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
        expectError(await ask('DELETE', `tokens/${id}`), { status: 404, code: 404013 });
        expectError(await ask('PUT', `tokens/${id}`, { name: 'x' }), { status: 404, code: 404013 });
      });

      const wrong = [
        { scopes: ['everything'] },
        { scopes: [] },
        { scopes: 'manage' },
        { expires_in_days: -1 },
        { expires_in_days: 36_501 },
        { name: 'x'.repeat(256) },
      ];
      for (const body of wrong)
        test(`is not made of ${JSON.stringify(body).slice(0, 40)}, and the field is named`, async () => {
          const reply = await ask('POST', 'tokens', body);
          expectError(reply, { status: 400, code: 400001, fields: Object.keys(body) });
        });

      test('of a manager never holds manage', async () => {
        const manager_id = await service.newManager('carl');
        const made = (await ask('POST', 'tokens', { manager_id })).body;
        expect(made.manager).toEqual({ id: manager_id, username: 'carl' });
        const reply = await ask('POST', 'tokens', { manager_id, scopes: ['manage'] });
        expectError(reply, { status: 403, code: 403002 });
      });

      test('says when it was last used: all that were, in one write', async () => {
        const writes: object[] = [];
        const { log } = silent;
        const uses = startTokenUses({
          store: {
            perform: (operation, input) => {
              writes.push(input as object);
              return store.perform(operation, input);
            },
          },
          now: () => clock.now,
          log,
        });
        const made = [
          (await ask('POST', 'tokens', {})).body,
          (await ask('POST', 'tokens', {})).body,
        ];
        for (const { id } of [...made, ...made]) uses.note(id);
        expect(writes).toEqual([]);
        await uses.stop();
        expect(writes).toEqual([made.map(({ id }) => ({ id, at: clock.now }))]);
        const { tokens } = (await ask('GET', 'tokens')).body;
        for (const { id } of made)
          expect(tokens.find((one: { id: number }) => one.id === id)).toMatchObject({
            last_used_at: '2026-05-04 12:00:00',
          });
      });

      test('that somebody else noted later keeps the later time', async () => {
        const { id } = (await ask('POST', 'tokens', {})).body;
        for (const at of [clock.now + 60_000, clock.now]) {
          const uses = startTokenUses({ store, now: () => at, ...silent });
          uses.note(id);
          await uses.stop();
        }
        const { tokens } = (await ask('GET', 'tokens')).body;
        expect(tokens.find((one: { id: number }) => one.id === id)).toMatchObject({
          last_used_at: '2026-05-04 12:01:00',
        });
      });
    });

    test('shows its plan, its counts and what the operator has set', async () => {
      const account_id = await service.newAccount('standard');
      const token = await service.newToken({ account_id, scopes: ['manage', 'channels:write'] });
      await service.newManager('dora', account_id);
      await service.call('POST', '/v1/activities', { token, body: { name: 'a' } });
      const own = (method: string, body?: object) =>
        service.call(method, '/manage/v1/account', { token, ...(body && { body }) });
      expect((await own('GET')).body).toEqual({
        id: account_id,
        name: 'another',
        plan: 'standard',
        auto_save_live_video: true,
        place_language: 'en',
        created_at: '2026-05-04 12:00:00',
        channels: 1,
        channels_max: expect.any(Number),
        videos: 0,
        managers: 1,
        people: 0,
        tokens: 1,
        video_retention_days: 90,
        audience_retention_days: 0,
        ip_retention_days: 7,
      });
      const change = { name: 'Lantern', auto_save_live_video: false, place_language: 'zh' };
      const changed = await own('PUT', change);
      expect(changed.body).toMatchObject(change);
      expect((await own('PUT', {})).body).toMatchObject({ name: 'Lantern', plan: 'standard' });
      expectError(await own('PUT', { name: '' }), {
        status: 400,
        code: 400001,
        fields: ['name'],
      });
    });

    describe('storage', async () => {
      const account_id = await service.newAccount();
      const token = await service.newToken({ account_id, scopes: ['manage', 'channels:write'] });
      const channel = async (name: string) =>
        (await service.call('POST', '/v1/activities', { token, body: { name } })).body.id as number;
      const small = await channel('small');
      const large = await channel('large');
      const recorded = async (channel_id: number, video_size: number, jobs: JobKind[] = []) => {
        const { now } = clock;
        const times = {
          show_at: null,
          show_ms: null,
          startText: '',
          start_time: now,
          end_time: now,
        };
        const size = { video_size, duration: 1, width: 0, height: 0, sameAsSource: [] };
        const whose = { recording: crypto.randomUUID(), channel_id, account_id, node: 'here' };
        return Number(
          await store.perform(addRecording, { ...whose, ...times, ...size, jobs, now }),
        );
      };
      const video_id = await recorded(small, 10, ['mp4', 'cover']);
      await recorded(large, 2_000_000_000);
      await recorded(large, 3_000_000_000);
      await addVideos(service, [{ name: 'elsewhere', account_id, channel_id: small }]);

      test('is told by channel, the most first; what lies elsewhere takes nothing', async () => {
        const { body } = await service.call('GET', '/manage/v1/storage', { token });
        expect(body).toMatchObject({
          bytes: 10_000_000_020,
          videos: 3,
          channels: [
            { id: large, name: 'large', videos: 2, bytes: 10_000_000_000 },
            { id: small, name: 'small', videos: 1, bytes: 20 },
          ],
          meta: { total: 2, page: 1, current: 1 },
        });
        expect(body.bytes_max).toBeGreaterThan(900_000_000);
        const second = await service.call('GET', '/manage/v1/storage?p=2&perPage=1', { token });
        expect(second.body.channels).toMatchObject([{ id: small }]);
      });

      test('has jobs with their videos and reasons, by state, and a failed one begins again', async () => {
        const call = (method: string, path: string) =>
          service.call(method, `/manage/v1/jobs${path}`, {
            token,
            ...(method === 'POST' && { body: {} }),
          });
        const { jobs, counts } = (await call('GET', '')).body;
        expect(jobs).toMatchObject([
          { kind: 'cover', state: 'waiting', video: { id: video_id, name: 'small ' } },
          { kind: 'mp4', state: 'waiting', problem: '' },
        ]);
        expect(counts).toEqual({ waiting: 2, running: 0, done: 0, failed: 0 });
        const { id } = jobs[1];
        expectError(await call('POST', `/${id}/retry`), { status: 409, code: 409011 });
        const lease = { node: 'here', leased_by: 'me', now: clock.now, lease_until: clock.now + 1 };
        await store.perform(claimJob, lease);
        const failure = { id, leased_by: 'me', now: clock.now, problem: 'no', isFinal: true };
        await store.perform(failJob, failure);
        const failed = (await call('GET', '?state=failed')).body;
        expect(failed.jobs).toMatchObject([{ id, tries: 1, problem: 'no' }]);
        expect(failed.meta.total).toBe(1);
        expect((await call('POST', `/${id}/retry`)).body).toEqual({ id, state: 'waiting' });
        expect((await call('GET', '?state=failed')).body.jobs).toEqual([]);
        await store.perform(claimJob, lease);
        await store.perform(finishJob, { id, leased_by: 'me', now: clock.now });
        const done = (await call('GET', '?state=done')).body;
        expect(done.counts).toEqual({ waiting: 1, running: 0, done: 1, failed: 0 });
        expect([done.jobs.length, done.meta.total]).toEqual([1, 1]);
        expectError(await call('POST', '/999999/retry'), { status: 404, code: 404014 });
      });

      test('tells which channels are deleted, whose recordings are still there', async () => {
        await service.call('DELETE', `/v1/activities/${large}`, { token });
        const { body } = await service.call('GET', '/manage/v1/storage', { token });
        expect(body.channels).toMatchObject([
          { id: large, name: 'large', deleted: true, videos: 2 },
          { id: small, deleted: false },
        ]);
      });
    });

    test('has a secret for its links, and gets another', async () => {
      const before = (await ask('GET', 'viewer-secret')).body.secret;
      const made = (await ask('POST', 'viewer-secret/rotate', {})).body.secret;
      expect(made).not.toBe(before);
      expect((await ask('GET', 'viewer-secret')).body.secret).toBe(made);
    });
  });
}

const quiet = () => {};
const silent = {
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet, request: quiet, flush: quiet },
};
