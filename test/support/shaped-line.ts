// A line between a browser and the service that carries so many bytes a second, all its connections together.
import { connect, createServer, type Socket } from 'node:net';

export interface ShapedLine {
  /** What the browser asks instead of the service. */
  url: string;
  /** From now on. */
  setRate(bytesPerSecond: number): void;
  /** What it has carried to the browser so far. */
  carried(): number;
  stop(): Promise<void>;
}

const tickMs = 20;
/** What one connection gets before it is another's turn; a packet on a real line. */
const packetBytes = 1_460;
/** Of one connection, before what comes is left with the service. */
const heldBytesMax = 64 << 10;

interface Held {
  browser: Socket;
  service: Socket;
  pieces: Buffer[];
  bytes: number;
  hasEnded: boolean;
}

export async function startShapedLine(
  target: string,
  { bytesPerSecond }: { bytesPerSecond: number },
): Promise<ShapedLine> {
  let rate = bytesPerSecond;
  let carried = 0;
  let allowance = 0;
  let tickedAt = performance.now();
  const lines = new Set<Held>();
  const tick = () => {
    const now = performance.now();
    // What nobody used is gone: a line keeps nothing for later.
    allowance = Math.min(allowance + ((now - tickedAt) / 1_000) * rate, packetBytes + rate / 10);
    tickedAt = now;
    for (let isAny = true; isAny && allowance >= packetBytes; ) {
      isAny = false;
      for (const line of lines) {
        const sent = allowance >= packetBytes ? sendPacket(line) : 0;
        allowance -= sent;
        carried += sent;
        isAny ||= sent > 0;
      }
    }
  };
  const timer = setInterval(tick, tickMs);
  const server = createServer({ allowHalfOpen: true }, (browser) => {
    browser.setNoDelay(true);
    const service = connect({
      host: '127.0.0.1',
      port: Number(new URL(target).port),
      noDelay: true,
    });
    const line: Held = { browser, service, pieces: [], bytes: 0, hasEnded: false };
    lines.add(line);
    browser.on('data', (bytes) => service.write(bytes));
    browser.on('end', () => service.end());
    service.on('data', (bytes: Buffer) => {
      line.pieces.push(bytes);
      line.bytes += bytes.length;
      if (line.bytes > heldBytesMax) service.pause();
    });
    service.on('end', () => {
      line.hasEnded = true;
      if (line.bytes === 0) browser.end();
    });
    for (const [end, other] of [
      [browser, service],
      [service, browser],
    ] as const) {
      end.on('error', () => {});
      end.on('close', () => {
        if (end === service && line.bytes > 0) return;
        other.destroy();
        lines.delete(line);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    setRate: (now) => {
      rate = now;
    },
    carried: () => carried,
    stop: () =>
      new Promise((resolve) => {
        clearInterval(timer);
        server.close(() => resolve());
        for (const { browser, service } of lines)
          for (const end of [browser, service]) end.destroy();
      }),
  };
}

/** How many bytes it was; 0 where nothing waits. */
function sendPacket(line: Held): number {
  const first = line.pieces.shift();
  if (!first) return 0;
  const packet = first.subarray(0, packetBytes);
  if (first.length > packetBytes) line.pieces.unshift(first.subarray(packetBytes));
  line.bytes -= packet.length;
  line.browser.write(packet);
  if (line.bytes <= heldBytesMax / 2) line.service.resume();
  if (line.hasEnded && line.bytes === 0) line.browser.end();
  return packet.length;
}
