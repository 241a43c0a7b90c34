// The RTMP server: listens, turns away who comes too often, hears whom a proxy speaks for, and gives each other socket its connection.
import { type Networks, plainAddress } from '../../base/lib/ip-address.ts';
import type { Libc } from '../../base/lib/libc.ts';
import type { Log } from '../../base/lib/log.ts';
import { networkOf } from '../../base/lib/network.ts';
import { Arrivals } from '../../base/peers/arrivals.ts';
import { openDoor } from '../../base/peers/door.ts';
import { askMeans } from '../../base/peers/means.ts';
import { ShutOut } from '../../base/peers/shut-out.ts';
import type { Late, Turns } from '../../base/turns/turns.ts';
import { ProxiedSocket } from './proxied-socket.ts';
import { connectionEvents, RtmpConnection } from './rtmp-connection.ts';
import type { RtmpServices } from './rtmp-session.ts';
import { openShared, type SharedOptions } from './shared.ts';

export interface RtmpServerOptions extends RtmpServices, SharedOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: Log;
  /** Those whose connections begin with a PROXY header; undefined where nobody's do. */
  proxies?: Pick<Networks, 'has' | 'meets'> | undefined;
  /** Time that only passes. */
  monotonicMs?: () => number;
  /** Undefined where the system's calls are not known: then who comes too often is taken and closed. */
  libc: Libc | undefined;
}

export interface RtmpServer {
  readonly port: number;
  /** What peers have left unread. */
  unreadBytes(): number;
  /** Takes no more connections: who connects is refused by the system, and a balancer leads them elsewhere. */
  shut(): void;
  /** The same, and lets the open ones go; resolves when they are gone. */
  stop(): Promise<void>;
}

/** A peer that vanished without a word is asked for after so long. */
const keepAliveMs = 30_000;

type Socket = Bun.Socket<RtmpConnection | ProxiedSocket | undefined>;

export function startRtmpServer(options: RtmpServerOptions): RtmpServer {
  const { log, proxies, monotonicMs = () => performance.now() } = options;
  const shared = openShared(options);
  const connections = new Connections();
  // A proxy's connections are those of everybody behind it.
  const keepOut = (network: string) => {
    if (!proxies?.meets(network)) shutOut?.add(network);
  };
  const arrivals = new Arrivals({
    ...options,
    limits: shared.limits,
    monotonicMs,
    onOften: keepOut,
    // A peer that the system keeps out tries again by itself, one that we close does not. So the last that may come are
    // those who are on their way by then.
    onLast: keepOut,
    onTurnFull: () => shutOut?.endTurn(),
  });
  const isProxy = (address: string) => proxies?.has(plainAddress(address) ?? address) ?? false;
  const connect = (socket: Socket, address: string) => {
    const network = networkOf(address);
    const given = { socket, address, network, services: options, log, monotonicMs };
    const connection = new RtmpConnection({ ...shared, ...given });
    socket.data = connection;
    connections.enter(connection);
    return connection;
  };
  const awaitHeader = (socket: Socket, address: string) => {
    const { strangerTurns } = shared;
    const proxied = new ProxiedSocket({
      ...shared,
      ...{ socket, address, network: networkOf(address), log },
      onPeer: (peer, rest) => {
        if (!arrivals.takeBehindProxy(networkOf(peer))) {
          socket.terminate();
          return;
        }
        connections.leave(proxied);
        // Put off it would have to keep what comes. There are no more of these than places of strangers.
        if (strangerTurns.hasTime) strangerTurns.work(() => connect(socket, peer));
        else connect(socket, peer);
        if (rest.length > 0) socket.data?.receive(rest);
      },
    });
    socket.data = proxied;
    connections.enter(proxied);
  };
  const entrance = new Entrance(shared.strangerTurns, (socket, address) => {
    socket.setKeepAlive(true, keepAliveMs);
    if (isProxy(address)) awaitHeader(socket, address);
    else connect(socket, address);
  });
  const arrived = (address: string | undefined, network: string) => {
    if (address === undefined || !isProxy(address)) return arrivals.take(network);
    arrivals.came();
    return true;
  };
  const listener = Bun.listen<RtmpConnection | ProxiedSocket | undefined>({
    hostname: options.host,
    port: options.port,
    socket: {
      // Bun hands over bytes that nobody else holds; of the plain kind, whose views are cheaper.
      binaryType: 'uint8array',
      open(socket) {
        // It has none where the peer has gone already; that one counts as any other.
        const address = socket.remoteAddress as string | undefined;
        const network = networkOf(
          address ?? options.libc?.formerPeerOf(fdOf(socket))?.address ?? '',
        );
        const isTaken = !connections.isClosing && arrived(address, network);
        if (isTaken && address !== undefined) entrance.enter(socket, address);
        else socket.terminate();
      },
      ...connectionEvents,
      close(socket) {
        entrance.leave(socket);
        if (socket.data) connections.leave(socket.data);
      },
      // A handler above threw.
      error(socket, error) {
        log.error('an RTMP socket failed', { error });
        socket.terminate();
      },
    },
  });
  const { limits, refusals } = shared;
  const listening = fdOf(listener);
  const door = options.libc && openDoor(options.libc, listening);
  const libc = askMeans({ libc: options.libc, listening, door, lacking, log });
  libc?.boundUnsent(listening, limits.unsentBytesMax);
  const shutOut = door && new ShutOut({ door, limits, refusals, monotonicMs });
  const shut = () => {
    shutOut?.stop();
    door?.close();
    listener.stop();
    entrance.close();
  };
  return {
    port: listener.port,
    unreadBytes: () => shared.unread.bytes,
    shut,
    stop() {
      shut();
      return connections.close();
    },
  };
}

const notKeptOut =
  'who floods RTMP with connects is taken and closed, not kept out, and a turn takes all who come';

const lacking = {
  calls: `${notKeptOut}; the system may hold megabytes for each player that does not read`,
  door: notKeptOut,
};

/** Bun has it, and its types do not. */
function fdOf(socket: object): number {
  return (socket as { fd?: number }).fd ?? -1;
}

/** Where sockets become connections: as strangers' work it has so long of a turn, and the others wait unread. */
class Entrance {
  private readonly turns: Turns;
  private readonly open: (socket: Socket, address: string) => void;

  private readonly waiting = new Map<Socket, Late>();

  constructor(turns: Turns, open: (socket: Socket, address: string) => void) {
    this.turns = turns;
    this.open = open;
  }

  enter(socket: Socket, address: string): void {
    const { turns } = this;
    if (turns.hasTime) {
      turns.work(() => this.open(socket, address));
      return;
    }
    socket.pause();
    const late = {
      goOn: () => {
        this.waiting.delete(socket);
        this.open(socket, address);
        socket.resume();
      },
    };
    this.waiting.set(socket, late);
    turns.later(late);
  }

  leave(socket: Socket): void {
    const late = this.waiting.get(socket);
    if (!late) return;
    this.waiting.delete(socket);
    this.turns.leave(late);
  }

  close(): void {
    for (const socket of [...this.waiting.keys()]) socket.terminate();
  }
}

type Open = Pick<RtmpConnection, 'close' | 'closed'>;

/** The open connections. */
class Connections {
  private readonly open = new Set<Open>();
  private readonly allGone = Promise.withResolvers<void>();
  isClosing = false;

  enter(connection: Open): void {
    this.open.add(connection);
  }

  leave(connection: Open): void {
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
