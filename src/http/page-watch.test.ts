// What a page sends beyond what Bun tells of it, as the system counts it.
import { expect, test } from 'bun:test';
import type { Libc, Peer } from '../lib/libc.ts';
import { httpLimits } from './limits.ts';
import { LookSlices } from './look-slices.ts';
import { PageWatch } from './page-watch.ts';

const { untoldBytesMax } = httpLimits;
const port = 8_080;

test('who sends more than Bun tells is cut, and nobody else', async () => {
  const hall = openHall();
  const [quiet, talker, flooder] = [hall.page(), hall.page(), hall.page()];
  await hall.look();
  talker.send(1_000_000);
  talker.toldBytes += 1_000_000;
  flooder.send(untoldBytesMax);
  await hall.look();
  expect(hall.wasCut).toEqual([]);
  flooder.send(1);
  await hall.look();
  expect(hall.wasCut).toEqual([flooder]);
  expect(hall.watch.count).toBe(2);
  expect(hall.watch.has(quiet.name)).toBe(true);
});

test('what came before it was a page is not counted', async () => {
  const hall = openHall();
  const page = hall.page({ sentBytes: 10 * untoldBytesMax });
  await hall.look();
  expect(hall.wasCut).toEqual([]);
  page.send(untoldBytesMax + 1);
  await hall.look();
  expect(hall.wasCut).toEqual([page]);
});

test.each([0, 500])(
  'each page is looked for once, and one that has gone no more, with %d descriptors free below',
  async (free) => {
    const hall = openHall({ free });
    const pages = Array.from({ length: 5 }, () => hall.page());
    await hall.look();
    hall.asked.clear();
    await hall.look();
    expect([...hall.asked]).toEqual([]);
    for (const page of pages) hall.watch.closed(page);
    const next = hall.page();
    await hall.look();
    expect(hall.watch.count).toBe(1);
    next.send(2 * untoldBytesMax);
    await hall.look();
    expect(hall.wasCut).toEqual([next]);
  },
);

test('with every descriptor taken the look comes to an end', async () => {
  const hall = openHall({ isFull: true });
  hall.watch.upgraded(hall.page(), 'somebody else');
  await hall.look();
  expect(hall.watch.count).toBe(1);
});

/** Pages at descriptors of a system of our own. */
function openHall({ isFull = false, free = 0 } = {}) {
  const watch = new PageWatch();
  const received = new Map<number, number>();
  const wasCut: object[] = [];
  /** Descriptors that were asked for their other end. */
  const asked = new Set<number>();
  const peerOf = (fd: number): Peer | undefined => {
    asked.add(fd);
    return received.has(fd) ? { address: '192.0.2.1', port: fd } : undefined;
  };
  const libc: Libc = {
    lowestFree: () => (isFull ? undefined : received.size + 10),
    peerOf,
    localPortOf: (fd) => (received.has(fd) ? port : undefined),
    formerPeerOf: () => undefined,
    receivedBytesOf: (fd) => received.get(fd),
    trafficOf: () => undefined,
    socketOf: () => undefined,
    idleMsOf: () => 0,
    boundUnread: () => true,
    isListening: () => false,
    shutdown: () => {},
    sharePort: () => true,
    steer: () => true,
    filter: () => true,
    droppedOf: () => 0,
  };
  const page = ({ sentBytes = 500 } = {}) => {
    const fd = free + received.size + 10;
    received.set(fd, sentBytes);
    const name = `192.0.2.1 ${fd}`;
    const one = {
      name,
      toldBytes: 0,
      send: (bytes: number) => received.set(fd, (received.get(fd) ?? 0) + bytes),
      cut: () => {
        wasCut.push(one);
        watch.closed(one);
      },
    };
    watch.upgraded(one, name);
    return one;
  };
  watch.start(port, libc);
  const look = () => watch.look({ descriptorsMax: 2_000, slices: new LookSlices() });
  return { watch, wasCut, asked, page, look };
}
