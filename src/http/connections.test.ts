// Which descriptors are connections of ours, over real sockets, and what has come over them since the last look.
import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type Libc, openLibc } from '../lib/libc.ts';
import { Connections, type OpenConnection } from './connections.ts';
import { httpLimits } from './limits.ts';
import { LookSlices } from './look-slices.ts';

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
  hall.pages.add(page.name);
  await gone.leave();
  expect(await hall.look()).toEqual({ [stays.name]: 0 });
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

function openHall() {
  if (!system) throw new Error('the calls of this system are not known');
  const pages = new Set<string>();
  const asked = new Set<number>();
  const libc: Libc = {
    ...system,
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
    pages,
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
