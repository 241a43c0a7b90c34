import { expect, test } from 'bun:test';
import { BodyRefusal } from './body-bytes.ts';
import { ApiError } from './errors.ts';
import { bodyBytesMax, readJsonBody } from './json-body.ts';

const withinMs = 60_000;

test('a body in chunks of a byte is read a chunk a turn', async () => {
  const body = new TextEncoder().encode('{"name":"a chunk a turn"}');
  const { request, asked } = inBytes(body);
  expect(await readJsonBody(request, withinMs)).toEqual({ name: 'a chunk a turn' });
  expect(asked.mostInOneTurn).toBeLessThanOrEqual(2);
});

test('chunks of a byte are too large when they are more than 64 KB', async () => {
  const { request, asked } = inBytes(new Uint8Array(bodyBytesMax + 10));
  const refused = await readJsonBody(request, withinMs).catch((error: Error) => error.message);
  expect(refused).toBe('The body must be at most 65536 bytes');
  expect(asked.inAll).toBe(bodyBytesMax + 1);
});

test('of a body that is as long as it says nothing more is awaited', async () => {
  const { request, asked } = inBytes(new TextEncoder().encode('{}'), { 'content-length': '2' });
  expect(await readJsonBody(request, withinMs)).toEqual({});
  expect(asked.inAll).toBe(2);
});

test('a body that never comes whole is an error that ends the connection', async () => {
  const body = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(Uint8Array.of(123)) });
  const request = new Request('http://a/', { method: 'POST', body });
  const error = await readJsonBody(request, 1).catch((error: ApiError) => error);
  expect(error).toBeInstanceOf(BodyRefusal);
  expect(error).toMatchObject({
    message: 'The body did not arrive within 0.001 s',
    headers: { connection: 'close' },
  });
});

test.each([
  ['[', ']'],
  ['{"a":', '}'],
])('%j in another is refused where it is deeper than 32', async (open, close) => {
  const nested = (depth: number) => `{"a":${open.repeat(depth - 1)}1${close.repeat(depth - 1)}}`;
  expect(await refusalOf(nested(32))).toBeUndefined();
  expect(await refusalOf(nested(33))).toBe('The body is nested too deeply');
});

test.each(['{"a":[],"b":[]}', '"', '\\"', '\\\\', '[{'])(
  'brackets in a text (%j) are not deep',
  async (piece) => {
    const name = piece.repeat(100);
    expect(await refusalOf(JSON.stringify({ name }))).toBeUndefined();
  },
);

test('brackets beside each other are not deep', async () => {
  expect(await refusalOf(`{"many":[${Array(100).fill('[{}]').join()}]}`)).toBeUndefined();
});

test.each<[string, () => Request, boolean]>([
  ['too long', () => posted(new Blob([new Uint8Array(bodyBytesMax + 1)]).stream()), true],
  ['too long by its own word', () => ofLength(bodyBytesMax + 1), true],
  ['too deep', () => posted('['.repeat(100)), true],
  ['no JSON', () => posted('{'), false],
  ['no object', () => posted('3'), false],
])('a body that is %s is refused for its bounds, or for what it says', async (_, make, isBound) => {
  const error = await readJsonBody(make(), withinMs).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error instanceof BodyRefusal).toBe(isBound);
});

function posted(body: string | ReadableStream, headers: Record<string, string> = {}): Request {
  return new Request('http://a/', { method: 'POST', headers, body });
}

function ofLength(bytes: number): Request {
  return posted('{}', { 'content-length': `${bytes}` });
}

async function refusalOf(body: string): Promise<string | undefined> {
  const request = new Request('http://a/', { method: 'POST', body: new Blob([body]) });
  return await readJsonBody(request, withinMs).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** A request whose body has another byte whenever one is asked for. */
function inBytes(bytes: Uint8Array, headers: Record<string, string> = {}) {
  const asked = { inAll: 0, inThisTurn: 0, mostInOneTurn: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (asked.inAll === bytes.length) return controller.close();
        if (asked.inThisTurn === 0)
          setImmediate(() => {
            asked.inThisTurn = 0;
          });
        asked.inThisTurn += 1;
        asked.mostInOneTurn = Math.max(asked.mostInOneTurn, asked.inThisTurn);
        controller.enqueue(bytes.subarray(asked.inAll, asked.inAll + 1));
        asked.inAll += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return { request: new Request('http://a/', { method: 'POST', headers, body }), asked };
}
