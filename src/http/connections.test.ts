// Which descriptors are connections of ours, over real sockets, and what has come over them since the last look.
import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type Libc, openLibc } from '../lib/libc.ts';
import { Connections, type OpenConnection } from './connections.ts';
import { httpLimits } from './limits.ts';
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
  const asked = new Set<number>();
  const libc: Libc = {
    ...system,
    ...bent,
    peerOf: (fd) => {
      asked.add(fd);
      return system.peerOf(fd);
    },
  };
  let came = new Map<string, number>();
  const connections = new Connections({
    pages,
    onBytes: ({ name }: OpenConnection, bytes) => came.set(name, bytes),
  });
  const sockets: Socket[] = [];
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
    sockets.push(socket);
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
  const look = async () => {
    came = new Map();
    const slices = new LookSlices();
    const found = await connections.look(libc, { port, descriptorsMax: 100_000, slices });
    expect(found.map(({ name }) => name).sort()).toEqual([...came.keys()].sort());
    return Object.fromEntries(came);
  };
  return {
    upgrade,
    wasCut,
    asked,
    dial,
    look,
    ended,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      listener.stop(true);
    },
  };
}
