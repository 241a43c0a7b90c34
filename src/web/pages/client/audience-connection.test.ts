// The connection against a real WebSocket server that welcomes, refuses, closes and says nothing.
import { afterEach, expect, test } from 'bun:test';
import {
  closeCodes,
  type Hello,
  type PageMessage,
  type Welcome,
} from '../../../audience/protocol/messages.ts';
import {
  AudienceConnection,
  type ConnectionOptions,
  type HeardMessage,
} from './audience-connection.ts';
import { BackOff } from './back-off.ts';

type Socket = Bun.ServerWebSocket<undefined>;

/** Resolves each `next` with what came, in order, whoever was first. */
class Line<T> {
  private readonly came: T[] = [];
  private readonly waiting: ((one: T) => void)[] = [];

  push(one: T): void {
    const first = this.waiting.shift();
    if (first) first(one);
    else this.came.push(one);
  }

  next(): Promise<T> {
    if (this.came.length > 0) return Promise.resolve(this.came.shift() as T);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  get isEmpty(): boolean {
    return this.came.length === 0;
  }
}

interface Said {
  socket: Socket;
  message: PageMessage;
}

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function startPeer() {
  const said = new Line<Said>();
  const closed = new Line<number>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, self) =>
      self.upgrade(request) ? undefined : new Response(null, { status: 400 }),
    websocket: {
      message: (socket: Socket, text) => said.push({ socket, message: JSON.parse(String(text)) }),
      close: (_, code) => closed.push(code),
    },
  });
  ends.push(() => server.stop(true));
  return { url: `ws://127.0.0.1:${server.port}/`, said, closed };
}

function welcome(socket: Socket, resume = 'a-session'): void {
  const message: Welcome = {
    type: 'welcome',
    resume,
    viewer: { nick: '', fixed: false, muted: false, author: 'x' },
    beat_ms: 10_000,
    live: false,
    viewers: 1,
    chat: { open: true, messages: [], pinned: null },
    video: null,
    playbill: { name: 'a show', start_time: null },
  };
  socket.send(JSON.stringify(message));
}

function open(url: string, options: Partial<ConnectionOptions> = {}) {
  const heard = new Line<HeardMessage>();
  const lost = new Line<string | undefined>();
  const over = new Line<string>();
  const crowdedOut = new Line<true>();
  const banned = new Line<true>();
  const letIn = new Line<true>();
  let resume: string | undefined;
  const quick = { waitMsMin: 1, firstMsMax: 5, waitMsMax: 20, settledMs: 10_000 };
  const connection = new AudienceConnection({
    url,
    ticket: 'a ticket',
    instance: 'this load',
    memory: {
      read: () => resume,
      keep: (came) => {
        resume = came;
      },
    },
    reportsToRepeat: () => undefined,
    isWanted: () => true,
    onMessage: (message) => heard.push(message),
    onLost: (reason) => lost.push(reason),
    onCrowdedOut: () => crowdedOut.push(true),
    onBanned: () => banned.push(true),
    onLetIn: () => letIn.push(true),
    onOver: (reason) => over.push(reason),
    backOff: new BackOff(quick),
    ...options,
  });
  ends.push(() => connection.leave());
  connection.connect();
  return { connection, heard, lost, over, crowdedOut, banned, letIn };
}

async function hello({ said }: { said: Line<Said> }): Promise<{ socket: Socket; hello: Hello }> {
  const { socket, message } = await said.next();
  if (message.type !== 'hello') throw new Error(`said ${message.type} before hello`);
  return { socket, hello: message };
}

test('it says again what was said in its session', async () => {
  const peer = startPeer();
  const said = { played_ms: 9_000, reports: [[500, 9_000]] as const };
  open(peer.url, { reportsToRepeat: () => said });
  expect((await hello(peer)).hello.said).toEqual({ played_ms: 9_000, reports: [[500, 9_000]] });
});

test('it says hello, and nothing else before it is welcome', async () => {
  const peer = startPeer();
  const { connection, heard } = open(peer.url);
  const first = await hello(peer);
  expect(first.hello).toEqual({ type: 'hello', ticket: 'a ticket', instance: 'this load' });
  expect(connection.send({ type: 'report', played_ms: 5 })).toBe(false);
  welcome(first.socket);
  expect((await heard.next()).type).toBe('welcome');
  expect(connection.send({ type: 'report', played_ms: 7 })).toBe(true);
  expect((await peer.said.next()).message).toEqual({ type: 'report', played_ms: 7 });
});

test.each([1012, 1008, 1000])('closed with %d it comes back with its session', async (code) => {
  const peer = startPeer();
  const { heard, lost } = open(peer.url);
  const first = await hello(peer);
  welcome(first.socket);
  await heard.next();
  first.socket.close(code);
  await lost.next();
  const second = await hello(peer);
  expect(second.hello.resume).toBe('a-session');
  expect(second.hello.instance).toBe('this load');
});

test('sent to another node it comes back at once with its session, and once only', async () => {
  const peer = startPeer();
  const hour = { waitMsMin: 3_600_000, firstMsMax: 3_600_000, waitMsMax: 3_600_000, settledMs: 1 };
  const { heard, lost } = open(peer.url, { backOff: new BackOff(hour) });
  const first = await hello(peer);
  welcome(first.socket);
  await heard.next();
  first.socket.close(closeCodes.elsewhere);
  expect(await lost.next()).toBeUndefined();
  const second = await hello(peer);
  expect(second.hello.resume).toBe('a-session');
  expect(second.hello.instance).toBe('this load');
  // Not let in, it waits as after any failure: nodes that send it to each other are not flooded.
  second.socket.close(closeCodes.elsewhere);
  await lost.next();
  await Bun.sleep(600);
  expect(peer.said.isEmpty).toBe(true);
});

test('cut off without a word it comes back too', async () => {
  const peer = startPeer();
  const { heard } = open(peer.url);
  const first = await hello(peer);
  welcome(first.socket);
  await heard.next();
  first.socket.terminate();
  expect((await hello(peer)).hello.resume).toBe('a-session');
});

test.each(['ticket', 'gone', 'origin'])('refused because of %s it stays away', async (reason) => {
  const peer = startPeer();
  const { connection, over, lost } = open(peer.url);
  const { socket } = await hello(peer);
  socket.send(JSON.stringify({ type: 'refused', reason }));
  socket.close(closeCodes.refused);
  expect(await over.next()).toBe(reason);
  connection.connect();
  expect(lost.isEmpty).toBe(true);
  expect(peer.said.isEmpty).toBe(true);
});

test('banned it says so, looks once in a while, and tells when it is let in', async () => {
  const peer = startPeer();
  const { connection, banned, letIn, heard, over, lost } = open(peer.url, { banLookMs: 20 });
  const first = await hello(peer);
  welcome(first.socket);
  await heard.next();
  for (let looks = 0, { socket } = first; looks < 3; looks += 1) {
    socket.send(JSON.stringify({ type: 'refused', reason: 'banned' }));
    socket.close(closeCodes.refused);
    await banned.next();
    ({ socket } = (await hello(peer)) as typeof first);
    if (looks === 2) welcome(socket);
  }
  await letIn.next();
  expect([over.isEmpty, lost.isEmpty, letIn.isEmpty]).toEqual([true, true, true]);
  expect(connection.send({ type: 'chat', text: 'here' })).toBe(true);
});

test('a session that another connection goes on with is left to it', async () => {
  const peer = startPeer();
  const { heard, over } = open(peer.url);
  const { socket } = await hello(peer);
  welcome(socket);
  await heard.next();
  socket.close(closeCodes.takenOver);
  expect(await over.next()).toBe('taken_over');
});

test('crowded out by other pages of its viewer it comes back when it is used, and not before', async () => {
  const peer = startPeer();
  const { connection, heard, crowdedOut, lost, over } = open(peer.url);
  const { socket } = await hello(peer);
  welcome(socket);
  await heard.next();
  connection.used();
  socket.close(closeCodes.crowdedOut);
  await crowdedOut.next();
  // A player that goes on after a stall, a network that is back: nobody is there for that.
  connection.wake();
  connection.retry();
  expect([lost.isEmpty, over.isEmpty]).toEqual([true, true]);
  // Back by itself it would have been here within 5 ms.
  await Bun.sleep(50);
  expect(peer.said.isEmpty).toBe(true);
  connection.used();
  expect((await hello(peer)).hello.resume).toBe('a-session');
});

test('told that it is full it says so, and does not come back at once', async () => {
  const peer = startPeer();
  const { lost, over } = open(peer.url);
  const { socket } = await hello(peer);
  socket.send(JSON.stringify({ type: 'refused', reason: 'full' }));
  socket.close(closeCodes.later);
  expect(await lost.next()).toBe('full');
  expect(over.isEmpty).toBe(true);
  // Without the longer wait it would be back in 5 ms.
  await Bun.sleep(100);
  expect(peer.said.isEmpty).toBe(true);
});

test('left, it closes and stays away until it is asked to come back', async () => {
  const peer = startPeer();
  const { connection, heard, lost } = open(peer.url);
  welcome((await hello(peer)).socket);
  await heard.next();
  connection.leave();
  await peer.closed.next();
  expect(connection.send({ type: 'report', played_ms: 1 })).toBe(false);
  expect(lost.isEmpty).toBe(true);
  connection.connect();
  expect((await hello(peer)).hello.resume).toBe('a-session');
});

test('while nobody is there it does not come back by itself', async () => {
  const peer = startPeer();
  const asked = new Line<undefined>();
  let isWanted = false;
  const { connection, heard } = open(peer.url, {
    isWanted: () => {
      asked.push(undefined);
      return isWanted;
    },
  });
  const { socket } = await hello(peer);
  welcome(socket);
  await heard.next();
  socket.close(1012);
  // While it waits for its next try, waking it changes nothing.
  connection.wake();
  await asked.next();
  expect(peer.said.isEmpty).toBe(true);
  isWanted = true;
  connection.wake();
  expect((await hello(peer)).hello.resume).toBe('a-session');
});

test('connected or about to be, it does not connect twice', async () => {
  const peer = startPeer();
  const { connection, heard } = open(peer.url);
  connection.connect();
  welcome((await hello(peer)).socket);
  await heard.next();
  connection.connect();
  connection.send({ type: 'report', played_ms: 3 });
  // The second hello would stand before it.
  expect((await peer.said.next()).message.type).toBe('report');
});

test('what a replaced socket still hears is of no interest', async () => {
  const peer = startPeer();
  const { connection, heard } = open(peer.url);
  const first = await hello(peer);
  welcome(first.socket);
  await heard.next();
  connection.replace();
  first.socket.send(JSON.stringify({ type: 'viewers', count: 9 }));
  const second = await hello(peer);
  first.socket.close(closeCodes.takenOver);
  welcome(second.socket, 'the same session');
  expect((await heard.next()).type).toBe('welcome');
  expect(connection.send({ type: 'report', played_ms: 1 })).toBe(true);
});

test('after a sleep it does not trust the socket it had, and goes on with its session', async () => {
  const peer = startPeer();
  let now = 0;
  const { connection, heard, lost } = open(peer.url, { now: () => now });
  welcome((await hello(peer)).socket);
  await heard.next();
  now = 10_000;
  expect(connection.send({ type: 'report', played_ms: 1 })).toBe(true);
  await peer.said.next();
  now = 70_000;
  expect(connection.send({ type: 'report', played_ms: 1 })).toBe(false);
  await lost.next();
  expect((await hello(peer)).hello.resume).toBe('a-session');
});

test('when the network is back it tries at once, and leaves a good connection alone', async () => {
  const peer = startPeer();
  const slow = { waitMsMin: 60_000, firstMsMax: 60_000, waitMsMax: 60_000, settledMs: 10_000 };
  const { connection, heard, lost } = open(peer.url, { backOff: new BackOff(slow) });
  const first = await hello(peer);
  first.socket.close(1012);
  await lost.next();
  connection.retry();
  const second = await hello(peer);
  // That one hangs: it is not welcome yet.
  connection.retry();
  const third = await hello(peer);
  expect(third.socket).not.toBe(second.socket);
  welcome(third.socket);
  await heard.next();
  connection.retry();
  expect(connection.send({ type: 'report', played_ms: 1 })).toBe(true);
  expect((await peer.said.next()).message.type).toBe('report');
});

test('with nobody at the other end it goes on trying', async () => {
  const peer = startPeer();
  const { lost } = open('ws://127.0.0.1:9/');
  for (let tries = 0; tries < 3; tries++) await lost.next();
  expect(peer.said.isEmpty).toBe(true);
});
