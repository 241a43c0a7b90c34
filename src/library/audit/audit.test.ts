// Who did what: each write and its row, on both engines, over HTTP as people and programs ask.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { until } from '../../../test/support/live-channel.ts';
import { callByCookie, goodPassword, signIn, signUp } from '../../../test/support/people.ts';
import { addVisits, onDatabaseOf } from '../../../test/support/scenarios.ts';
import { type Json, startTestService } from '../../../test/support/service.ts';
import { type AnyRoute, isAudited } from '../../base/api/route.ts';
import { auditLimits } from './audit-limits.ts';
import { auditedOperations, refusedSignIn } from './audit-operations.ts';
import { noteRefusedSignIn } from './audit-store.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    const many = { SIGN_INS_PER_PERSON: '100000', SIGN_INS_PER_NETWORK: '100000' };
    const service = await startTestService(engine, { settings: many });
    afterAll(() => service.stop());
    const ada = await signUp(service, { user_name: 'ada' });
    const anna = await service.newManager('anna');
    const byAda = (method: string, path: string, body?: object) =>
      callByCookie(service, method, path, { cookie: ada.cookie, ...(body && { body }) });
    const entries = async (query = ''): Promise<Json[]> =>
      (await service.call('GET', `/manage/v1/audit${query}`)).body.entries;
    const last = async (query = '') => (await entries(query))[0];
    const newChannel = async (name: string): Promise<number> =>
      (await service.call('POST', '/v1/activities', { body: { name } })).body.id;

    test('every operation that the table says is audited is in the list, and no other', () => {
      const audited = service.routes.filter(isAudited).map(({ operationId }) => operationId);
      expect(Object.keys(auditedOperations).sort()).toEqual(audited.sort());
    });

    test('what changes nothing lasting, and what takes people’s data along, is said in the table', () => {
      const said = (what: AnyRoute['audit']) =>
        service.routes.filter(({ audit }) => audit === what).map(({ operationId }) => operationId);
      expect(said('nothing').sort()).toEqual([
        'getVisitors',
        'getWatchRecords',
        'lookAtLink',
        'previewPage',
      ]);
      expect(said('taken').sort()).toEqual([
        'exportAudit',
        'exportChannelRegistrationsCsv',
        'exportChannelRegistrationsNdjson',
        'exportSessionsCsv',
        'exportSessionsNdjson',
        'exportShowPeople',
        'exportShowPeopleNdjson',
        'exportVideoRegistrationsCsv',
        'exportVideoRegistrationsNdjson',
        'exportViewer',
        'exportVisitorsCsv',
        'exportVisitorsNdjson',
        'getViewerSecret',
      ]);
      expect(said('changes')).toEqual(['continueUpload']);
    });

    test('what the first start makes is the first of it', async () => {
      expect((await entries('?group=service')).length).toBe(2);
      expect(await last('?group=service')).toMatchObject({
        via: 'command',
        who: { kind: 'command' },
        operation: 'serve',
      });
    });

    describe('a row', () => {
      test('of a program has its token, what it made and the name', async () => {
        const token = await service.newToken({ manager_id: anna });
        const body = { name: 'Spring', act_manager_id: anna };
        const { body: made } = await service.call('POST', '/v1/activities', { token, body });
        expect(await last()).toMatchObject({
          at: '2026-05-04 12:00:00',
          via: 'interface',
          who: { kind: 'token', name: 'test', manager: { id: anna, username: 'anna' } },
          operation: 'createChannel',
          group: 'channels',
          target: { kind: 'channel', id: made.id, name: 'Spring' },
          channel_id: made.id,
          fields: ['name', 'act_manager_id'],
          values: { name: 'Spring' },
          address: '127.0.0.1',
          times: 1,
        });
      });

      test('of a person by the console has the name before and the one after', async () => {
        const id = await newChannel('Autumn');
        await byAda('PUT', `/v1/activities/${id}`, { name: 'Winter' });
        expect(await last()).toMatchObject({
          via: 'console',
          who: { kind: 'person', id: ada.id, name: 'ada', manager: null },
          operation: 'renameChannel',
          target: { kind: 'channel', id, name: 'Autumn' },
          values: { name: 'Winter' },
        });
      });

      test('stays with the names that were, when they are gone', async () => {
        const ben = await signUp(service, { user_name: 'ben' });
        const name = 'by ben';
        await callByCookie(service, 'POST', '/v1/activities', {
          cookie: ben.cookie,
          body: { name },
        });
        await byAda('POST', `/manage/v1/people/${ben.id}/remove`, {});
        expect(await entries(`?person=${ben.id}`)).toMatchObject([
          { operation: 'createChannel', who: { name: 'ben' } },
          { operation: 'useLink', who: { name: 'ben' } },
        ]);
        expect(await last()).toMatchObject({ operation: 'removePerson', target: { name: 'ben' } });
      });

      test('never holds a value that is not declared as a name', async () => {
        const password = 'four violet lamps';
        const change = { name: 'Ada', password, old_password: goodPassword };
        const renewed = await byAda('PUT', '/manage/v1/me', change);
        expect(renewed.status).toBe(200);
        const back = { name: 'ada', password: goodPassword, old_password: password };
        await byAda('PUT', '/manage/v1/me', back);
        expect((await last()).fields).toEqual(['name', 'password', 'old_password']);
        expect(await everything()).not.toMatch(/lamps|footlight_/);
      });

      test('is not there for what was refused, looked at, or done before with the same key', async () => {
        const id = await newChannel('one');
        const before = (await entries()).length;
        await service.call('PUT', '/v1/activities/999999', { body: { name: 'x' } });
        await service.call('PUT', `/v1/activities/${id}`, { body: { name: '' } });
        await service.call('POST', `/manage/v1/channels/${id}/page/preview`, { body: {} });
        await service.call('POST', `/v1/activities/${id}/visitors`, { body: {} });
        await service.call('GET', `/v1/activities/${id}`);
        expect((await entries()).length).toBe(before);
        const keyed = { body: { name: 'two' }, headers: { 'idempotency-key': 'k' } };
        for (const _ of [1, 2]) await service.call('POST', '/v1/activities', keyed);
        expect((await entries()).length).toBe(before + 1);
      });

      test('of an export is there, of its head alone is not', async () => {
        const id = await newChannel('watched');
        await addVisits(service, id, [{ viewer_id: 'vera', at: service.clock.now }]);
        const path = `/manage/v1/channels/${id}/sessions.csv`;
        await service.call('HEAD', path);
        expect((await last()).operation).toBe('createChannel');
        expect((await service.call('GET', path)).text).toContain('vera');
        expect(await last()).toMatchObject({ operation: 'exportSessionsCsv', channel_id: id });
        await service.call('POST', '/manage/v1/viewers/erase', { body: { viewer_id: 'vera' } });
        expect(await last()).toMatchObject({
          operation: 'eraseViewer',
          target: null,
          fields: ['viewer_id'],
          values: {},
        });
        expect(await everything()).not.toContain('vera');
      });
    });

    describe('signing in', () => {
      test('is noted, and signing out, with who it was', async () => {
        const reply = await signIn(service, 'ada');
        expect(await last()).toMatchObject({ operation: 'signIn', who: { id: ada.id } });
        const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
        await callByCookie(service, 'POST', '/manage/v1/sign-out', { cookie, body: {} });
        expect(await last()).toMatchObject({ operation: 'signOut', who: { id: ada.id } });
      });

      test('in vain is noted for a name that there is, joined by address and bounded', async () => {
        const rows = () => entries(`?person=${ada.id}&group=sign_in&perPage=200`);
        const refused = async () =>
          (await rows()).filter(({ operation }) => operation === refusedSignIn);
        const times = async () => (await refused()).reduce((sum, row) => sum + row.times, 0);
        // Nobody who is refused waits for it.
        const noted = (count: number) =>
          until(async () => (await times()) === count, {
            withinMs: 10_000,
            otherwise: `${count} tries are not noted`,
          });
        await signIn(service, 'nobody', { password: 'wrong wrong' });
        // Two that are noted at once may have a row each.
        for (const count of [1, 2]) {
          await signIn(service, 'ada', { password: 'wrong wrong' });
          await noted(count);
        }
        expect(await refused()).toMatchObject([{ address: '127.0.0.1' }]);
        const { refusedRowsMax, refusedJoinedMs } = auditLimits;
        for (let at = 0; at < refusedRowsMax + 5; at++)
          await service.store.perform(noteRefusedSignIn, {
            person_id: ada.id,
            address: `203.0.113.${at}`,
            at: service.clock.now,
          });
        expect(await times()).toBe(2 + refusedRowsMax + 5);
        expect((await refused()).length).toBe(refusedRowsMax);
        service.clock.now += refusedJoinedMs;
        await signIn(service, 'ada', { password: 'wrong wrong' });
        await noted(2 + refusedRowsMax + 6);
        expect((await refused()).length).toBe(refusedRowsMax + 1);
      });
    });

    describe('without its row', () => {
      test('no write is done and no export given', async () => {
        const id = await newChannel('kept');
        const rename = (from: string, to: string) =>
          onDatabaseOf(service, async (sql) => {
            await sql.run(`ALTER TABLE ${from} RENAME TO ${to}`);
          });
        await rename('audit_log', 'audit_hidden');
        const body = { name: 'not done' };
        expect((await service.call('PUT', `/v1/activities/${id}`, { body })).status).toBe(500);
        const path = `/manage/v1/channels/${id}/visitors.csv`;
        expect((await service.call('GET', path)).status).toBe(500);
        // Nothing is known of this viewer, so the row would have been a write of its own.
        const forgotten = { body: { viewer_id: 'nobody' } };
        const erased = await service.call('POST', '/manage/v1/viewers/erase', forgotten);
        expect(erased.status).toBe(200);
        expect(service.logLines.join()).toContain('the audit log lacks a write that was done');
        await rename('audit_hidden', 'audit_log');
        expect((await service.call('GET', `/v1/activities/${id}`)).body.name).toBe('kept');
      });
    });

    async function everything(): Promise<string> {
      return JSON.stringify(await service.store.all('SELECT * FROM audit_log'));
    }
  });
}
