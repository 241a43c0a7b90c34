// Real sockets: what the system lets through to a listener, and what it does not.
import { afterEach, expect, jest, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { openLibc } from '../lib/libc.ts';
import { openDoor } from './door.ts';
import type { KeptOut } from './door-program.ts';
import { ShutOut, type ShutOutOptions } from './shut-out.ts';

const libc = openLibc();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  jest.useRealTimers();
});

const linuxTest = test.if(libc !== undefined);
const untilStopped = { shutOutMs: 600_000, letInMs: 1_000 };

linuxTest('a network that is shut out waits, and nobody else does', async () => {
  const { shutOut, port, arrived, notes } = listen({ ...untilStopped, shutOutMax: 8 });
  const early = dial(port, '127.0.41.1');
  expect(await arrived()).toBe('127.0.41.1');
  shutOut.add('127.0.41.1');
  shutOut.add('127.0.41.3');
  dial(port, '127.0.41.1');
  dial(port, '127.0.41.2');
  expect(await arrived()).toBe('127.0.41.2');
  early.write('what is open goes on');
  expect(await arrived()).toBe('127.0.41.1 says what is open goes on');
  expect(notes).toEqual([]);
  shutOut.stop();
  expect(notes[0]).toEqual(['dropped', '127.0.41.1', expect.any(Number)]);
  // The system tries again by itself.
  expect(await arrived()).toBe('127.0.41.1');
});

linuxTest('one of many is shut out when it comes again, a little later', async () => {
  const { shutOut, clock, port, arrived } = listen({ ...untilStopped, shutOutMax: 8 });
  const fifth = '127.0.41.5';
  for (const last of [1, 2, 3, 4, 5]) shutOut.add(`127.0.41.${last}`);
  dial(port, fifth);
  expect(await arrived()).toBe(fifth);
  shutOut.add(fifth);
  dial(port, fifth);
  expect(await arrived()).toBe(fifth);
  clock.at += 10;
  shutOut.add(fifth);
  dial(port, fifth);
  dial(port, '127.0.41.6');
  expect(await arrived()).toBe('127.0.41.6');
});

linuxTest('a turn that has been ended takes nobody, and the next one does', async () => {
  const { shutOut, port, arrived, notes } = listen({ ...untilStopped, shutOutMax: 8 });
  const early = dial(port, '127.0.41.1');
  await arrived();
  // What comes without an end: in one turn, as the listener takes it, the next is there already.
  const beforeImmediate = new Promise<void>((resolve) => setImmediate(resolve));
  shutOut.endTurn();
  dial(port, '127.0.41.2');
  await beforeImmediate;
  early.write('still here');
  expect(await arrived()).toBe('127.0.41.1 says still here');
  expect(await arrived()).toBe('127.0.41.2');
  shutOut.stop();
  expect(notes).toEqual([['dropped', 'everybody', expect.any(Number)]]);
});

linuxTest('a turn that has been ended stays so when somebody is shut out in it', async () => {
  const { shutOut, port, arrived, notes } = listen({ ...untilStopped, shutOutMax: 8 });
  const [early, rude, other] = ['127.0.41.1', '127.0.41.2', '127.0.41.3'];
  const first = dial(port, early);
  await arrived();
  const beforeImmediate = new Promise<void>((resolve) => setImmediate(resolve));
  shutOut.endTurn();
  shutOut.add(rude);
  for (const from of [other, rude]) dial(port, from);
  await beforeImmediate;
  first.write('still here');
  expect(await arrived()).toBe(`${early} says still here`);
  // In the next turn it is shut out, and nobody else.
  expect(await arrived()).toBe(other);
  shutOut.stop();
  expect(notes[0]).toEqual(['dropped', 'everybody', expect.any(Number)]);
  expect(await arrived()).toBe(rude);
});

linuxTest('it is over after a while, and there is a bound of networks', async () => {
  const { shutOut, port, arrived } = listen({ shutOutMs: 500, letInMs: 1_000, shutOutMax: 1 });
  shutOut.add('127.0.41.1');
  shutOut.add('127.0.41.2');
  dial(port, '127.0.41.2');
  expect(await arrived()).toBe('127.0.41.2');
  dial(port, '127.0.41.1');
  expect(await arrived()).toBe('127.0.41.1');
});

linuxTest('who was let in again stays so for a while, whatever it does', async () => {
  const limits = { shutOutMs: 600, letInMs: 300, shutOutMax: 8 };
  const { shutOut, clock, port, arrived } = listen(limits);
  const [rude, other] = ['127.0.41.1', '127.0.41.2'];
  shutOut.add(rude);
  shutOut.stop();
  clock.at += limits.letInMs - 1;
  shutOut.add(rude);
  dial(port, rude);
  expect(await arrived()).toBe(rude);
  clock.at += 1;
  shutOut.add(rude);
  dial(port, rude);
  dial(port, other);
  expect(await arrived()).toBe(other);
});

linuxTest('who was kept out is let in when it tries again, a second later', async () => {
  const limits = { shutOutMs: 600, letInMs: 0, shutOutMax: 8 };
  const { shutOut, clock, port, arrived } = listen(limits);
  const [rude, other] = ['127.0.41.1', '127.0.41.2'];
  shutOut.add(rude);
  shutOut.stop();
  clock.at += 1_000;
  shutOut.add(rude);
  dial(port, rude);
  expect(await arrived()).toBe(rude);
  clock.at += limits.shutOutMs + 100;
  shutOut.add(rude);
  dial(port, rude);
  dial(port, other);
  expect(await arrived()).toBe(other);
});

linuxTest('who connects too often stays out when the moment of others is over', async () => {
  const limits = { shutOutMs: 20, letInMs: 0, shutOutMax: 8 };
  const { shutOut, port, arrived } = listen(limits, { oneIn: hardlyAny });
  const [often, rude, other] = ['127.0.41.1', '127.0.41.2', '127.0.41.3'];
  shutOut.thin(often);
  shutOut.add(rude);
  dial(port, rude);
  expect(await arrived()).toBe(rude);
  for (const from of [often, other]) dial(port, from);
  expect(await arrived()).toBe(other);
  shutOut.stop();
  expect(await arrived()).toBe(often);
});

linuxTest('of the connections of one that goes on to flood few come in, evenly', async () => {
  const { shutOut, port, arrived } = listen({ ...untilStopped, shutOutMax: 8 }, { oneIn: 4 });
  const [often, other] = ['127.0.41.1', '127.0.41.2'];
  shutOut.thin(often);
  const dialled = 400;
  for (let count = 0; count < dialled; count += 1) dial(port, often);
  dial(port, other);
  const seen: string[] = [];
  while (!seen.includes(other)) seen.push(await arrived());
  // A hundred, give or take what chance does one time in a billion.
  expect(seen.length).toBeGreaterThan(50);
  expect(seen.length).toBeLessThan(160);
});

test('how many come in follows what comes', () => {
  const rounds = [
    // Those who waited when it began say nothing.
    { came: 100, isTooMany: true, oneIn: 64 },
    { came: 100, isTooMany: true, oneIn: 64 },
    { came: 10, isTooMany: true, oneIn: 256 },
    { came: 10, isTooMany: true, oneIn: 1_024 },
    { came: 1, isTooMany: false, oneIn: 1_024 },
    { came: 0, isTooMany: false, oneIn: 256 },
    { came: 0, isTooMany: false, oneIn: 64 },
    // 128 a second.
    { came: 4, isTooMany: false, oneIn: 64 },
    { came: 3, isTooMany: false, oneIn: 16 },
    { came: 0, isTooMany: false, oneIn: 4 },
    // More than it may: it is not over.
    { came: 126, isTooMany: false, oneIn: 64 },
    { came: 0, isTooMany: false, oneIn: 16 },
    { came: 0, isTooMany: false, oneIn: 4 },
    { came: 0, isTooMany: false, oneIn: undefined },
  ];
  jest.useFakeTimers();
  const { shutOut, kept } = counting();
  shutOut.thin('192.0.2.1');
  for (const { came, isTooMany, oneIn } of rounds) {
    for (let count = 0; count < came; count += 1) shutOut.came('192.0.2.1');
    if (isTooMany) shutOut.thin('192.0.2.1');
    jest.advanceTimersByTime(2_000);
    const expected = oneIn && { networks: [], few: [['192.0.2.1', oneIn]] };
    expect<unknown>(kept.at(-1)).toEqual(expected);
  }
});

test('one that is told to connect less often is let in when it does', () => {
  jest.useFakeTimers();
  const { shutOut, kept } = counting();
  // Fifty in the time between two judgements.
  shutOut.thin('192.0.2.1', 40);
  const rounds = [
    { came: 0, oneIn: 64 },
    { came: 0, oneIn: 64 },
    { came: 1, oneIn: 64 },
    { came: 0, oneIn: 16 },
    { came: 4, oneIn: 64 },
    { came: 0, oneIn: 16 },
    { came: 1, oneIn: 4 },
    { came: 6, oneIn: undefined },
  ];
  for (const { came, oneIn } of rounds) {
    for (let count = 0; count < came; count += 1) shutOut.came('192.0.2.1');
    jest.advanceTimersByTime(2_000);
    const expected = oneIn && { networks: [], few: [['192.0.2.1', oneIn]] };
    expect<unknown>(kept.at(-1)).toEqual(expected);
  }
});

test('what was dropped is noted under those who were kept out then', () => {
  jest.useFakeTimers();
  const { shutOut, clock, door, notes } = counting();
  const [one, other, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  const drop = (count: number) => {
    door.dropped += count;
  };
  shutOut.thin(one);
  drop(3);
  shutOut.thin(other);
  expect(notes.splice(0)).toEqual([['dropped', one, 3]]);
  // Of two the system does not say which.
  drop(2_001);
  jest.advanceTimersByTime(2_000);
  expect(notes.splice(0)).toEqual([
    ['dropped', one, 1_001],
    ['dropped', other, 1_000],
  ]);
  // Of the other some come in: it stays, and the first does not.
  jest.advanceTimersByTime(2_000);
  for (let rounds = 0; rounds < 3; rounds += 1) {
    for (let count = 0; count < 10; count += 1) shutOut.came(other);
    jest.advanceTimersByTime(2_000);
  }
  drop(40);
  shutOut.add(third);
  expect(notes.splice(0)).toEqual([['dropped', other, 40]]);
  // One that is not in the program yet has no part in it.
  shutOut.add(one);
  drop(2);
  clock.at += 10;
  shutOut.add(one);
  expect(notes.splice(0)).toEqual([
    ['dropped', third, 1],
    ['dropped', other, 1],
  ]);
  shutOut.stop();
  expect(notes).toEqual([]);
});

test('the system counts in 32 bits', () => {
  const { shutOut, door, notes } = counting();
  door.dropped = 2 ** 32 - 3;
  shutOut.add('192.0.2.1');
  door.dropped = 9;
  shutOut.stop();
  expect(notes).toEqual([['dropped', '192.0.2.1', 12]]);
});

linuxTest('who has gone before it was looked at is known', async () => {
  const gone = Promise.withResolvers<string | undefined>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        const { fd } = socket as unknown as { fd: number };
        const isFirst = seen++ === 0;
        // The others come and go while the first is taken: they wait in the same queue.
        if (isFirst) Bun.sleepSync(300);
        else if ((socket.remoteAddress as string | undefined) === undefined)
          gone.resolve(libc?.formerPeerOf(fd)?.address);
      },
      data() {},
    },
  });
  let seen = 0;
  closers.push(() => listener.stop(true));
  const program = `import { connect } from 'node:net';
    const to = { host: '127.0.0.1', port: ${listener.port}, localAddress: '127.0.41.9' };
    for (let left = 3; left > 0; left -= 1) connect(to, function () { this.resetAndDestroy(); });`;
  const child = Bun.spawn([process.execPath, '-e', program]);
  expect(await gone.promise).toBe('127.0.41.9');
  await child.exited;
});

/** One in more than there will ever be. */
const hardlyAny = 2 ** 32;

const networkArrivals = { atOnce: 500, everyMs: 4 };

function listen(
  limits: Omit<ShutOutOptions['limits'], 'networkArrivals'>,
  { oneIn = 64 }: { oneIn?: number } = {},
) {
  const words: string[] = [];
  let wake = () => {};
  const say = (word: string) => {
    words.push(word);
    wake();
  };
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => say(socket.remoteAddress),
      data: (socket, bytes) => say(`${socket.remoteAddress} says ${bytes.toString()}`),
    },
  });
  const { fd } = listener as unknown as { fd: number };
  const notes: unknown[][] = [];
  const refusals = { note: (...note: unknown[]) => void notes.push(note) };
  if (!libc) throw new Error('the calls of this system are not known');
  const clock = { at: 0 };
  const monotonicMs = () => clock.at;
  const door = openDoor(libc, fd);
  if (!door) throw new Error('the system knows no doors');
  const shutOut = new ShutOut({
    door,
    limits: { ...limits, networkArrivals },
    oneIn,
    refusals,
    monotonicMs,
  });
  closers.push(() => {
    shutOut.stop();
    door.close();
    listener.stop(true);
  });
  const arrived = async (): Promise<string> => {
    const word = words.shift();
    if (word !== undefined) return word;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    return await arrived();
  };
  return { shutOut, clock, port: listener.port, arrived, notes };
}

/** A door that drops what the test says. */
function counting() {
  const kept: (KeptOut | undefined)[] = [];
  const door = { dropped: 0, keepOut: (keptOut: KeptOut | undefined) => void kept.push(keptOut) };
  const notes: unknown[][] = [];
  const clock = { at: 0 };
  const shutOut = new ShutOut({
    door,
    limits: { shutOutMs: 600_000, letInMs: 0, shutOutMax: 8, networkArrivals },
    refusals: { note: (...note) => void notes.push(note) },
    monotonicMs: () => clock.at,
  });
  closers.push(() => shutOut.stop());
  return { shutOut, clock, door, notes, kept };
}

function dial(port: number, localAddress: string): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => {});
  closers.push(() => socket.destroy());
  return socket;
}
