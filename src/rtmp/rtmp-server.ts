// The RTMP server: listens, and gives each socket its connection.
import type { Log } from '../lib/log.ts';
import { networkOf } from '../lib/network.ts';
import { RtmpConnection } from './connection.ts';
import type { RtmpServices } from './session.ts';
import { openShared, type SharedOptions } from './shared.ts';

export interface RtmpServerOptions extends RtmpServices, SharedOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: Log;
  /** Time that only passes. */
  monotonicMs?: () => number;
}

export interface RtmpServer {
  readonly port: number;
  /** Takes no more connections and lets the open ones go; resolves when they are gone. */
  stop(): Promise<void>;
}

/** A peer that vanished without a word is asked for after so long. */
const keepAliveMs = 30_000;

export function startRtmpServer(options: RtmpServerOptions): RtmpServer {
  const { log, monotonicMs = () => performance.now() } = options;
  const shared = openShared(options);
  const connections = new Connections();
  const listener = Bun.listen<RtmpConnection | undefined>({
    hostname: options.host,
    port: options.port,
    socket: {
      // Bun hands over bytes that nobody else holds; of the plain kind, whose views are cheaper.
      binaryType: 'uint8array',
      open(socket) {
        if (connections.isClosing) {
          socket.terminate();
          return;
        }
        const address = socket.remoteAddress;
        const network = networkOf(address);
        socket.setKeepAlive(true, keepAliveMs);
        const given = { socket, address, network, services: options, log, monotonicMs };
        socket.data = new RtmpConnection({ ...shared, ...given });
        connections.enter(socket.data);
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
        log.error('an RTMP socket failed', { error });
        socket.terminate();
      },
    },
  });
  return {
    port: listener.port,
    stop() {
      listener.stop();
      return connections.close();
    },
  };
}

/** The open connections. */
class Connections {
  private readonly open = new Set<RtmpConnection>();
  private readonly allGone = Promise.withResolvers<void>();
  isClosing = false;

  enter(connection: RtmpConnection): void {
    this.open.add(connection);
  }

  leave(connection: RtmpConnection): void {
    connection.closed();
    this.open.delete(connection);
    if (this.isClosing && this.open.size === 0) this.allGone.resolve();
  }

  /** Each connection bounds its own goodbye. */
  close(): Promise<void> {
    this.isClosing = true;
    for (const connection of this.open) connection.close('the service stops');
    if (this.open.size === 0) this.allGone.resolve();
    return this.allGone.promise;
  }
}
