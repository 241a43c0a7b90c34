// Thousands of RTMP connects a second from a few addresses: some go at once, some after a hello, some stay.
import { clientHandshake } from '../../src/rtmp/handshake.ts';
import { openRawConnects } from '../support/raw-connects.ts';
import { addressBeside } from '../support/rude-rtmp.ts';
import type { Attack } from './attack.ts';

const addresses = 4;
const perSecond = 8_000;
const forMs = 10_000;
/** Connects are begun so often, as many as are due, and not all that a machine that stood still has missed. */
const everyMs = 5;
const atOnceMax = 1_000;
/** Of those that stay; then the oldest goes. */
const stayMax = 2_000;

export const attack: Attack = {
  name: 'connect-flood',
  sentence: '8,000 RTMP connects a second from 4 addresses go at once, after a hello, or stay',
  refusals: ['rtmp dropped'],
  run: ({ rtmpPort }, { from, signal }) =>
    flood({ port: rtmpPort, from, signal, addresses, perSecond, forMs }),
};

/** In its short form a test says how many. */
export async function flood(given: {
  port: number;
  from: string;
  signal: AbortSignal;
  addresses: number;
  perSecond: number;
  forMs: number;
}): Promise<void> {
  const { port, from, signal, forMs } = given;
  const over = AbortSignal.any([signal, AbortSignal.timeout(forMs)]);
  const connects = openRawConnects(port);
  const hello = clientHandshake();
  /** By what they do. */
  const open: number[][] = [[], [], []];
  const startedAt = performance.now();
  for (let begun = 0; !over.aborted; ) {
    const due = ((performance.now() - startedAt) * given.perSecond) / 1_000;
    const last = Math.min(due, begun + atOnceMax);
    for (; begun < last; begun += 1) {
      const fd = connects.begin(addressBeside(from, begun % given.addresses));
      if (fd !== undefined) open[Math.floor(begun / given.addresses) % open.length]?.push(fd);
    }
    // Who waits in the queue has had a moment to be connected.
    await Bun.sleep(everyMs);
    const [going = [], greeting = [], staying = []] = open;
    for (const fd of [...greeting, ...staying.slice(-greeting.length)]) connects.send(fd, hello);
    for (const fd of [...going.splice(0), ...greeting.splice(0)]) connects.cut(fd);
    for (const fd of staying.splice(0, staying.length - stayMax)) connects.cut(fd);
  }
  for (const fd of open.flat()) connects.cut(fd);
}
