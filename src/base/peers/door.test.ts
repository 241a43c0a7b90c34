// Real sockets: whom the system gives to which of those that listen, and whom to none.
import { afterEach, expect, jest, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { until } from '../../../test/support/live-channel.ts';
import { type Libc, openLibc } from '../lib/libc.ts';
import { openDoor } from './door.ts';
import { doorProgram } from './door-program.ts';

const libc = openLibc();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
  jest.useRealTimers();
});

const linuxTest = test.if(libc !== undefined);
const addresses = Object.values(networkInterfaces()).flatMap((all) =>
  (all ?? []).map(({ address }) => address),
);
const ipv6Test = test.if(libc !== undefined && addresses.includes('::1'));

linuxTest('it lets everybody in until it is told not to, whoever came first', async () => {
  const { door, port, taken } = listen();
  dial(port, '127.0.43.1');
  expect(await taken()).toBe('127.0.43.1');
  door.keepOut({ networks: ['127.0.43.2'] });
  // The full socket is so from the first on: nobody waits in it.
  const kept = dial(port, '127.0.43.2');
  dial(port, '127.0.43.3');
  expect(await taken()).toBe('127.0.43.3');
  expect(kept.connecting).toBe(true);
  expect(door.dropped).toBeGreaterThan(0);
  door.keepOut('everybody');
  const another = dial(port, '127.0.43.3');
  const { dropped } = door;
  while (door.dropped === dropped) await Bun.sleep(1);
  door.keepOut(undefined);
  dial(port, '127.0.43.4');
  expect(await taken()).toBe('127.0.43.4');
  expect([kept.connecting, another.connecting]).toEqual([true, true]);
  // The systems of both try again by themselves.
  expect([await taken(), await taken()].sort()).toEqual(['127.0.43.2', '127.0.43.3']);
});

linuxTest('it leads to whichever socket is to take them', async () => {
  const { door, port, taken } = listen();
  const next = listen({ port });
  dial(port, '127.0.43.1');
  expect(await taken()).toBe('127.0.43.1');
  // Two came before it: the one that takes and the full one.
  expect(door.leadTo(2)).toBe(true);
  for (const last of [1, 2, 3, 4, 5]) {
    dial(port, `127.0.43.${last}`);
    expect(await next.taken()).toBe(`127.0.43.${last}`);
  }
  door.keepOut({ networks: ['127.0.43.1'] });
  const kept = dial(port, '127.0.43.1');
  dial(port, '127.0.43.2');
  expect(await next.taken()).toBe('127.0.43.2');
  expect(kept.connecting).toBe(true);
});

linuxTest('a program that comes later learns that the port is taken', () => {
  const { port } = listen();
  expect(() => Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } })).toThrow();
});

linuxTest('a socket that has left gives its place to the last, and the door knows it', async () => {
  const { door, listener, port } = listen();
  const next = listen({ port });
  door.leadTo(2);
  listener.stop(true);
  expect(door.leadTo(0)).toBe(true);
  door.keepOut({ networks: ['127.0.43.1'] });
  const kept = dial(port, '127.0.43.1');
  for (const last of [2, 3, 4, 5]) {
    dial(port, `127.0.43.${last}`);
    expect(await next.taken()).toBe(`127.0.43.${last}`);
  }
  expect(kept.connecting).toBe(true);
});

linuxTest('it opens beside connections that came before it', async () => {
  if (!libc) return;
  const { listener, fd, port, taken } = listen({ hasDoor: false });
  dial(port, '127.0.43.1');
  expect(await taken()).toBe('127.0.43.1');
  const door = openDoor(libc, fd);
  if (!door) throw new Error('there is none');
  closers.push(() => door.close());
  expect(libc.untakenOf(door.full)).toBe(2);
  door.keepOut('everybody');
  const kept = dial(port, '127.0.43.2');
  while (door.dropped === 0) await Bun.sleep(1);
  expect(kept.connecting).toBe(true);
  door.keepOut(undefined);
  expect(await taken()).toBe('127.0.43.2');
  listener.stop(true);
});

linuxTest('who comes while it is opened waits for nobody', async () => {
  if (!libc) return;
  const { listener, port } = listen({ hasDoor: false });
  listener.stop(true);
  // In a process of its own: while a door is opened nothing else is done in this one.
  const storm = `
    const knock = () => Bun.connect({ hostname: '127.0.0.1', port: ${port}, socket: {
      data() {}, close: knock, error() {}, connectError: () => void setImmediate(knock),
    } }).catch(() => {});
    for (let count = 0; count < 20; count += 1) knock();`;
  const child = Bun.spawn([process.execPath, '-e', storm]);
  closers.push(() => child.kill());
  for (let rounds = 0; rounds < 10; rounds += 1) {
    const again = Bun.listen({
      hostname: '127.0.0.1',
      port,
      socket: { open: (socket) => void socket.end(), data() {} },
    });
    const door = openDoor(libc, (again as unknown as { fd: number }).fd);
    const before = connectedWithoutOwner(port);
    const isTaken = () => {
      const after = connectedWithoutOwner(port);
      return !before.some((peer) => after.includes(peer));
    };
    await until(isTaken, { withinMs: 10_000, otherwise: 'nobody takes who came meanwhile' });
    door?.close();
    again.stop(true);
  }
  child.kill();
  await child.exited;
});

/** The other ends of connections to a port that no program has taken, and that are not closed at their end. */
function connectedWithoutOwner(port: number): string[] {
  const connected = '01';
  return socketsAt(port, connected)
    .filter((cells) => cells[9] === '0')
    .map((cells) => cells[2] ?? '');
}

function listeningAt(port: number): number {
  const listening = '0A';
  return socketsAt(port, listening).length;
}

/** What the system says of its sockets at a port that are in this state. */
function socketsAt(port: number, state: string): string[][] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((cells) => cells[1]?.endsWith(local) && cells[3] === state);
}

linuxTest('once it is closed everybody comes in, and nothing is left of it', async () => {
  if (!libc) return;
  const { listener, fd, port, taken } = listen({ hasDoor: false });
  const door = openDoor(libc, fd);
  expect(listeningAt(port)).toBe(2);
  door?.keepOut('everybody');
  door?.close();
  expect(listeningAt(port)).toBe(1);
  dial(port, '127.0.43.1');
  expect(await taken()).toBe('127.0.43.1');
  listener.stop(true);
  Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
});

test('a program that the system does not take is given to it again', () => {
  jest.useFakeTimers();
  let hasMemory = true;
  const programs: unknown[] = [];
  const fake = {
    sharePort: () => true,
    listenInVain: () => 7,
    turnAway: () => {},
    untakenOf: () => 2,
    steer: (_: number, program: unknown) => hasMemory && programs.push(program) > 0,
    close: () => {},
  };
  const door = openDoor(fake as unknown as Libc, 6);
  const lastProgram = () => programs.at(-1);
  const places = { open: 0, shut: 1 };
  door?.keepOut('everybody');
  hasMemory = false;
  door?.keepOut(undefined);
  expect(lastProgram()).toEqual(doorProgram(places, 'everybody'));
  hasMemory = true;
  jest.advanceTimersByTime(1_000);
  expect(lastProgram()).toEqual(doorProgram(places));
  hasMemory = false;
  door?.keepOut('everybody');
  door?.close();
  hasMemory = true;
  jest.advanceTimersByTime(1_000);
  expect(lastProgram()).toEqual(doorProgram(places));
});

ipv6Test('networks of IPv6 are known by their first 64 bits', async () => {
  const { door, port, taken } = listen({ hostname: '::' });
  // Of the last one the beginning is the same, and of the other the end.
  const others = ['10.0.0.1', '0:0:0:1::/64', '1:0:0:0::/64'];
  door.keepOut({ networks: others });
  dial(port, undefined, '::1');
  expect(await taken()).toBe('::1');
  door.keepOut({ networks: [...others, '0:0:0:0::/64'] });
  const kept = dial(port, undefined, '::1');
  dial(port, '127.0.43.1');
  expect(await taken()).toEndWith('127.0.43.1');
  expect(kept.connecting).toBe(true);
  door.keepOut({ networks: others });
  expect(await taken()).toBe('::1');
});

linuxTest('as many networks as there may be are one program', () => {
  const { fd } = listen();
  const ipv4 = Array.from({ length: 128 }, (_, at) => `192.0.2.${at}`);
  const ipv6 = Array.from({ length: 128 }, (_, at) => `2001:db8:${at.toString(16)}:1::/64`);
  const few = ipv6.map((network, at) => [network, 64 * 4 ** (at % 4)] as const);
  for (const keptOut of [{ networks: ipv4 }, { networks: ipv6 }, { networks: [], few }])
    expect(libc?.steer(fd, doorProgram({ open: 0, shut: 1 }, keptOut))).toBe(true);
});

function listen({ hostname = '127.0.0.1', port = 0, hasDoor = true } = {}) {
  const came: string[] = [];
  let wake = () => {};
  const listener = Bun.listen({
    hostname,
    port,
    // Bun has it, and its types do not.
    ...{ reusePort: port !== 0 },
    socket: {
      open: (socket) => {
        came.push(socket.remoteAddress);
        wake();
      },
      data() {},
    },
  });
  const { fd } = listener as unknown as { fd: number };
  // Of one port the first has it.
  const door = hasDoor && port === 0 && libc ? openDoor(libc, fd) : undefined;
  closers.push(() => {
    door?.close();
    listener.stop(true);
  });
  const taken = async (): Promise<string> => {
    const address = came.shift();
    if (address !== undefined) return address;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    return await taken();
  };
  return { door: door as NonNullable<typeof door>, listener, port: listener.port, fd, taken };
}

function dial(port: number, localAddress: string | undefined, host = '127.0.0.1') {
  const socket = connect({ host, port, ...(localAddress && { localAddress }) });
  socket.on('error', () => {});
  closers.push(() => socket.destroy());
  return socket;
}
