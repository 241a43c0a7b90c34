// Which descriptors are connections of ours, over real sockets, and what has come over them since the last look.
import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type Libc, openLibc } from '../../base/lib/libc.ts';
import { Connections, type OpenConnection } from './connections.ts';
import { httpLimits } from './http-limits.ts';
import { LookSlices } from './look-slices.ts';
import { PageWatch } from './page-watch.ts';

const system = openLibc();
const linuxTest = test.if(system !== undefined);

linuxTest('each connection is found, with what has come since the last look', async () => {
  await using hall = openHall();
  const [one, other] = [await hall.dial(), await hall.dial()];
  await one.say('four');
  expect(await hall.look()).toEqual({ [one.name]: 4, [other.name]: 0 });
  await one.say('and five');
  await other.say('x');
  expect(await hall.look()).toEqual({ [one.name]: 8, [other.name]: 1 });
  expect(await hall.look()).toEqual({ [one.name]: 0, [other.name]: 0 });
});

linuxTest('a page is not among them, and who has gone no more', async () => {
  await using hall = openHall();
  const [page, gone, stays] = [await hall.dial(), await hall.dial(), await hall.dial()];
  hall.upgrade(page.name);
  await gone.leave();
  expect(await hall.look()).toEqual({ [stays.name]: 0 });
});

linuxTest('a page that sends what Bun does not tell of is cut, and no other', async () => {
  await using hall = openHall();
  const [quiet, rude] = [await hall.dial(), await hall.dial()];
  await rude.say('x'.repeat(2 * httpLimits.untoldBytesMax));
  await hall.look();
  for (const { name } of [quiet, rude]) hall.upgrade(name);
  await hall.look();
  await rude.say('x'.repeat(httpLimits.untoldBytesMax));
  await hall.look();
  expect(hall.wasCut).toEqual([]);
  await rude.say('x');
  await hall.look();
  expect(hall.wasCut).toEqual([rude.name]);
});

linuxTest('a page that floods before it is found is cut', async () => {
  await using hall = openHall();
  const rude = await hall.dial();
  hall.upgrade(rude.name);
  await rude.say('x'.repeat(httpLimits.untoldBytesMax + 1));
  await hall.look();
  expect(hall.wasCut).toEqual([rude.name]);
});

linuxTest('with every descriptor taken the look comes to an end', async () => {
  await using hall = openHall({ lowestFree: () => undefined });
  const one = await hall.dial();
  for (let look = 0; look < httpLimits.wholeLookEvery; look += 1)
    expect(await hall.look()).toEqual({ [one.name]: 0 });
});

linuxTest('who the other end is, is asked for once', async () => {
  await using hall = openHall();
  await hall.dial();
  await hall.look();
  hall.asked.clear();
  await hall.look();
  expect([...hall.asked]).toEqual([]);
});

linuxTest('of those that nothing is known against so many are asked, going round', async () => {
  await using hall = openHall();
  const all: string[] = [];
  for (let n = 0; n < 6; n += 1) all.push((await hall.dial()).name);
  await hall.look();
  // Their other ends are here, too.
  const others = hall.askedSockets();
  const asked: string[] = [];
  for (let left = others.length; left > 0; left -= 2) {
    asked.push(...Object.keys(await hall.look(2)));
    expect(hall.askedSockets()).toHaveLength(Math.min(2, left));
  }
  expect(asked.sort()).toEqual(all.sort());
});

linuxTest(
  'who is new, has no answer yet or is of a network that sends much is asked at every look',
  async () => {
    await using hall = openHall();
    const [one, other] = [await hall.dial(), await hall.dial()];
    expect(await hall.look(0)).toEqual({ [one.name]: 0, [other.name]: 0 });
    await one.say('x');
    expect(await hall.look(0)).toEqual({});
    hall.counted.add('127.0.0.1');
    expect(await hall.look(0)).toEqual({ [one.name]: 1, [other.name]: 0 });
    hall.counted.clear();
    const newest = await hall.dial();
    // Of the first something has come, and it has no answer, until that has been told.
    expect(await hall.look(0)).toEqual({ [one.name]: 0, [newest.name]: 0 });
    hall.clock.at += httpLimits.hellos.waitsMs;
    expect(await hall.look(0)).toEqual({ [one.name]: 0 });
    expect(hall.told).toEqual([one.name]);
    expect(await hall.look(0)).toEqual({});
  },
);

linuxTest('a page is asked when it has become one, and then in its turn', async () => {
  await using hall = openHall();
  const page = await hall.dial();
  await hall.look();
  await page.say('x');
  hall.upgrade(page.name);
  await hall.look(0);
  await page.say('x'.repeat(httpLimits.untoldBytesMax + 1));
  await hall.look(0);
  expect(hall.wasCut).toEqual([]);
  await hall.look();
  expect(hall.wasCut).toEqual([page.name]);
});

linuxTest('what one held unsent is no more counted when it has become a page', async () => {
  const held = 1_000;
  const trafficOf = (fd: number) => {
    const traffic = system?.trafficOf(fd);
    return traffic && { ...traffic, unsentBytes: held };
  };
  await using hall = openHall({ trafficOf });
  const page = await hall.dial();
  await hall.dial();
  await hall.look();
  expect(hall.unsentBytes()).toBe(2 * held);
  hall.upgrade(page.name);
  await hall.look();
  expect(hall.unsentBytes()).toBe(held);
  await page.leave();
  await hall.look();
  expect(hall.unsentBytes()).toBe(held);
});

linuxTest('one behind a long gap is found by a whole look', async () => {
  await using hall = openHall();
  const holders: Socket[] = [];
  for (let n = 0; n < httpLimits.gapOfMost; n += 1) holders.push((await hall.dial()).socket);
  const last = await hall.dial();
  const gone = hall.ended(holders.length);
  for (const holder of holders) holder.destroy();
  await gone;
  for (let look = 1; look < httpLimits.wholeLookEvery; look += 1) await hall.look();
  expect(await hall.look()).toEqual({ [last.name]: 0 });
});

function openHall(bent: Partial<Libc> = {}) {
  if (!system) throw new Error('the calls of this system are not known');
  const pages = new PageWatch();
  const wasCut: string[] = [];
  const upgrade = (name: string) =>
    pages.upgraded({ toldBytes: 0, cut: () => wasCut.push(name) }, name);
  /** Descriptors of which was asked who is at the other end, and which socket it is. */
  const asked = new Set<number>();
  const sockets = new Set<number>();
  const counted = new Set<string>();
  const clock = { at: 0 };
  /** Which had no answer for long. */
  const told: string[] = [];
  const libc: Libc = {
    ...system,
    ...bent,
    peerOf: (fd) => {
      asked.add(fd);
      return system.peerOf(fd);
    },
    socketOf: (fd) => {
      sockets.add(fd);
      return system.socketOf(fd);
    },
  };
  let came = new Map<string, number>();
  const connections = new Connections({
    pages,
    isCounted: (network) => counted.has(network),
    onNew: () => {},
    onBytes: ({ name }: OpenConnection, bytes) => came.set(name, bytes),
    onUnanswered: ({ name }) => told.push(name),
  });
  const dialled: Socket[] = [];
  let heard = 0;
  let endings = 0;
  let wake = () => {};
  const until = async (isSo: () => boolean) => {
    while (!isSo())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (_, bytes) => {
        heard += bytes.length;
        wake();
      },
      close: () => {
        endings += 1;
        wake();
      },
    },
  });
  const { port } = listener;
  const ended = (count: number) => {
    const before = endings;
    return until(() => endings >= before + count);
  };
  const dial = async () => {
    const socket = connect({ host: '127.0.0.1', port });
    dialled.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    return {
      socket,
      name: `127.0.0.1 ${socket.localPort}`,
      say: async (word: string) => {
        const before = heard;
        socket.write(word);
        await until(() => heard === before + word.length);
      },
      leave: async () => {
        const gone = ended(1);
        socket.destroy();
        await gone;
      },
    };
  };
  const look = async (othersMax = Number.POSITIVE_INFINITY) => {
    came = new Map();
    const slices = new LookSlices();
    const descriptorsMax = 100_000;
    const { at } = clock;
    await connections.readDescriptors(libc, { port, descriptorsMax, slices, othersMax, at });
    const names = connections.plain.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...came.keys()]));
    if (othersMax === Number.POSITIVE_INFINITY) expect(names).toHaveLength(came.size);
    return Object.fromEntries(came);
  };
  return {
    upgrade,
    wasCut,
    asked,
    sockets,
    counted,
    clock,
    told,
    askedSockets: () => {
      const found = [...sockets].filter((fd) => system.socketOf(fd) !== undefined);
      sockets.clear();
      return found;
    },
    unsentBytes: () => connections.unsentBytes,
    dial,
    look,
    ended,
    [Symbol.asyncDispose]: async () => {
      for (const socket of dialled) socket.destroy();
      listener.stop(true);
    },
  };
}
