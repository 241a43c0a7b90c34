// The RTMP server: listens, counts connections, and gives each socket its connection.
import type { Log } from '../lib/log.ts';
import { networkOf } from '../lib/network.ts';
import { RtmpConnection } from './connection.ts';
import { KeyGuard } from './key-guard.ts';
import { type RtmpLimits, rtmpLimits } from './limits.ts';
import { ReadPace } from './read-pace.ts';
import type { RtmpServices } from './session.ts';

export interface RtmpServerOptions extends RtmpServices {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: Log;
  now: () => number;
  limits?: Partial<RtmpLimits>;
}

export interface RtmpServer {
  readonly port: number;
  /** Connections that were not let in, since the start. */
  readonly refusals: Readonly<Record<'full' | 'address', number>>;
  /** Takes no more connections and lets the open ones go; resolves when they are gone. */
  stop(): Promise<void>;
}

/** A flood of connections must not become a flood of lines. */
const refusalLineEveryMs = 10_000;
/** A peer that vanished without a word is asked for after so long. */
const keepAliveMs = 30_000;

export function startRtmpServer(options: RtmpServerOptions): RtmpServer {
  const limits = { ...rtmpLimits, ...options.limits };
  const guard = new KeyGuard();
  const pace = new ReadPace();
  const connections = new Connections({ ...options, limits });
  const listener = Bun.listen<RtmpConnection | undefined>({
    hostname: options.host,
    port: options.port,
    socket: {
      // Bun hands over bytes that nobody else holds; of the plain kind, whose views are cheaper.
      binaryType: 'uint8array',
      open(socket) {
        const address = socket.remoteAddress;
        const network = networkOf(address);
        if (!connections.mayEnter(network)) {
          socket.terminate();
          return;
        }
        socket.setKeepAlive(true, keepAliveMs);
        const services = options;
        const given = { ...options, socket, address, network, services, guard, pace, limits };
        socket.data = new RtmpConnection(given);
        connections.enter(socket.data, network);
      },
      data(socket, bytes) {
        socket.data?.receive(bytes);
        // Nobody has kept them. The collector would find that out seconds later; this way the next read has their memory.
        (bytes.buffer as ArrayBuffer).transfer(0);
      },
      drain: (socket) => socket.data?.drain(),
      close(socket) {
        if (socket.data) connections.leave(socket.data);
      },
      // What a handler above threw.
      error(socket, error) {
        options.log.error('an RTMP socket failed', { error });
        socket.terminate();
      },
    },
  });
  return {
    port: listener.port,
    refusals: connections.refusals,
    stop() {
      listener.stop();
      return connections.close();
    },
  };
}

/** The open connections, counted in all and by network. */
class Connections {
  private readonly options: { limits: RtmpLimits; log: Log; now: () => number };

  private readonly networks = new Map<RtmpConnection, string>();
  private readonly counts = new Map<string, number>();
  private readonly allGone = Promise.withResolvers<void>();
  private isClosing = false;
  /** All are taken, or those of one address are. */
  readonly refusals = { full: 0, address: 0 };
  private refused = 0;
  private refusalLineAt = Number.NEGATIVE_INFINITY;

  constructor(options: { limits: RtmpLimits; log: Log; now: () => number }) {
    this.options = options;
  }

  mayEnter(network: string): boolean {
    const { connectionsMax, connectionsPerAddressMax } = this.options.limits;
    const isFull = this.networks.size >= connectionsMax;
    const isGreedy = (this.counts.get(network) ?? 0) >= connectionsPerAddressMax;
    if (isFull) this.noteRefusal('full', 'all are taken');
    else if (isGreedy) this.noteRefusal('address', `${network} has too many`);
    return !isFull && !isGreedy && !this.isClosing;
  }

  enter(connection: RtmpConnection, network: string): void {
    this.networks.set(connection, network);
    this.counts.set(network, (this.counts.get(network) ?? 0) + 1);
  }

  leave(connection: RtmpConnection): void {
    connection.closed();
    const network = this.networks.get(connection);
    if (network === undefined) return;
    this.networks.delete(connection);
    const count = (this.counts.get(network) ?? 0) - 1;
    if (count > 0) this.counts.set(network, count);
    else this.counts.delete(network);
    if (this.isClosing && this.networks.size === 0) this.allGone.resolve();
  }

  /** Each connection bounds its own goodbye. */
  close(): Promise<void> {
    this.isClosing = true;
    for (const connection of this.networks.keys()) connection.close('the service stops');
    if (this.networks.size === 0) this.allGone.resolve();
    return this.allGone.promise;
  }

  private noteRefusal(kind: 'full' | 'address', reason: string): void {
    this.refusals[kind] += 1;
    this.refused += 1;
    const now = this.options.now();
    if (now - this.refusalLineAt < refusalLineEveryMs) return;
    this.options.log.warn('RTMP connections were refused', { count: this.refused, reason });
    this.refusalLineAt = now;
    this.refused = 0;
  }
}
