// The client against the whole service, through a wire that fails on demand.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../test/support/engines.ts';
import { addVisits } from '../../test/support/scenarios.ts';
import { startTestService } from '../../test/support/service.ts';
import { clientTypes, typesFile } from '../make-types.ts';
import { type ClientOptions, createClient, FootlightError } from './index.ts';
import { readsByPost } from './openapi.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite, { settings: { RECORDS_CALLS_PER_DAY: '3' } });
afterAll(() => service.stop());

type Fault = 'busy' | 'limited' | 'no wait' | 'lost' | 'unsent' | 'html';

/** What the wire does to the next requests; what is not planned for goes through. */
function wire(...plan: Fault[]) {
  const sent: Request[] = [];
  const fetchThrough = async (request: Request): Promise<Response> => {
    sent.push(request);
    const fault = plan.shift();
    const later = { 'retry-after': '0' };
    if (fault === 'busy') return new Response('{}', { status: 503, headers: later });
    if (fault === 'no wait') return new Response('{}', { status: 503 });
    if (fault === 'limited') return new Response('{}', { status: 429, headers: later });
    if (fault === 'unsent') throw new TypeError('the connection was refused');
    const answer = await fetch(request);
    if (fault === 'lost') throw new TypeError('the connection was reset');
    return fault === 'html' ? new Response('<p>Welcome</p>') : answer;
  };
  return { sent, fetch: fetchThrough };
}

function clientOn(
  through: { fetch: ClientOptions['fetch'] } | undefined,
  more: Partial<ClientOptions> = {},
) {
  const { url: baseUrl, token } = service;
  const retry = { firstWaitMs: 1 };
  return createClient({
    baseUrl,
    token,
    retry,
    ...(through?.fetch && { fetch: through.fetch }),
    ...more,
  });
}

const footlight = clientOn(undefined);
const newChannel = async (name = 'a show') =>
  (await footlight.POST('/v1/activities', { body: { name } })).data;
const total = async () => (await footlight.GET('/v1/activities')).data.meta.total;

async function refusal(call: Promise<unknown>): Promise<FootlightError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof FootlightError) return error;
  throw new Error(`no FootlightError was thrown, but ${error}`);
}

test('the types are those of the service: `npm run client-types` makes them anew', async () => {
  const document = (await service.call('GET', '/openapi.json', { token: null })).body;
  const made = await clientTypes(document);
  const kept = await Bun.file(typesFile).text();
  if (made !== kept)
    throw new Error('client/src/openapi.ts is out of date: run `npm run client-types`');
});

test('reads by POST are those that the service does not count as writes and that take a page', () => {
  const paged = service.routes.filter(({ bodyInQuery }) => bodyInQuery).map(({ path }) => path);
  expect([...readsByPost].sort()).toEqual(paged.sort());
});

describe('a call', () => {
  test('answers data, the response and what was ignored', async () => {
    const made = await footlight.POST('/v1/activities', { body: { name: 'typed' } });
    expect(made.data.name).toBe('typed');
    expect(made.response.headers.get('x-request-id')).toBeString();
    expect(made.ignored).toEqual([]);
    const path = { channel_id: made.data.id };
    const body = { theme: 'tech', show_qrcode: false } as const;
    const page = await footlight.PUT('/v1/activities/{channel_id}/page', {
      params: { path },
      body,
    });
    expect(page.data.page).toMatchObject(body);
    const misspelt = { name: 'b', nmae: 'c', 名: 1 };
    const renamed = await footlight.PUT('/v1/activities/{channel_id}', {
      params: { path },
      body: misspelt,
    });
    expect(renamed.ignored).toEqual(['nmae', '名']);
    const gone = await footlight.DELETE('/v1/activities/{channel_id}', { params: { path } });
    expect(gone.data).toEqual({ id: path.channel_id, result: 'success' });
  });

  test('that is refused throws what the service said', async () => {
    const path = { channel_id: 987_654 };
    const absent = await refusal(
      footlight.GET('/v1/activities/{channel_id}', { params: { path } }),
    );
    expect(absent).toMatchObject({ status: 404, code: 404002, fields: [], retryAfter: undefined });
    expect(absent.requestId).toMatch(/^[\w-]{36}$/);
    const wrong = await refusal(
      footlight.GET('/v1/videos', { params: { query: { perPage: 5_000 } } }),
    );
    expect(wrong).toMatchObject({ status: 400, code: 400001 });
    expect(wrong.fields.map(({ name }) => name)).toEqual(['perPage']);
    expect(wrong.message).toBe('Invalid parameters: perPage must be 1 to 1000 (got "5000")');
    const stranger = clientOn(undefined, { token: 'footlight_none' });
    expect((await refusal(stranger.GET('/v1/videos'))).status).toBe(401);
  });

  test('takes its token from a function, and headers of its own', async () => {
    const through = wire();
    const token = async () => service.token;
    const client = clientOn(through, { token, headers: { 'user-agent': 'nightly/1' } });
    await client.GET('/v1/videos', { headers: { 'x-request-id': 'mine' } });
    expect(through.sent[0]?.headers.get('x-request-id')).toBe('mine');
    expect(through.sent[0]?.headers.get('user-agent')).toBe('nightly/1');
  });

  test('sends a picture as it is', async () => {
    const { id } = await newChannel();
    const pixel = Uint8Array.fromBase64(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    );
    const { data } = await footlight.POST('/manage/v1/channels/{channel_id}/images', {
      params: { path: { channel_id: id } },
      body: new Blob([pixel], { type: 'image/png' }),
    });
    expect(data).toMatchObject({ width: 1, height: 1 });
  });
});

describe('a call is made again', () => {
  test.each<[Fault, 'GET' | 'create' | 'PUT' | 'visitors']>([
    ['busy', 'GET'],
    ['limited', 'GET'],
    ['unsent', 'GET'],
    ['lost', 'GET'],
    ['lost', 'PUT'],
    ['busy', 'create'],
    ['lost', 'create'],
    ['unsent', 'create'],
    ['busy', 'visitors'],
    ['lost', 'visitors'],
  ])('where it was %s: %s', async (fault, what) => {
    const { id } = await newChannel();
    const before = await total();
    const through = wire(fault, fault);
    const client = clientOn(through);
    const params = { path: { channel_id: id } };
    if (what === 'GET') await client.GET('/v1/activities/{channel_id}', { params });
    if (what === 'PUT')
      await client.PUT('/v1/activities/{channel_id}', { params, body: { name: 'b' } });
    if (what === 'create') await client.POST('/v1/activities', { body: { name: 'once' } });
    if (what === 'visitors') await client.POST('/v1/activities/{channel_id}/visitors', { params });
    expect(through.sent).toHaveLength(3);
    expect(await total()).toBe(what === 'create' ? before + 1 : before);
    const keys = new Set(through.sent.map(({ headers }) => headers.get('idempotency-key')));
    expect(keys.size).toBe(1);
    expect(keys.has(null)).toBe(what !== 'create');
  });

  test('and carries the caller’s own key where one is given', async () => {
    const through = wire('lost');
    const client = clientOn(through);
    const header = { 'Idempotency-Key': 'order-7' };
    const made = await client.POST('/v1/activities', { params: { header }, body: { name: 'o' } });
    expect(through.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      'order-7',
      'order-7',
    ]);
    expect(made.response.headers.get('idempotency-replayed')).toBe('true');
  });

  test('by POST without a key only where nothing was done: 429', async () => {
    const { id } = await newChannel();
    const init = { params: { path: { channel_id: id } }, body: {} };
    const rotate = (through: ReturnType<typeof wire>) =>
      clientOn(through).POST('/manage/v1/channels/{channel_id}/rotate-key', init);
    const limited = wire('limited');
    await rotate(limited);
    expect(limited.sent).toHaveLength(2);
    for (const fault of ['busy', 'lost', 'unsent'] as const) {
      const through = wire(fault);
      expect((await refusal(rotate(through))).status).toBe(fault === 'busy' ? 503 : 0);
      expect(through.sent).toHaveLength(1);
    }
  });

  test('four times at most, and not where waiting does not help', async () => {
    const hopeless = wire('busy', 'busy', 'busy', 'busy', 'busy');
    expect((await refusal(clientOn(hopeless).GET('/v1/videos'))).status).toBe(503);
    expect(hopeless.sent).toHaveLength(4);
    const never = wire('no wait');
    expect((await refusal(clientOn(never).GET('/v1/videos'))).status).toBe(503);
    expect(never.sent).toHaveLength(1);
  });

  test('but the day’s limit is an error at once, and says how long it lasts', async () => {
    const { id } = await newChannel();
    const through = wire();
    const read = () =>
      clientOn(through).POST('/v1/activities/{channel_id}/userRecords', {
        params: { path: { channel_id: id } },
      });
    for (const _ of [1, 2, 3]) await read();
    const error = await refusal(read());
    // The service's clock stands at noon.
    expect(error).toMatchObject({ status: 429, code: 429001, retryAfter: 43_200 });
    expect(through.sent).toHaveLength(4);
  });
});

describe('a call that gets no answer of the service', () => {
  const { port, stop } = (() => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.endsWith('/v1/videos')
          ? new Promise<Response>(() => {})
          : Response.redirect(`${service.url}/v1/activities`),
    });
    return { port: server.port, stop: () => server.stop(true) };
  })();
  afterAll(stop);
  const elsewhere = (more: Partial<ClientOptions> = {}) =>
    createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      token: 't',
      retry: { triesMax: 1 },
      ...more,
    });

  test('ends with its time', async () => {
    const error = await refusal(elsewhere({ timeoutMs: 20 }).GET('/v1/videos'));
    expect(error).toMatchObject({ status: 0, code: 0, requestId: '' });
    expect(error.message).toBe('GET /v1/videos was not answered within 0.02 s');
  });

  test('ends when its caller gives it up, with the caller’s reason', async () => {
    const controller = new AbortController();
    const call = elsewhere().GET('/v1/videos', { signal: controller.signal });
    controller.abort(new Error('the user left'));
    await expect(call).rejects.toThrow('the user left');
    const busy = clientOn(wire('busy', 'busy', 'busy'), {
      retry: { firstWaitMs: 60_000, waitMaxMs: 60_000 },
    });
    const late = new AbortController();
    const waiting = busy.GET('/v1/videos', { signal: late.signal });
    setTimeout(() => late.abort(new Error('closed')), 10);
    await expect(waiting).rejects.toThrow('closed');
  });

  test('follows no redirect', async () => {
    expect((await refusal(elsewhere().GET('/v1/activities'))).status).toBe(0);
  });

  test('says so where something else answers', async () => {
    const error = await refusal(clientOn(wire('html')).GET('/v1/videos'));
    expect(error.message).toContain('is baseUrl the address of the service?');
  });
});

describe('lists', async () => {
  const { id } = await newChannel('a crowded show');
  const at = Date.UTC(2026, 4, 1, 19);
  const viewers = Array.from({ length: 7 }, (_, n) => `v${n}`);
  await addVisits(
    service,
    id,
    viewers.map((viewer_id, n) => ({ viewer_id, at: at + n * 60_000, watch_ms: 90_000 })),
  );
  const params = { path: { channel_id: id } };

  test('of the interface’s audience go on by their Link', async () => {
    const body = { perPage: 3, direction: 'asc' } as const;
    const rows = footlight.rows('/v1/activities/{channel_id}/visitors', { params, body });
    expect((await Array.fromAsync(rows)).map(({ visitor_id }) => visitor_id)).toEqual(viewers);
    const pages = footlight.pages('/v1/activities/{channel_id}/visitors', {
      params,
      body: { ...body, p: 2 },
    });
    expect((await Array.fromAsync(pages)).map(({ data }) => data.length)).toEqual([3, 1]);
  });

  test('with an envelope go on by their links, whatever the rows are called', async () => {
    for (const _ of Array(31)) await newChannel();
    const channels = await Array.fromAsync(footlight.rows('/v1/activities'));
    expect(channels).toHaveLength(await total());
    expect(new Set(channels.map((one) => one.id)).size).toBe(channels.length);
    const query = { perPage: 2 };
    const visits = footlight.rows('/manage/v1/channels/{channel_id}/visitors', {
      params: { ...params, query },
    });
    expect(await Array.fromAsync(visits)).toHaveLength(7);
  });

  test('that go back in time do so to their end', async () => {
    const query = { perPage: 10 };
    const pages = await Array.fromAsync(footlight.pages('/manage/v1/audit', { params: { query } }));
    expect(pages.length).toBeGreaterThan(3);
    const rows = await Array.fromAsync(footlight.rows('/manage/v1/audit', { params: { query } }));
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  test('ask the service they were told of, whatever host a link names', async () => {
    const through = wire();
    const moved = async (request: Request) => {
      const answer = await through.fetch(request);
      const text = (await answer.text()).replaceAll(service.url, 'https://elsewhere.example');
      return new Response(text, answer);
    };
    await Array.fromAsync(clientOn({ fetch: moved }).rows('/v1/activities'));
    expect(through.sent.length).toBeGreaterThan(1);
    for (const { url } of through.sent) expect(url).toStartWith(service.url);
  });

  test('that lead back are not followed for ever', async () => {
    const same = async () =>
      Response.json({ videos: [], meta: {}, links: { next_url: '/v1/videos?p=1', end_url: '' } });
    const rows = clientOn({ fetch: same }).rows('/v1/videos');
    await expect(Array.fromAsync(rows)).rejects.toThrow('The page after');
  });

  test('as files are read line by line, or as they are', async () => {
    const lines = footlight.lines('/manage/v1/channels/{channel_id}/visitors.ndjson', { params });
    expect((await Array.fromAsync(lines)).map(({ visitor_id }) => visitor_id).sort()).toEqual(
      viewers,
    );
    const file = await footlight.download('/manage/v1/channels/{channel_id}/sessions.csv', {
      params,
    });
    expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(8);
    const absent = footlight.lines('/manage/v1/channels/{channel_id}/visitors.ndjson', {
      params: { path: { channel_id: 987_654 } },
    });
    expect((await refusal(absent.next())).code).toBe(404002);
  });
});
