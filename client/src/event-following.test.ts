// Events followed by the client, from the whole service through a wire that is cut.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../test/support/engines.ts';
import { startTestService } from '../../test/support/service.ts';
import { createClient, type FollowedEvent, type FollowOptions, FootlightError } from './index.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite);
afterAll(() => service.stop());

/** Begins an answer and says nothing more. */
const silentServer = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  fetch: () =>
    new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([10])) })),
});
afterAll(() => silentServer.stop(true));

type Fault = 'short' | 'away' | 'silent' | 'refused' | 'missing';

/** A wire whose connections can be cut; what happens to the first ones can be planned. */
function wire(...plan: Fault[]) {
  const sent: Request[] = [];
  let cut = () => {};
  const fetchThrough = async (request: Request): Promise<Response> => {
    sent.push(request);
    const fault = plan.shift();
    if (fault === 'away') throw new TypeError('the connection was refused');
    if (fault === 'short') return new Response('retry: 1\n\n');
    if (fault === 'missing')
      return new Response('event: missing\ndata: {"from":1,"to":7}\n\nid: 7.0\n\n');
    if (fault === 'refused')
      return Response.json({ errors: { code: 401001, message: 'Unauthorized' } }, { status: 401 });
    const { signal } = request;
    if (fault === 'silent')
      return await fetch(`http://127.0.0.1:${silentServer.port}/`, { signal });
    const controller = new AbortController();
    signal.addEventListener('abort', () => controller.abort());
    cut = () => controller.abort();
    const answer = await fetch(new Request(request, { signal: controller.signal }));
    return new Response(answer.body && sooner(answer.body), answer);
  };
  return { sent, cut: () => cut(), fetch: fetchThrough };
}

/** Nobody waits as long as the service asks for before coming back. */
function sooner(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const patch = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, to) => {
      const text = decoder.decode(piece, { stream: true }).replace(/^retry: \d+$/m, 'retry: 1');
      to.enqueue(new TextEncoder().encode(text));
    },
  });
  return body.pipeThrough(patch);
}

const clientOn = (through: { fetch(request: Request): Promise<Response> }, token = service.token) =>
  createClient({ baseUrl: service.url, token, fetch: through.fetch, retry: { firstWaitMs: 1 } });

const newChannel = async (name: string) =>
  (await service.call('POST', '/v1/activities', { body: { name } })).body.id as number;

async function nextOf(events: AsyncGenerator<FollowedEvent>): Promise<FollowedEvent> {
  const { value } = await events.next();
  if (!value) throw new Error('the events ended');
  return value;
}

describe('events', () => {
  test('come as they happen, and after a cut none is missing and none comes twice', async () => {
    const { next_after: after } = (await service.call('GET', '/manage/v1/events/list')).body;
    const through = wire('short');
    const events = clientOn(through).events({ types: ['channel.created'], after });
    const made: number[] = [];
    const seen: number[] = [];
    for (const isCut of [false, false, true, false, true, true]) {
      // One that is read at once, and one that waits for the next connection.
      made.push(await newChannel('read'), await newChannel('left'));
      const event = await nextOf(events);
      if (event.type === 'channel.created') seen.push(event.data.channel_id);
      if (isCut) through.cut();
    }
    while (seen.length < made.length) {
      const event = await nextOf(events);
      if (event.type === 'channel.created') seen.push(event.data.channel_id);
    }
    expect(seen).toEqual(made);
    await events.return();
    expect(through.sent.length).toBeGreaterThanOrEqual(3);
    expect(through.sent.every(({ headers }) => headers.has('last-event-id'))).toBe(true);
  });

  test('go on from where somebody was, and of one channel where that is asked for', async () => {
    const id = await newChannel('followed');
    await newChannel('another');
    const rename = (name: string) =>
      service.call('PUT', `/v1/activities/${id}`, { body: { name } });
    await rename('renamed');
    const options: FollowOptions = { channel: id, after: '0.0' };
    const events = clientOn(wire()).events(options);
    const created = await nextOf(events);
    expect(created).toMatchObject({ type: 'channel.created', data: { channel_id: id } });
    const { position } = await nextOf(events);
    await events.return();
    await rename('once more');
    const later = clientOn(wire()).events({ ...options, after: position });
    expect(await nextOf(later)).toMatchObject({
      type: 'channel.updated',
      data: { name: 'once more' },
    });
    await later.return();
  });

  test('that are not kept any more are told of', async () => {
    const events = clientOn(wire('missing')).events({ after: '0.0' });
    const data = { from: 1, to: 7 };
    expect(await nextOf(events)).toEqual({ type: 'missing', data, position: '0.0' });
    await events.return();
  });

  test('a refusal is thrown, at once and later', async () => {
    const stranger = clientOn(wire(), 'footlight_none').events();
    await expect(stranger.next()).rejects.toThrow(FootlightError);
    const revoked = clientOn(wire('short', 'refused')).events();
    await expect(revoked.next()).rejects.toThrow('Unauthorized');
  });

  test('a service that is away is waited for, once it was there', async () => {
    const tries = Array<Fault>(4).fill('away');
    const never = clientOn(wire(...tries)).events();
    await expect(never.next()).rejects.toThrow('was not answered');
    const through = wire('short', ...tries);
    const events = clientOn(through).events({ after: '0.0', types: ['channel.created'] });
    expect((await nextOf(events)).type).toBe('channel.created');
    expect(through.sent.length).toBeGreaterThan(5);
    await events.return();
  });

  test('a connection on which nothing comes is made again', async () => {
    const through = wire('short', 'silent');
    const events = clientOn(through).events({ after: '0.0', idleMs: 50 });
    expect((await nextOf(events)).position).toMatch(/^\d+\.\d+$/);
    expect(through.sent.length).toBeGreaterThanOrEqual(3);
    await events.return();
  });

  test('end with the reason of whoever ends them', async () => {
    const controller = new AbortController();
    const events = clientOn(wire()).events({ signal: controller.signal });
    const next = events.next();
    controller.abort(new Error('closing time'));
    await expect(next).rejects.toThrow('closing time');
  });
});
