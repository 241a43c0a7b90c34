// A line between somebody and the service: slow, late, with stalls, cut, or silent with both ends open; settable while it runs.
import { connect, createServer, type Socket } from 'node:net';
import { LineDirection, plainShape, type Shape } from './line-direction.ts';
import { seeded } from './random.ts';

export interface ShapedLine {
  port: number;
  /** What a browser asks instead of the service. */
  url: string;
  /** What came out at the client's end. */
  readonly downBytes: number;
  /** From now on: of each direction what is named is changed. */
  shape(change: LineShape): void;
  /** Drops every connection, both ends at once. */
  cut(): void;
  /** From now on nothing passes on the connections there are; both ends stay open. */
  silence(): void;
  close(): void;
}

/** `down` is from the service to the client. */
export interface LineShape {
  down?: Partial<Shape>;
  up?: Partial<Shape>;
}

/** To a port of this machine; what is not said of its shape is as fast as it goes. `seed`: every chance follows from it. */
export async function startShapedLine(
  targetPort: number,
  shape: LineShape = {},
  { seed = 1 } = {},
): Promise<ShapedLine> {
  const line = new Line(shape, seed);
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.setNoDelay(true);
    line.add(near, connect({ host: '127.0.0.1', port: targetPort, noDelay: true }));
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const { port } = server.address() as { port: number };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get downBytes() {
      return line.downBytes;
    },
    shape: (change) => line.shape(change),
    cut: () => line.cut(),
    silence: () => line.silence(),
    close: () => {
      line.cut();
      server.close();
    },
  };
}

/** A router holds so much for a connection; beyond it the sender waits. */
const waitingBytesMax = 64 * 1024;

/** One direction of a connection. */
interface Way {
  from: Socket;
  to: Socket;
  direction: LineDirection<Way>;
  /** The handshake is over: nothing sets out before. */
  opensAt: number;
  /** No more comes from there. */
  isEnded: boolean;
}

interface Connection {
  ways: readonly [Way, Way];
  isSilent: boolean;
}

class Line {
  downBytes = 0;

  private readonly down: LineDirection<Way>;
  private readonly up: LineDirection<Way>;
  private readonly connections = new Set<Connection>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ down, up }: LineShape, seed: number) {
    const random = seeded(seed);
    const chance = () => random.next();
    this.down = new LineDirection({
      shape: { ...plainShape, ...down },
      returnMs: () => this.up.shape.delayMs,
      chance,
    });
    this.up = new LineDirection({
      shape: { ...plainShape, ...up },
      returnMs: () => this.down.shape.delayMs,
      chance,
    });
  }

  shape({ down, up }: LineShape): void {
    this.down.shape = { ...this.down.shape, ...down };
    this.up.shape = { ...this.up.shape, ...up };
    this.deliver();
  }

  add(near: Socket, far: Socket): void {
    const roundTripMs = this.down.shape.delayMs + this.up.shape.delayMs;
    const common = { opensAt: performance.now() + roundTripMs, isEnded: false };
    const there = { ...common, from: near, to: far, direction: this.up };
    const back = { ...common, from: far, to: near, direction: this.down };
    const connection: Connection = { ways: [there, back], isSilent: false };
    this.connections.add(connection);
    this.follow(connection, there, back);
    this.follow(connection, back, there);
  }

  cut(): void {
    clearTimeout(this.timer);
    for (const connection of this.connections) {
      for (const { from } of connection.ways) from.resetAndDestroy();
      this.drop(connection);
    }
  }

  silence(): void {
    for (const connection of this.connections) {
      connection.isSilent = true;
      for (const way of connection.ways) {
        way.direction.drop(way);
        way.from.removeAllListeners('data').pause();
      }
    }
  }

  private follow(connection: Connection, way: Way, back: Way): void {
    const { from, to, direction } = way;
    from.on('data', (bytes: Buffer) => {
      // What was read from a socket may be another's in the next turn.
      direction.push(way, Uint8Array.from(bytes), Math.max(performance.now(), way.opensAt));
      settle(way);
      this.deliver();
    });
    from.on('error', () => {});
    to.on('drain', () => settle(way));
    from.on('end', () => {
      way.isEnded = true;
      if (!connection.isSilent) settle(way);
    });
    from.on('close', () => {
      // What was written before the end still gets there; nobody is there to read the rest of the other way.
      back.direction.drop(back);
      if (!way.isEnded || to.destroyed) this.drop(connection);
    });
  }

  private drop(connection: Connection): void {
    this.connections.delete(connection);
    for (const way of connection.ways) {
      way.direction.drop(way);
      way.from.destroy();
    }
  }

  private deliver(): void {
    clearTimeout(this.timer);
    const nowMs = performance.now();
    const touched = new Set<Way>();
    for (const direction of [this.down, this.up])
      for (const { key: way, bytes } of direction.take(nowMs)) {
        if (direction === this.down) this.downBytes += bytes.length;
        way.to.write(bytes);
        touched.add(way);
      }
    for (const way of touched) settle(way);
    const moments = [this.down, this.up].map((one) => one.nextAt() ?? Number.POSITIVE_INFINITY);
    const next = Math.min(...moments);
    if (next === Number.POSITIVE_INFINITY) return;
    this.timer = setTimeout(() => this.deliver(), Math.max(0, next - performance.now()));
  }
}

/** Who sends waits where too much of theirs waits; the end comes behind the last byte. */
function settle(way: Way): void {
  const { from, to, direction, isEnded } = way;
  const waitingBytes = Math.max(direction.waitingBytes(way), to.writableLength);
  if (waitingBytes > waitingBytesMax) from.pause();
  else from.resume();
  if (isEnded && direction.isEmpty(way)) to.end();
}
