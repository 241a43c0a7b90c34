// Connects by the thousand: some go at once, some after a hello, some stay with theirs.
import { openRawConnects } from './raw-connects.ts';
import { addressBeside } from './rude-rtmp.ts';

export interface ConnectFlood {
  port: number;
  from: string;
  signal: AbortSignal;
  addresses: number;
  perSecond: number;
  forMs: number;
  /** What a client begins with. */
  hello: Uint8Array;
}

/** Connects are begun so often, as many as are due, and not all that a machine that stood still has missed. */
const everyMs = 5;
const atOnceMax = 1_000;
/** Of those that stay; then the oldest goes. */
const stayMax = 2_000;

export async function floodConnects(given: ConnectFlood): Promise<void> {
  const { port, from, signal, forMs, hello } = given;
  const over = AbortSignal.any([signal, AbortSignal.timeout(forMs)]);
  const connects = openRawConnects(port);
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
    const newest = staying.slice(Math.max(0, staying.length - greeting.length));
    for (const fd of [...greeting, ...newest]) connects.send(fd, hello);
    for (const fd of [...going.splice(0), ...greeting.splice(0)]) connects.cut(fd);
    for (const fd of staying.splice(0, staying.length - stayMax)) connects.cut(fd);
  }
  for (const fd of open.flat()) connects.cut(fd);
}
