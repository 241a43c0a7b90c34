// What callers send otherwise than the interface writes it: other spellings, unknown names, a slash more, forms.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from './support/engines.ts';
import { callByCookie, goodPassword, signUp } from './support/people.ts';
import { addVisits, expectError } from './support/scenarios.ts';
import { type Reply, startTestService, type TestService } from './support/service.ts';

const formType = 'application/x-www-form-urlencoded';
const ignoredBy = ({ headers }: Reply) => headers.get('x-ignored-parameters');

/** A body that a client sends as a form. */
const sendForm = (service: TestService, path: string, body: string, method = 'POST') =>
  service.call(method, path, { body, headers: { 'content-type': formType } });

for (const engine of engines) {
  describe(engine.name, async () => {
    const service = await startTestService(engine, { settings: { RECORDS_CALLS_PER_DAY: '0' } });
    afterAll(() => service.stop());
    const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a show' } }))
      .body;
    const visits = Array.from({ length: 5 }, (_, n) => ({
      viewer_id: `v${n}`,
      at: Date.UTC(2026, 4, 1, 19, n),
      watch_ms: 120_000,
    }));
    await addVisits(service, id, visits);
    const visitors = `/v1/activities/${id}/visitors`;
    const records = `/v1/activities/${id}/userRecords`;
    const idsOf = ({ body }: Reply) =>
      body.map((row: Record<string, string>) => row['visitor_id'] ?? row['user_id']);

    test('a loop by `page` over visitors comes to an end, and has each once', async () => {
      const seen: string[] = [];
      for (let page = 1; ; page += 1) {
        const body = { page, perPage: 2, direction: 'asc' };
        const reply = await service.call('POST', visitors, { body });
        expect(ignoredBy(reply)).toBeNull();
        if (reply.body.length === 0) break;
        seen.push(...idsOf(reply));
      }
      expect(seen).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
    });

    test('`startTime` and `endTime` are the period', async () => {
      const body = { startTime: '2026-05-01 19:01:00', endTime: '2026-05-01 19:02' };
      const reply = await service.call('POST', records, { body });
      expect(idsOf(reply)).toEqual(['v2', 'v1']);
      expect(ignoredBy(reply)).toBeNull();
      const wrong = { startTime: '2026-05-01 19:03:00', endTime: '2026-05-01 19:00:00' };
      expectError(await service.call('POST', records, { body: wrong }), {
        status: 400,
        code: 400001,
        fields: ['start_time'],
      });
    });

    test('the links of a list have the interface’s own names, and lead on', async () => {
      const query = 'perPage=2&page=2&startTime=2026-05-01+19:01:00&x=1';
      const reply = await service.call('POST', `${records}?${query}`, { body: {} });
      expect(idsOf(reply)).toEqual(['v2', 'v1']);
      const [, next = ''] = /<([^>]+)>; rel="last"/.exec(reply.headers.get('link') ?? '') ?? [];
      const { searchParams } = new URL(next);
      expect(Object.fromEntries(searchParams)).toEqual({
        perPage: '2',
        p: '2',
        start_time: '2026-05-01 19:01:00',
        filter_watch_time: '1',
        x: '1',
      });
      const videos = await service.call('GET', '/v1/videos?page=3&perPage=1');
      expect(videos.body.meta.current).toBe(3);
      expect(videos.body.links.end_url).toEndWith('/v1/videos?p=1&perPage=1');
    });

    test.each([
      ['POST', records, { page: 'two', p: 1 }, 'page'],
      [
        'POST',
        records,
        { page: 0, startTime: 'yesterday', endTime: {} },
        'page, startTime, endTime',
      ],
      ['POST', visitors, { startTime: '2026-05-01 19:01:00', PerPage: 5 }, 'startTime, PerPage'],
      ['POST', `${visitors}?page=x&q=1`, { q: 2, r: null }, 'page, q'],
      ['GET', '/v1/activities?page=1&page=2&perPage=50&empty=', undefined, 'page, perPage'],
      ['GET', '/v1/videos?%E5%90%8D=1', undefined, '%E5%90%8D'],
    ] as const)('%s %s with %j is answered, and names %s', async (method, path, body, ignored) => {
      const reply = await service.call(method, path, body && { body });
      expect(reply.status).toBe(200);
      expect(ignoredBy(reply)).toBe(ignored);
    });

    test('what was ignored is named in an error too, and without values in the log', async () => {
      const body = { nmae: 'the value of it', footlight_0123456789abcdef: 1 };
      const reply = await service.call('POST', '/v1/activities?a=1', { body });
      expectError(reply, { status: 400, code: 400002, fields: ['name'] });
      expect(ignoredBy(reply)).toBe('nmae, footlight_0123456789abcdef');
      const id = reply.headers.get('x-request-id') ?? '';
      const isOfIt = (line: string) => line.includes(id);
      while (!service.logLines.some(isOfIt)) await Bun.sleep(10);
      const line = JSON.parse(service.logLines.find(isOfIt) ?? '');
      expect(line).toMatchObject({ message: 'request', status: 400, ignored: 'nmae, ***' });
      expect(service.logLines.join('\n')).not.toContain('the value of it');
    });

    test('an answer that is remembered names it as the first did', async () => {
      const ask = () => service.call('GET', '/v1/activities?foo=1');
      expect([ignoredBy(await ask()), ignoredBy(await ask())]).toEqual(['foo', 'foo']);
      const single = `/v1/activities/${id}?foo=1`;
      const etag = (await service.call('GET', single)).headers.get('etag') ?? '';
      const again = await service.call('GET', single, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
      expect(ignoredBy(again)).toBe('foo');
      expect(ignoredBy(await service.call('GET', '/v1/activities'))).toBeNull();
    });

    test('ten thousand unknown names are answered, within 1 KB', async () => {
      const names = Array.from({ length: 6_000 }, (_, n) => [`n${n}`, 1]);
      const body = { name: 'many', ...Object.fromEntries(names) };
      const reply = await service.call('PUT', `/v1/activities/${id}`, { body });
      expect(reply.status).toBe(200);
      expect(ignoredBy(reply)).toMatch(/^n0, n1, .{900,1010}, \.\.\.$/);
    });

    test('a create is the same create under another spelling', async () => {
      const headers = { 'idempotency-key': 'by-alias' };
      const times = { start_time: '2026-05-01 19:30:00' };
      const create = (body: object) => service.call('POST', '/v1/activities', { body, headers });
      const first = await create({ name: 'once', ...times });
      const again = await create({ name: 'once', startTime: times.start_time, x: 1 });
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      const other = await create({ name: 'once', startTime: '2026-05-02 19:30:00' });
      expect(other.status).toBe(400);
    });

    test('a slash behind a path is the same path', async () => {
      const list = await service.call('GET', '/v1/activities/?p=1');
      expect(list.body.links.end_url).toContain('p=');
      expect((await service.call('GET', `/v1/activities/${id}/`)).body.id).toBe(id);
      expect((await service.call('GET', '/v1/activities/0/')).body.errors.code).toBe(404002);
      const created = await service.call('POST', '/v1/activities/', { body: { name: 'slashed' } });
      expect(created.body.name).toBe('slashed');
      const wrong = await service.call('PATCH', `/v1/activities/${id}/`);
      expect(wrong.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE');
    });

    test('a form is read as JSON is', async () => {
      const made = await sendForm(
        service,
        '/v1/activities',
        'name=By+form&startTime=2026-05-01+19:30:00&x=1',
      );
      expect(made.body).toMatchObject({
        name: 'By form',
        page: { start_time: '2026-05-01 19:30:00' },
      });
      expect(ignoredBy(made)).toBe('x');
      const page = `/v1/activities/${made.body.id}/page`;
      const looks = 'show_qrcode=0&theme=tech&banner=/b.png';
      const set = await sendForm(service, page, looks, 'PUT');
      expect(set.body.page).toMatchObject({ show_qrcode: false, theme: 'tech', banner: '/b.png' });
      const cleared = await sendForm(service, page, 'banner=', 'PUT');
      expect(cleared.body.page).toMatchObject({ banner: '', theme: 'tech' });
      const rows = await sendForm(service, visitors, 'page=2&perPage=2&direction=asc');
      expect(idsOf(rows)).toEqual(['v2', 'v3']);
      const wrong = await sendForm(service, records, 'perPage=101');
      expectError(wrong, { status: 400, code: 400001, fields: ['perPage'] });
    });
  });
}

describe('a form', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('there is no engine');
  const service = await startTestService(sqlite);
  afterAll(() => service.stop());
  const { cookie } = await signUp(service, { user_name: 'ada' });
  const channels = async () => (await service.call('GET', '/v1/activities')).body.meta.total;

  test.each([formType, `${formType}; charset=utf-8`, `${formType}, application/json`])(
    'of type %s is not taken with the console’s cookie, even from a page of ours',
    async (type) => {
      const headers = { 'content-type': type };
      const reply = await callByCookie(service, 'POST', '/v1/activities', {
        cookie,
        body: 'name=forged',
        headers,
      });
      expectError(reply, { status: 403, code: 403010 });
      expect(await channels()).toBe(0);
    },
  );

  test('with a wrong token beside the cookie makes nothing', async () => {
    const headers = { cookie, origin: service.url, 'content-type': formType };
    const body = 'name=forged';
    const reply = await service.call('POST', '/v1/activities', {
      token: 'footlight_no',
      body,
      headers,
    });
    expectError(reply, { status: 401, code: 401001 });
    expect(await channels()).toBe(0);
  });

  test('signs nobody in', async () => {
    const body = `user_name=ada&password=${encodeURIComponent(goodPassword)}`;
    const headers = { 'content-type': formType };
    const reply = await service.call('POST', '/manage/v1/sign-in', { token: null, body, headers });
    expectError(reply, { status: 415, code: 415001 });
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  test('that holds JSON is told how to send it, and changes nothing', async () => {
    // As `curl -d` does where no type is named.
    const headers = { 'content-type': formType };
    const reply = await service.call('POST', '/v1/activities', { body: '{"name":"x"}', headers });
    expectError(reply, { status: 415, code: 415001 });
    expect(reply.body.errors.message).toEndWith('send Content-Type: application/json');
    expect(await channels()).toBe(0);
  });

  test('with a file is not taken', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const reply = await service.call('POST', '/v1/activities', { body: 'name=x', headers });
    expectError(reply, { status: 415, code: 415001 });
  });
});

test('every operation is there with a slash behind its path', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('there is no engine');
  const service = await startTestService(sqlite);
  for (const { method, path, scope } of service.routes) {
    if (method === 'HEAD') continue;
    const address = `${path.replace(/\{\w+\}/g, '1')}/`;
    const { status, body } = await service.call(method, address, { token: null });
    if (scope !== 'anyone') expect({ address, status }).toEqual({ address, status: 401 });
    expect(body?.errors?.code).not.toBe(404000);
  }
  await service.stop();
});

test('no other spelling of a field is the own name of another, and the documents name each', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('there is no engine');
  const service = await startTestService(sqlite);
  const { body: document } = await service.call('GET', '/openapi.json', { token: null });
  const spelt: string[] = [];
  for (const entry of service.routes) {
    const shape = { ...entry.query, ...entry.body };
    for (const [name, { aliases = [] }] of Object.entries(shape))
      for (const alias of aliases) {
        expect(shape).not.toHaveProperty(alias);
        spelt.push(`${alias} for ${name}`);
        const said = JSON.stringify(document.paths[entry.path][entry.method.toLowerCase()]);
        expect(said).toContain(`also taken as \`${alias}\``);
      }
    if ('p' in shape) expect(shape['p']?.aliases).toEqual(['page']);
    if (entry.bodyInQuery) expect(entry.query).toEqual({});
  }
  expect([...new Set(spelt)].sort()).toEqual([
    'endTime for end_time',
    'page for p',
    'startTime for start_time',
  ]);
  await service.stop();
});
