// What the console makes of the service's answers, of its silence, and of what stands between them.
import { describe, expect, test } from 'bun:test';
import { Api } from './api.ts';

function told(answer: () => Response | Promise<Response>) {
  const heard = { reached: [] as boolean[], unauthorized: 0, asked: [] as RequestInit[] };
  const api = new Api({
    fetch: async (_, init) => {
      heard.asked.push(init);
      return await answer();
    },
    onReach: (isReached) => heard.reached.push(isReached),
    onUnauthorized: () => {
      heard.unauthorized += 1;
    },
  });
  return { api, heard };
}

const refused = (status: number, errors: object) =>
  new Response(JSON.stringify({ errors }), { status, headers: { 'retry-after': '7' } });

describe('an answer', () => {
  test('is its JSON', async () => {
    const { api, heard } = told(() => Response.json({ id: 1 }));
    expect(await api.get('/v1/activities/1')).toEqual({ value: { id: 1 } });
    expect(heard).toMatchObject({ reached: [true], unauthorized: 0 });
    expect(heard.asked[0]).toMatchObject({ method: 'GET', credentials: 'same-origin' });
  });

  test('to a write came of JSON', async () => {
    const { api, heard } = told(() => Response.json({}));
    await api.put('/v1/activities/1', { name: 'a' });
    expect(heard.asked[0]).toMatchObject({
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"a"}',
    });
  });
});

test('a write without a body is JSON, too', async () => {
  const { api, heard } = told(() => Response.json({}));
  await api.ask('DELETE', '/v1/activities/1');
  expect(heard.asked[0]?.headers).toEqual({ 'content-type': 'application/json' });
  expect(heard.asked[0]).not.toHaveProperty('body');
});

describe('a refusal', () => {
  test('names code, sentence, fields and when to come back', async () => {
    const fields = [{ name: 'name', message: 'name must be given' }];
    const { api } = told(() => refused(400, { code: 400002, message: 'Missing', fields }));
    expect(await api.post('/v1/activities')).toEqual({
      problem: {
        kind: 'refused',
        status: 400,
        code: 400002,
        message: 'Missing',
        fields,
        retrySeconds: 7,
      },
    });
  });

  test('for want of a session is told, but not where one signs in', async () => {
    const { api, heard } = told(() => refused(401, { code: 401001, message: 'no' }));
    await api.post('/manage/v1/sign-in', {}, { isOpen: true });
    expect(heard.unauthorized).toBe(0);
    await api.get('/manage/v1/me');
    expect(heard.unauthorized).toBe(1);
  });

  test('of a proxy in another form is one too, and the service is away', async () => {
    const { api, heard } = told(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    expect((await api.get('/v1/videos')).problem).toMatchObject({ kind: 'refused', status: 502 });
    expect(heard.reached).toEqual([false]);
  });
});

describe('no answer', () => {
  test('is a problem, not a throw', async () => {
    const { api, heard } = told(() => Promise.reject(new TypeError('Failed to fetch')));
    expect((await api.get('/v1/videos')).problem?.kind).toBe('away');
    expect(heard.reached).toEqual([false]);
  });

  test('to one who has left says nothing of the network', async () => {
    const { api, heard } = told(() => Promise.reject(new DOMException('gone', 'AbortError')));
    const left = AbortSignal.abort();
    expect((await api.get('/v1/videos', left)).problem?.kind).toBe('left');
    expect(heard.reached).toEqual([]);
  });
});
