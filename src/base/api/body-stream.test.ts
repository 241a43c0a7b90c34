// Bodies piece by piece: whole ones, those that are ended, break off or bring next to nothing.
import { expect, test } from 'bun:test';
import { BodyStream, broken } from './body-stream.ts';
import { ApiError } from './errors.ts';

const patient = { withinMs: 60_000, bytesMin: 1 };
const gather = { bytes: 2, ms: 1 };
const clock = { now: 0 };
const checks = { everyMs: 1_000, now: () => clock.now };

/** A body that the test sends by hand. */
function sent(stall = patient) {
  const sender = new AbortController();
  let pieces!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      pieces = controller;
    },
  });
  const request = new Request('http://here/', {
    method: 'PATCH',
    body: stream,
    signal: sender.signal,
  });
  const read: number[] = [];
  const body = new BodyStream(request, {
    ...{ stall, gather, checks },
    onRead: (bytes) => read.push(bytes),
  });
  return { body, read, pieces, goAway: () => sender.abort() };
}

const messageOf = (waiting: Promise<unknown>) =>
  waiting.then(
    () => 'no problem',
    (error: ApiError) => `${error.status} ${error.message}`,
  );

test('pieces come in order, each is told of, and the end is known', async () => {
  const { body, read, pieces } = sent();
  pieces.enqueue(Buffer.from('hello'));
  expect(Buffer.from((await body.next()) ?? []).toString()).toBe('hello');
  const next = body.next();
  pieces.enqueue(Buffer.from(' world'));
  expect(Buffer.from((await next) ?? []).toString()).toBe(' world');
  pieces.close();
  expect(await body.next()).toBeUndefined();
  expect(read).toEqual([5, 6]);
  body.leave();
});

test('a request without a body is one that has ended', async () => {
  const request = new Request('http://here/', { method: 'PATCH' });
  const body = new BodyStream(request, { stall: patient, gather, checks, onRead: () => {} });
  expect(await body.next()).toBeUndefined();
  body.leave();
});

test('small pieces are gathered, and a body that says how long it is ends there', async () => {
  const request = new Request('http://here/', {
    method: 'PATCH',
    headers: { 'content-length': '5' },
    body: new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from('h'));
        controller.enqueue(Buffer.from('ello'));
        // It never ends by itself.
      },
    }),
  });
  const body = new BodyStream(request, { stall: patient, gather, checks, onRead: () => {} });
  const pieces: string[] = [];
  for (let piece = await body.next(); piece; piece = await body.next())
    pieces.push(Buffer.from(piece).toString());
  expect(pieces.join('')).toBe('hello');
  body.leave();
});

test('who waits is told when it is ended, and so is who comes later', async () => {
  const { body } = sent();
  const waiting = messageOf(body.next());
  body.end(broken('somebody else goes on'));
  body.end(broken('too late'));
  expect(await waiting).toBe('503 somebody else goes on');
  expect(await messageOf(body.next())).toBe('503 somebody else goes on');
});

test('who waits is told when the sender has gone', async () => {
  const { body, goAway } = sent();
  const waiting = messageOf(body.next());
  goAway();
  expect(await waiting).toBe('503 The body broke off');
});

test('one that brings too little in its time is ended', async () => {
  const stall = { withinMs: 50, bytesMin: 100 };
  const slow = sent(stall);
  slow.pieces.enqueue(new Uint8Array(99));
  await slow.body.next();
  expect(await messageOf(slow.body.next())).toContain('less than 100 bytes in 0.05 s');
});

test('once in a while it is looked whether more may come; what came before was given', async () => {
  const { body, pieces } = sent();
  let looks = 0;
  let problem: Error | undefined;
  body.check(async () => {
    looks += 1;
    if (problem) throw problem;
  });
  const bring = async (text: string) => {
    pieces.enqueue(Buffer.from(text));
    return Buffer.from((await body.next()) ?? []).toString();
  };
  expect(await bring('one')).toBe('one');
  expect(looks).toBe(0);
  clock.now += 1_000;
  expect([await bring('two'), await bring('three')]).toEqual(['two', 'three']);
  expect(looks).toBe(1);
  problem = new ApiError('noUpload');
  const waiting = messageOf(body.next());
  // The read waits already.
  clock.now += 1_000;
  pieces.enqueue(Buffer.from('four'));
  expect(await waiting).toStartWith('404 ');
  problem = new Error('the database is away');
  expect(await messageOf(bring('five'))).toStartWith('503 It is unknown');
  body.leave();
});
