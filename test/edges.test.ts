// What lies around the interface: health, metrics, limits of a request, the memory of answers.
import { afterAll, describe, expect, test } from 'bun:test';
import { changeToken, revokeToken } from '../src/library/access/token-store.ts';
import { engines } from './support/engines.ts';
import { startTestService } from './support/service.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine);
    afterAll(() => service.stop());

    test('/livez and /readyz answer without a token', async () => {
      expect((await service.call('GET', '/livez', { token: null })).text).toBe('ok\n');
      const { status, body } = await service.call('GET', '/readyz', { token: null });
      expect(status).toBe(200);
      expect(body).toEqual({
        ready: true,
        draining: false,
        checks: { database: 'ok', disk: 'ok', rtmp: 'ok' },
      });
    });

    test('/metrics answers this machine, and others only with the scope manage', async () => {
      await service.call('GET', '/v1/activities');
      const local = await service.call('GET', '/metrics', { token: null });
      expect(local.text).toMatch(
        /footlight_http_requests_total\{operation="listChannels",status="200"\} [1-9]/,
      );
      expect(local.text).toContain('process_resident_memory_bytes');
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      expect((await service.call('GET', '/metrics', { token: null, headers })).status).toBe(401);
      expect((await service.call('GET', '/metrics', { headers })).status).toBe(200);
      const token = await service.newToken();
      expect((await service.call('GET', '/metrics', { token, headers })).status).toBe(403);
    });

    test('a page that is no operation answers only GET and HEAD', async () => {
      const { status, headers } = await service.call('POST', '/livez', { token: null });
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe('GET, HEAD');
    });

    test('an answer is never older than the last write, whoever asks how often', async () => {
      const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'first' } }))
        .body;
      const path = `/v1/activities/${id}`;
      const names = Array.from({ length: 50 }, (_, n) => `name ${n}`);
      for (const name of names) {
        // Others ask all the time, so that turns of the event loop are full.
        await Promise.all(Array.from({ length: 8 }, () => service.call('GET', path)));
        await service.call('PUT', path, { body: { name } });
        expect((await service.call('GET', path)).body.name).toBe(name);
        expect((await service.call('GET', '/v1/activities')).body.activities[0].name).toBe(name);
      }
    });

    test('a remembered answer ends with its token', async () => {
      const path = '/v1/activities';
      const dying = await service.newToken({ expires_at: service.clock.now + 1_000 });
      expect((await service.call('GET', path, { token: dying })).status).toBe(200);
      service.clock.now += 1_000;
      expect((await service.call('GET', path, { token: dying })).status).toBe(401);
      const revoked = await service.newToken();
      expect((await service.call('GET', path, { token: revoked })).status).toBe(200);
      const row = await service.store.one<{ id: number }>('SELECT MAX(id) AS id FROM tokens');
      await service.store.perform(revokeToken, { id: row?.id ?? 0, now: service.clock.now });
      expect((await service.call('GET', path, { token: revoked })).status).toBe(401);
    });

    test('what a token has lost since is neither shown nor told of', async () => {
      const token = await service.newToken();
      const row = await service.store.one<{ id: number }>('SELECT MAX(id) AS id FROM tokens');
      const { id = 0 } = row ?? {};
      const made = await service.call('POST', '/v1/activities', { body: { name: 'kept' } });
      const ask = async (path: string) => (await service.call('GET', path, { token })).status;
      const asked = [
        `/v1/activities/${made.body.id}`,
        '/v1/activities/999999',
        '/v1/activities?p=x',
      ];
      expect(await Promise.all(asked.map(ask))).toEqual([200, 404, 400]);
      const scopes = ['videos:read'] as const;
      const change = { account_id: 1, id, name: undefined, scopes };
      await service.store.perform(changeToken, change);
      expect(await Promise.all(asked.map(ask))).toEqual([403, 403, 403]);
      expect(await ask('/v1/videos')).toBe(200);
      await service.store.perform(revokeToken, { id, now: service.clock.now });
      expect(await Promise.all(['/v1/videos', ...asked].map(ask))).toEqual([401, 401, 401, 401]);
    });

    test.each(['0', '01', '-1', '1.0', '1e0', 'x', '%31x', '9007199254740993', '..%2f1'])(
      'the path id %s names nothing',
      async (id) => {
        expect((await service.call('GET', `/v1/activities/${id}`)).body.errors.code).toBe(404002);
        expect((await service.call('GET', `/v1/videos/${id}`)).body.errors.code).toBe(404003);
      },
    );

    test('null in a body leaves what the query says', async () => {
      const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'c' } })).body;
      const path = `/v1/activities/${id}/visitors?perPage=5`;
      const { headers } = await service.call('POST', path, { body: { perPage: null } });
      expect(headers.get('link')).toContain('perPage=5');
    });

    test('a client that breaks off its body is no error of ours', async () => {
      const { port } = new URL(service.url);
      const before = service.logLines.length;
      const socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: Number(port),
        socket: { data() {} },
      });
      const head = `POST /v1/activities HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Length: 50\r\n\r\n{"na`;
      socket.write(head);
      socket.flush();
      await service.call('GET', '/livez');
      socket.end();
      await logged(service, before, '"path":"/v1/activities"');
      expect(service.logLines.slice(before).join()).not.toContain('"level":"error"');
    });
  });
}

async function logged(service: { logLines: string[] }, from: number, text: string): Promise<void> {
  while (!service.logLines.slice(from).some((line) => line.includes(text))) await Bun.sleep(10);
}
