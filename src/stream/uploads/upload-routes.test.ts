// Uploads by tus, in the whole service: the protocol by hand, what is refused and why, cuts, and two requests at once.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engines } from '../../../test/support/engines.ts';
import { callByCookie, signUp } from '../../../test/support/people.ts';
import {
  HttpConnection,
  NoAnswer,
  requestText,
} from '../../../test/support/rude/http-connection.ts';
import { expectError, startBeside } from '../../../test/support/scenarios.ts';
import { type Reply, startTestService } from '../../../test/support/service.ts';
import { beginHeaders, pieceOf, tusHeaders } from '../../../test/support/uploads.ts';
import { httpLimits } from '../../web/http/http-limits.ts';
import { pieceType } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';

const uploads = '/manage/v1/uploads';
const invalid = { status: 400, code: 400001 };
const noUpload = { status: 404, code: 404015 };
const wrongOffset = { status: 409, code: 409024 };
const tooLarge = { status: 413, code: 413001 };
const foreign = { status: 403, code: 403010 };

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine, {
      settings: { UPLOAD_SIZE_MAX: '1M', MIN_FREE_DISK: '1M' },
    });
    afterAll(() => service.stop());
    const { url, token } = service;
    const newChannel = async () =>
      (await service.call('POST', '/v1/activities', { body: { name: 'show' } })).body.id as number;
    const channel_id = await newChannel();
    const beginWith = (headers: Record<string, string>) =>
      service.call('POST', uploads, { headers });
    /** The path of a new one. */
    const begin = async (size: number, of = channel_id) => {
      const reply = await beginWith(beginHeaders({ channel_id: of, filename: 'a day.mp4' }, size));
      expect(reply.status).toBe(201);
      return new URL(reply.headers.get('location') ?? '').pathname;
    };
    const send = (path: string, offset: number | string, bytes: string | Uint8Array) =>
      service.call('PATCH', path, {
        headers: { ...tusHeaders, 'upload-offset': String(offset) },
        body: pieceOf(bytes),
      });
    const head = (path: string) => service.call('HEAD', path, { headers: tusHeaders });
    const offsetOf = async (path: string) =>
      Number((await head(path)).headers.get('upload-offset'));
    const end = (path: string) => service.call('DELETE', path, { headers: tusHeaders });
    const folder = join(service.settings['DATA_DIR'] ?? '', 'uploads');
    const fileOf = (path: string) => join(folder, path.split('/').at(-1) ?? '');
    /** The head of a PATCH of so many bytes, of which the rest is for the test to send. */
    const patchHead = (path: string, offset: number, length: number) =>
      requestText('PATCH', path, {
        token,
        headers: {
          ...tusHeaders,
          'content-type': pieceType,
          'upload-offset': String(offset),
          'content-length': String(length),
        },
      });
    /** Resolves when so much lies on the disk. */
    const untilOnDisk = async (path: string, bytes: number) => {
      while (readFileSync(fileOf(path)).length < bytes) await Bun.sleep(5);
    };

    test('begun, brought in two pieces and asked for between, by the letter of tus', async () => {
      const begun = await beginWith(beginHeaders({ channel_id, filename: 'a day.mp4' }, 10));
      expect(begun.status).toBe(201);
      const { id, ...rest } = begun.body;
      expect(rest).toMatchObject({ channel_id, name: 'a day', filename: 'a day.mp4', size: 10 });
      expect(rest).toMatchObject({ offset: 0, state: 'coming', problem: '', video_id: null });
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(begun.headers.get('location')).toBe(`${url}${uploads}/${id}`);
      expect(begun.headers.get('upload-expires')).toBe('Tue, 05 May 2026 12:00:00 GMT');
      const path = `${uploads}/${id}`;
      const first = await send(path, 0, 'hello');
      expect({ status: first.status, text: first.text }).toEqual({ status: 204, text: '' });
      expect(Object.fromEntries(first.headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'upload-offset': '5',
        'upload-expires': 'Tue, 05 May 2026 12:00:00 GMT',
      });
      const asked = await head(path);
      expect(asked.status).toBe(200);
      expect(Object.fromEntries(asked.headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'upload-offset': '5',
        'upload-length': '10',
        'cache-control': 'no-store',
      });
      expect((await service.call('GET', path)).body).toMatchObject({ offset: 5, state: 'coming' });
      expect(readFileSync(fileOf(path), 'utf8')).toBe('hello');
      expect((await end(path)).status).toBe(204);
      expect(existsSync(fileOf(path))).toBeFalse();
      expectError(await service.call('GET', path), noUpload);
      expect((await head(path)).status).toBe(404);
    });

    test('what is spoken is told to who asks', async () => {
      const { status, headers } = await service.call('OPTIONS', uploads);
      expect(status).toBe(204);
      expect(Object.fromEntries(headers)).toMatchObject({
        'tus-version': '1.0.0',
        'tus-extension': 'creation,expiration,termination',
        'tus-max-size': '1048576',
      });
      expect(headers.has('access-control-allow-origin')).toBeFalse();
    });

    test.each<[string, Record<string, string>, Parameters<typeof expectError>[1], RegExp]>([
      ['no length', { 'upload-length': '' }, { ...invalid, fields: ['Upload-Length'] }, /./],
      ['no bytes', { 'upload-length': '0' }, { ...invalid, fields: ['Upload-Length'] }, /./],
      [
        'a broken length',
        { 'upload-length': '1e3' },
        { ...invalid, fields: ['Upload-Length'] },
        /./,
      ],
      ['too many bytes', { 'upload-length': '1048577' }, tooLarge, /at most 1048576/],
      [
        'metadata without a channel',
        { 'upload-metadata': 'filename YS5tcDQ=' },
        { status: 400, code: 400002, fields: ['channel_id'] },
        /./,
      ],
      [
        'metadata that is no base64',
        { 'upload-metadata': 'channel_id 1' },
        { ...invalid, fields: ['Upload-Metadata'] },
        /./,
      ],
      [
        'metadata with a key twice',
        { 'upload-metadata': 'channel_id MQ==,channel_id Mg==' },
        { ...invalid, fields: ['Upload-Metadata'] },
        /./,
      ],
      [
        'a channel that is no number',
        { 'upload-metadata': `channel_id ${btoa('first')}` },
        { ...invalid, fields: ['channel_id'] },
        /./,
      ],
      [
        'a name that is too long',
        { 'upload-metadata': `channel_id ${btoa('1')},name ${btoa('x'.repeat(256))}` },
        { ...invalid, fields: ['name'] },
        /./,
      ],
      [
        'a channel that is not there',
        { 'upload-metadata': `channel_id ${btoa('999999')}` },
        { status: 404, code: 404002 },
        /No such channel/,
      ],
      ['another version', { 'tus-resumable': '0.2.2' }, { status: 412, code: 412001 }, /1\.0\.0/],
      ['no version', { 'tus-resumable': '' }, { status: 412, code: 412001 }, /Tus-Resumable/],
    ])('%s is refused with a sentence, and nothing is kept', async (_, headers, wanted, why) => {
      const before = readdirSync(folder);
      const reply = await beginWith({ ...beginHeaders({ channel_id }, 10), ...headers });
      expectError(reply, wanted);
      expect(reply.body.errors.message).toMatch(why);
      expect(reply.headers.get('tus-resumable')).toBe('1.0.0');
      if (wanted.status === 412) expect(reply.headers.get('tus-version')).toBe('1.0.0');
      expect(readdirSync(folder)).toEqual(before);
    });

    test('bytes that do not belong there are refused, and those that are there stay', async () => {
      const path = await begin(10);
      await send(path, 0, 'hello');
      expectError(await send(path, 4, 'lower'), wrongOffset);
      expectError(await send(path, 6, 'more'), wrongOffset);
      expectError(await send(path, 'x', ''), { ...invalid, fields: ['Upload-Offset'] });
      expectError(await send(path, '-1', ''), { ...invalid, fields: ['Upload-Offset'] });
      expectError(await send(path, 5, 'too many'), tooLarge);
      const json = { headers: { ...tusHeaders, 'upload-offset': '5' }, body: {} };
      expectError(await service.call('PATCH', path, json), { status: 415, code: 415003 });
      for (const other of [`${path.slice(0, -1)}x`, `${path}0`, `${uploads}/1`, `${uploads}/..%2f`])
        expectError(await send(other, 0, ''), noUpload);
      expect(await offsetOf(path)).toBe(5);
      await end(path);
    });

    test('a long body that is refused ends its connection, and is not read on', async () => {
      const path = await begin(1_000_000);
      const connection = await HttpConnection.open(url);
      const answer = await connection.send(`${patchHead(path, 7, 999_000)}some bytes`);
      expect(answer.status).toBe(409);
      expect(answer.headers['connection']).toBe('close');
      await connection.closed;
      expect(await offsetOf(path)).toBe(0);
      await end(path);
    });

    test('bytes that do not say how many they are end at the length', async () => {
      const path = await begin(10);
      const pieces = (async function* () {
        yield Buffer.from('hello ');
        yield Buffer.from('world, and more');
      })();
      const response = await fetch(url + path, {
        method: 'PATCH',
        headers: {
          ...tusHeaders,
          authorization: `Bearer ${token}`,
          'content-type': pieceType,
          'upload-offset': '0',
        },
        body: pieces,
      });
      expect(response.status).toBe(413);
      expect(await offsetOf(path)).toBeLessThanOrEqual(6);
      await end(path);
    });

    test('what came before the line was cut is kept, and it goes on from there', async () => {
      const path = await begin(300_000);
      const bytes = Buffer.alloc(300_000, 'some of a film ');
      const cut = await HttpConnection.open(url);
      cut.sendPart(patchHead(path, 0, 300_000));
      cut.sendPart(bytes.subarray(0, 100_000));
      await untilOnDisk(path, 100_000);
      cut.close();
      expect(await offsetOf(path)).toBe(100_000);
      expect((await send(path, 100_000, bytes.subarray(100_000, 299_999))).status).toBe(204);
      expect(readFileSync(fileOf(path)).equals(bytes.subarray(0, 299_999))).toBeTrue();
      await end(path);
    });

    test.each(['HEAD', 'PATCH'])(
      'a newer %s ends an older PATCH that hangs, and knows its last byte',
      async (method) => {
        const path = await begin(100);
        const hangs = await HttpConnection.open(url);
        const answer = hangs.send(`${patchHead(path, 0, 100)}some bytes`);
        await untilOnDisk(path, 10);
        if (method === 'HEAD') expect(await offsetOf(path)).toBe(10);
        else expect((await send(path, 10, ' and more')).status).toBe(204);
        const refusal = await answer.catch((error) => error);
        if (!(refusal instanceof NoAnswer)) {
          expect(refusal.status).toBe(503);
          expect(refusal.body.errors.message).toContain('Another request goes on');
        }
        hangs.close();
        expect(readFileSync(fileOf(path), 'utf8')).toStartWith('some bytes');
        await end(path);
      },
    );

    test('of two at once from the same place one is taken whole', async () => {
      const path = await begin(100);
      const replies = await Promise.all([send(path, 0, 'aaaaa'), send(path, 0, 'bbbbb')]);
      const [taken, ...others] = replies.map(({ status }) => status).sort();
      expect(taken).toBe(204);
      expect([409, 503]).toContain(others[0] ?? 0);
      expect(readFileSync(fileOf(path), 'utf8')).toMatch(/^(a{5}|b{5})$/);
      await end(path);
    });

    test('one that is written can be ended, and nothing is left', async () => {
      const path = await begin(100);
      const writes = await HttpConnection.open(url);
      const answer = writes.send(`${patchHead(path, 0, 100)}some bytes`).catch(() => undefined);
      await untilOnDisk(path, 10);
      expect((await end(path)).status).toBe(204);
      expect(existsSync(fileOf(path))).toBeFalse();
      await answer;
      writes.close();
      expectError(await send(path, 10, 'x'), noUpload);
    });

    test('an account has so many, and another one its own', async () => {
      const account_id = await service.newAccount();
      const other = await service.newToken({ account_id });
      const made = await service.call('POST', '/v1/activities', {
        token: other,
        body: { name: 'theirs' },
      });
      const headers = beginHeaders({ channel_id: made.body.id }, 10);
      const one = () => service.call('POST', uploads, { token: other, headers });
      const replies = await Promise.all(
        Array.from({ length: uploadLimits.unfinishedMax + 2 }, one),
      );
      const statuses = replies.map(({ status }) => status).sort();
      expect(statuses.filter((status) => status === 201)).toHaveLength(uploadLimits.unfinishedMax);
      expectError(await one(), { status: 409, code: 409025 });
      expect(readdirSync(folder)).toHaveLength(uploadLimits.unfinishedMax);
      const path = await begin(10);
      await end(path);
      for (const { status, headers: answered } of replies)
        if (status === 201) {
          const at = new URL(answered.get('location') ?? '').pathname;
          await service.call('DELETE', at, { token: other, headers: tusHeaders });
        }
      expect(readdirSync(folder)).toEqual([]);
    });

    test('a manager has half of what the others leave, and the account the rest', async () => {
      const account_id = await service.newAccount();
      const tokenOf = (manager_id: number) => service.newToken({ account_id, manager_id });
      const managers = await Promise.all(
        ['anna', 'ben'].map((username) => service.newManager(username, account_id)),
      );
      const beginsOf = async (manager_id: number) => {
        const other = await tokenOf(manager_id);
        const body = { name: 'theirs' };
        const made = await service.call('POST', '/v1/activities', { token: other, body });
        const headers = beginHeaders({ channel_id: made.body.id }, 10);
        return async (count: number) => {
          const one = () => service.call('POST', uploads, { token: other, headers });
          const replies = await Promise.all(Array.from({ length: count }, one));
          const refused = replies.filter(({ status }) => status !== 201);
          for (const reply of refused) expectError(reply, { status: 409, code: 409025 });
          return count - refused.length;
        };
      };
      const [anna = 0, ben = 0] = managers;
      const half = uploadLimits.unfinishedMax / 2;
      expect(await (await beginsOf(anna))(uploadLimits.unfinishedMax)).toBe(half);
      expect(await (await beginsOf(ben))(half)).toBe(half / 2);
      expect(await (await beginsOf(0))(half)).toBe(half / 2);
      const account = await tokenOf(0);
      for (const name of readdirSync(folder))
        await service.call('DELETE', `${uploads}/${name}`, { token: account, headers: tusHeaders });
      expect(readdirSync(folder)).toEqual([]);
    });

    test('bodies that hang have their places, of which another account finds some', async () => {
      const paths = [await begin(100), await begin(100)];
      const connections: HttpConnection[] = [];
      const answers: Promise<unknown>[] = [];
      // Half of all of them, each for an upload of its own.
      const share = httpLimits.bodyStreamsMax / 2;
      while (paths.length < share) paths.push(await begin(100));
      for (const path of paths) {
        const connection = await HttpConnection.open(url);
        connections.push(connection);
        answers.push(connection.send(`${patchHead(path, 0, 100)}some bytes`).catch(() => {}));
        await untilOnDisk(path, 10);
      }
      const [first = ''] = paths;
      const crowded = await send(first, 10, 'more');
      expectError(crowded, { status: 503, code: 503001 });
      expect(crowded.headers.get('retry-after')).toBe('2');
      // Who looks where to go on ends the one that hangs, and has its place.
      expect(await offsetOf(first)).toBe(10);
      await answers[0];
      expect((await send(first, 10, 'more')).status).toBe(204);
      const account_id = await service.newAccount();
      const other = await service.newToken({ account_id });
      const body = { name: 'theirs' };
      const made = await service.call('POST', '/v1/activities', { token: other, body });
      const theirs = await service.call('POST', uploads, {
        token: other,
        headers: beginHeaders({ channel_id: made.body.id }, 10),
      });
      const brought = await service.call('PATCH', `${uploads}/${theirs.body.id}`, {
        token: other,
        headers: { ...tusHeaders, 'upload-offset': '0' },
        body: pieceOf('hello'),
      });
      expect(brought.status).toBe(204);
      for (const path of paths) await end(path);
      await Promise.all(answers);
      for (const connection of connections) connection.close();
      await service.call('DELETE', `${uploads}/${theirs.body.id}`, {
        token: other,
        headers: tusHeaders,
      });
    });

    test('what has come counts as what the account takes on disk', async () => {
      const path = await begin(100);
      const before = (await service.call('GET', '/manage/v1/storage')).body;
      service.clock.now += uploadLimits.noteEveryMs;
      await send(path, 0, 'x'.repeat(60));
      service.clock.now += uploadLimits.noteEveryMs;
      await send(path, 60, '');
      const { bytes, uploads_bytes } = (await service.call('GET', '/manage/v1/storage')).body;
      expect({ bytes, uploads_bytes }).toEqual({
        bytes: before.bytes + 120,
        uploads_bytes: before.uploads_bytes + 120,
      });
      await end(path);
    });

    test('of a deleted channel there is none until it is brought back', async () => {
      const own = await newChannel();
      const path = await begin(10, own);
      await send(path, 0, 'hello');
      await service.call('DELETE', `/v1/activities/${own}`);
      expectError(await send(path, 5, 'world'), noUpload);
      expect((await head(path)).status).toBe(404);
      const listed = await service.call('GET', `${uploads}?channel_id=${own}`);
      expect(listed.body.uploads).toEqual([]);
      await service.call('POST', `/manage/v1/channels/${own}/restore`);
      expect(await offsetOf(path)).toBe(5);
      await end(path);
    });

    describe('bytes that come when it is over are not taken, those before are kept:', () => {
      const brokenOff = async (
        path: string,
        who: Record<string, string>,
        { over, status }: { over(): Promise<Reply>; status: number },
      ) => {
        const connection = await HttpConnection.open(url);
        const asked = requestText('PATCH', path, {
          headers: {
            ...tusHeaders,
            'content-type': pieceType,
            'upload-offset': '0',
            'content-length': '100',
            ...who,
          },
        });
        const answer = connection.send(`${asked}some bytes`);
        await untilOnDisk(path, 10);
        // Who may is not ended by the look.
        service.clock.now += httpLimits.callerCheckEveryMs;
        connection.sendPart(' and more');
        await untilOnDisk(path, 19);
        expect((await over()).status).toBe(200);
        service.clock.now += httpLimits.callerCheckEveryMs;
        connection.sendPart(' and all the rest');
        const { status: answered, headers } = await answer;
        expect({ answered, connection: headers['connection'] }).toEqual({
          answered: status,
          connection: 'close',
        });
        await connection.closed;
        expect(readFileSync(fileOf(path), 'utf8')).toBe('some bytes and more');
      };

      test('the token was revoked', async () => {
        const path = await begin(100);
        const body = { name: 'shop', scopes: ['videos:write'] };
        const made = (await service.call('POST', '/manage/v1/tokens', { body })).body;
        const over = () => service.call('DELETE', `/manage/v1/tokens/${made.id}`);
        const who = { authorization: `Bearer ${made.token}` };
        await brokenOff(path, who, { over, status: 401 });
        expect(await offsetOf(path)).toBe(19);
        await end(path);
      });

      test('the person was removed', async () => {
        const path = await begin(100);
        // The last one cannot be removed.
        await signUp(service, { user_name: 'dora' });
        const ben = await signUp(service, { user_name: 'ben' });
        const over = () => service.call('POST', `/manage/v1/people/${ben.id}/remove`, { body: {} });
        const who = { cookie: ben.cookie, origin: url, host: new URL(url).host };
        await brokenOff(path, who, { over, status: 401 });
        expect(await offsetOf(path)).toBe(19);
        await end(path);
      });

      test('the channel was deleted', async () => {
        const own = await newChannel();
        const path = await begin(100, own);
        const over = () => service.call('DELETE', `/v1/activities/${own}`);
        await brokenOff(path, { authorization: `Bearer ${token}` }, { over, status: 404 });
        await service.call('POST', `/manage/v1/channels/${own}/restore`);
        expect(await offsetOf(path)).toBe(19);
        await end(path);
      });
    });

    test('the audit log has who began it and who made it whole, with its name, and no one between', async () => {
      const cara = await signUp(service, { user_name: 'cara' });
      const begun = await beginWith(beginHeaders({ channel_id, name: 'Our day' }, 10));
      const path = `${uploads}/${begun.body.id}`;
      await send(path, 0, 'hello');
      service.clock.now += 60_000;
      const patched = await service.call('PATCH', path, {
        token: null,
        headers: { ...tusHeaders, 'upload-offset': '5', cookie: cara.cookie, origin: url },
        body: pieceOf('world'),
      });
      expect(patched.status).toBe(204);
      expectError(await send(path, 10, ''), wrongOffset);
      await head(path);
      const { entries } = (await service.call('GET', '/manage/v1/audit?group=videos')).body;
      const target = { kind: 'channel', id: channel_id, name: 'show' };
      const noted = { target, channel_id, fields: [], values: { name: 'Our day' } };
      expect(entries.slice(0, 2)).toMatchObject([
        { ...noted, operation: 'continueUpload', who: { kind: 'person', id: cara.id } },
        { ...noted, operation: 'beginUpload', who: { kind: 'token' } },
      ]);
      const { body } = await service.call('GET', '/manage/v1/audit?q=our%20day');
      expect(body.entries).toHaveLength(2);
    });

    test('by the cookie an upload comes from a page of ours alone, and never as what a form sends', async () => {
      const { cookie } = await signUp(service, { user_name: 'ada' });
      const by = (method: string, path: string, headers: Record<string, string>, body?: Blob) =>
        service.call(method, path, {
          token: null,
          headers: { cookie, origin: url, ...headers },
          ...(body && { body }),
        });
      const headers = beginHeaders({ channel_id }, 10);
      const begun = await by('POST', uploads, headers);
      expect(begun.status).toBe(201);
      const path = `${uploads}/${begun.body.id}`;
      const offset = { ...tusHeaders, 'upload-offset': '0' };
      expect((await by('PATCH', path, offset, pieceOf('hello'))).status).toBe(204);
      expect((await by('HEAD', path, tusHeaders)).status).toBe(200);
      const elsewhere = { origin: `${url}1` };
      expectError(await by('POST', uploads, { ...headers, ...elsewhere }), foreign);
      expectError(await by('PATCH', path, { ...offset, ...elsewhere }, pieceOf('')), foreign);
      expectError(await by('DELETE', path, { ...tusHeaders, ...elsewhere }), foreign);
      expect((await by('HEAD', path, { ...tusHeaders, ...elsewhere })).status).toBe(403);
      const { 'Tus-Resumable': _, ...unsaid } = headers;
      for (const type of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'])
        expectError(await by('POST', uploads, { ...unsaid, 'content-type': type }), foreign);
      expectError(await by('POST', uploads, unsaid), foreign);
      const silent = await callByCookie(service, 'POST', uploads, { cookie, headers: unsaid });
      expectError(silent, foreign);
      expect((await by('DELETE', path, tusHeaders)).status).toBe(204);
    });

    test('a stop ends what is written, keeps what has come, and the next start goes on', async () => {
      const first = await startTestService(engine, { settings: { MIN_FREE_DISK: '1M' } });
      const made = await first.call('POST', '/v1/activities', { body: { name: 'show' } });
      const headers = beginHeaders({ channel_id: made.body.id }, 100);
      const path = `${uploads}/${(await first.call('POST', uploads, { headers })).body.id}`;
      const hangs = await HttpConnection.open(first.url);
      const file = join(first.settings['DATA_DIR'] ?? '', 'uploads', path.split('/').at(-1) ?? '');
      const asked = requestText('PATCH', path, {
        token: first.token,
        headers: {
          ...tusHeaders,
          'content-type': pieceType,
          'upload-offset': '0',
          'content-length': '100',
        },
      });
      const answer = hangs.send(`${asked}some bytes`).catch(() => undefined);
      while (readFileSync(file).length < 10) await Bun.sleep(5);
      await first.stop();
      await answer;
      hangs.close();
      const second = await startBeside(engine, first);
      const offset = await second.call('HEAD', path, { token: first.token, headers: tusHeaders });
      expect(offset.headers.get('upload-offset')).toBe('10');
      await second.stop();
    });
  });
}
