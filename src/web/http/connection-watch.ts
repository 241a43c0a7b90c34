// Watches the HTTP connections: who opens and holds them, what comes over them, which answers are not taken. One beyond a share or a bound is closed.
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Libc } from '../../base/lib/libc.ts';
import type { Log } from '../../base/lib/log.ts';
import { Allowances } from '../../base/peers/allowance.ts';
import { Arrivals } from '../../base/peers/arrivals.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { ShutOut } from '../../base/peers/shut-out.ts';
import type { BytesWatch } from './bytes-watch.ts';
import type { TrustedProxies } from './client-address.ts';
import { greedyNetworks } from './connection-shares.ts';
import { Connections, type OpenConnection } from './connections.ts';
import { type ConnectRates, connectRates, type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';
import type { Listeners } from './listeners.ts';
import { LookSlices } from './look-slices.ts';
import type { PageWatch } from './page-watch.ts';

export interface ConnectionWatchOptions {
  /** Whether a connection begins with a hello of TLS. */
  isSecure: boolean;
  bounds: Pick<HttpBounds, 'connectionsMax' | 'connectsPerSecond' | 'unsentBytesMax'>;
  /** Which of the connections are pages': presence counts those. */
  pages: Pick<PageWatch, 'has' | 'isMet' | 'came'>;
  bytes: BytesWatch;
  proxies: TrustedProxies;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: HttpBook;
  /** How many files and sockets the service may have open. */
  descriptorsMax?: number;
  /** What the machine has. */
  memoryBytes?: number;
  /** Time that only passes. */
  monotonicMs: () => number;
  log: Log;
}

/**
 * Bun tells nobody of a new connection, nor what comes over it before it is a request. So the descriptors are looked
 * at again and again, a slice a turn: whose they are, once in a connection's life, and how much has come over each.
 */
export class ConnectionWatch {
  private readonly options: ConnectionWatchOptions;
  private readonly descriptorsMax: number;
  private readonly unsentBytesMax: number;
  /** Of those who open connections. */
  private readonly rates: ConnectRates;

  private port = 0;
  private readonly connections: Connections;
  private readonly arrivals: Arrivals;
  /** Came too often, by this look. */
  private readonly tooMany: OpenConnection[] = [];
  /** Of connections that begin with a hello of TLS, and of those whose hello had to wait for its answer. */
  private readonly opened: Allowances;
  private readonly waited: Allowances;
  /** Networks of which too many hellos wait, by this look. */
  private readonly floods = new Set<string>();
  /** How many that begin with a hello the last look found. */
  private helloCount = 0;
  private shutOut: ShutOut | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;
  /** When others than those who send much were asked last. */
  private othersAskedAt = Number.NEGATIVE_INFINITY;
  /** By the last look: then there are gaps, and the next looks once more. */
  private hasCut = false;

  constructor(options: ConnectionWatchOptions) {
    this.options = options;
    const { bytes, pages, bounds } = options;
    this.descriptorsMax = options.descriptorsMax ?? descriptorLimit();
    this.rates = connectRates(bounds.connectsPerSecond);
    const { memoryBytes = totalmem() } = options;
    this.unsentBytesMax = bounds.unsentBytesMax || memoryBytes * httpLimits.unsentOfMemory;
    this.connections = new Connections({
      pages,
      isCounted: (network) => bytes.isCounted(network),
      onNew: (connection) => {
        this.shutOut?.came(connection.network);
        if (!this.arrivals.take(connection.network)) this.tooMany.push(connection);
        else if (options.isSecure) this.noteOpened(connection.network);
      },
      onBytes: (connection, count) => bytes.came(connection, count),
      onUnanswered: (connection) => {
        if (options.isSecure) this.noteWaiting(connection.network);
      },
    });
    const exempt = { isAllowed: this.isFree };
    this.opened = new Allowances({ ...this.rates.helloArrivals, ...exempt });
    this.waited = new Allowances({ ...httpLimits.hellos.waiting, ...exempt });
    this.arrivals = new Arrivals({
      ...options,
      limits: this.rates.arrivals,
      isAllowed: (network) => this.isFree(network),
      onOften: (network) => this.shutOut?.thin(network),
      onTurnFull: () => {},
    });
  }

  /** Whether no share of connections holds for it. */
  private readonly isFree = (network: string) =>
    this.options.peers.isAllowed(network) || this.options.proxies.areIn(network);

  start({ port, door }: Pick<Listeners, 'port' | 'door'>, libc: Libc | undefined): void {
    this.port = port;
    if (!libc) return;
    const limits = { ...httpLimits, ...this.rates.arrivals };
    this.shutOut = door && new ShutOut({ ...this.options, door, limits });
    this.checkAfter(libc, httpLimits.looks.everyMs);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.shutOut?.stop();
  }

  /** Whether there is much to see. */
  get isAlert(): boolean {
    return this.options.bytes.isAlert || this.helloCount >= httpLimits.hellos.alertFrom;
  }

  private checkAfter(libc: Libc, waitMs: number): void {
    this.timer = setTimeout(async () => {
      const workedMs = await this.checkConnections(libc).catch((error) => {
        this.options.log.error('the connections could not be looked at', { error });
        return 0;
      });
      if (this.isStopped) return;
      this.checkAfter(libc, pauseMs(workedMs, this));
    }, waitMs);
    this.timer.unref();
  }

  /** How long it took of our time. */
  private async checkConnections(libc: Libc): Promise<number> {
    const { port, descriptorsMax } = this;
    const { bytes, monotonicMs } = this.options;
    const slices = new LookSlices();
    const at = monotonicMs();
    const isOthersTurn = !this.isAlert || at >= this.othersAskedAt + httpLimits.looks.everyMs;
    if (isOthersTurn) this.othersAskedAt = at;
    const othersMax = isOthersTurn ? othersOf(this.connections.highest) : 0;
    bytes.begin();
    this.helloCount = 0;
    await this.connections.readDescriptors(libc, { port, descriptorsMax, slices, othersMax, at });
    if (this.isStopped) return slices.workedMs;
    await this.closeNewcomers(libc, slices);
    await this.closeHellos(libc, slices);
    await this.closeSenders(libc, slices);
    await this.makeRoom(libc, slices);
    await this.makeMemory(libc, slices);
    return slices.workedMs;
  }

  private noteOpened(network: string): void {
    this.opened.take(network, this.options.monotonicMs());
    this.helloCount += 1;
  }

  private noteWaiting(network: string): void {
    const at = this.options.monotonicMs();
    if (!this.waited.take(network, at) && this.opensMany(network, at)) this.floods.add(network);
  }

  private opensMany(network: string, at: number): boolean {
    return this.opened.waitMs(network, at, httpLimits.hellos.openedLeftMin) > 0;
  }

  /** Those that came too often: it has been noted. */
  private async closeNewcomers(libc: Libc, slices: LookSlices): Promise<void> {
    for (const connection of this.tooMany.splice(0)) {
      if (slices.isOver()) await slices.next();
      if (this.connections.isStill(libc, connection)) libc.shutdown(connection.fd);
    }
  }

  /**
   * Bun answers five hellos a turn, the newest first: where newer ones always come, who came a moment before them waits
   * for as long as they do. So of a network that makes others wait all hellos that wait are closed, too.
   */
  private async closeHellos(libc: Libc, slices: LookSlices): Promise<void> {
    const { floods } = this;
    if (floods.size === 0) return;
    for (const network of floods) this.shutOut?.thin(network, this.rates.helloArrivals.everyMs);
    for (const connection of this.connections.unansweredOf(floods)) {
      if (slices.isOver()) await slices.next();
      if (this.connections.isUnanswered(libc, connection)) this.close(libc, connection, 'hellos');
    }
    floods.clear();
  }

  private async closeSenders(libc: Libc, slices: LookSlices): Promise<void> {
    const { over, shutOut } = await this.options.bytes.judge(slices);
    if (this.isStopped) return;
    for (const network of shutOut) this.shutOut?.add(network);
    for (const connection of over) {
      if (slices.isOver()) await slices.next();
      this.close(libc, connection, 'bytes');
    }
  }

  private async makeRoom(libc: Libc, slices: LookSlices): Promise<void> {
    const { descriptorsMax } = this;
    const { bounds } = this.options;
    const reserve = Math.ceil(descriptorsMax * httpLimits.descriptorReserve);
    const bound = Math.min(
      bounds.connectionsMax || Number.POSITIVE_INFINITY,
      descriptorsMax - reserve,
    );
    const open = libc.lowestFree() ?? descriptorsMax;
    // Nobody can have more than half while not even half are taken.
    if (open < bound / 2 && !this.hasCut) return;
    const found = this.connections.plain;
    const others = Math.max(0, open - found.length);
    const least = Math.ceil(descriptorsMax * httpLimits.connectionShareMin);
    const room = Math.max(least, descriptorsMax - reserve - others);
    const greedy = greedyNetworks({
      found: Map.groupBy(found, ({ network }) => network),
      placesMax: Math.min(bound, room),
      isFree: this.isFree,
    });
    this.hasCut = greedy.length > 0;
    for (const { connections, surplus } of greedy) {
      const idlest = await this.idlestFirst(libc, connections, slices);
      const gone = connections.length - idlest.length;
      for (const connection of idlest.slice(0, Math.max(0, surplus - gone))) {
        if (slices.isOver()) await slices.next();
        this.close(libc, connection, 'connections');
      }
    }
  }

  /** The connection for which the system holds most goes first: it takes least of what it asked for. */
  private async makeMemory(libc: Libc, slices: LookSlices): Promise<void> {
    const { connections, unsentBytesMax } = this;
    if (connections.unsentBytes <= unsentBytesMax) return;
    const placesOf = (one: OpenConnection) => connections.unsentBytesOf(one);
    const holding = connections.plain.filter((one) => placesOf(one) > 0);
    const found = Map.groupBy(holding, ({ network }) => network);
    const { isFree } = this;
    for (const greedy of greedyNetworks({ found, placesMax: unsentBytesMax, placesOf, isFree })) {
      let { surplus } = greedy;
      for (const one of greedy.connections.toSorted((a, b) => placesOf(b) - placesOf(a))) {
        if (surplus <= 0) break;
        if (slices.isOver()) await slices.next();
        surplus -= placesOf(one);
        this.close(libc, one, 'unsent');
      }
    }
  }

  /** Without those that have gone. */
  private async idlestFirst(
    libc: Libc,
    connections: readonly OpenConnection[],
    slices: LookSlices,
  ): Promise<OpenConnection[]> {
    const seen: { connection: OpenConnection; idleMs: number }[] = [];
    for (const connection of connections) {
      if (slices.isOver()) await slices.next();
      if (!this.connections.isStill(libc, connection)) continue;
      seen.push({ connection, idleMs: libc.idleMsOf(connection.fd) });
    }
    return seen.sort((one, other) => other.idleMs - one.idleMs).map(({ connection }) => connection);
  }

  private close(
    libc: Libc,
    connection: OpenConnection,
    reason: 'bytes' | 'connections' | 'hellos' | 'unsent',
  ): void {
    if (!this.connections.isStill(libc, connection)) return;
    libc.shutdown(connection.fd);
    this.options.refusals.note(reason, connection.network);
  }
}

/** Until the next look. One at very many connections has its price: then looks are rarer. */
export function pauseMs(workedMs: number, { isAlert }: { isAlert: boolean }): number {
  const { everyMs, alertEveryMs, share, everyMsMax } = httpLimits.looks;
  const restMs = Math.max(isAlert ? alertEveryMs : everyMs, workedMs / share - workedMs);
  return Math.min(everyMsMax, restMs);
}

/** How many of them one look asks, where there are so many descriptors. */
export function othersOf(descriptors: number): number {
  const { least, share, most } = httpLimits.othersOfLook;
  return Math.min(most, Math.max(least, Math.ceil(share * descriptors)));
}

/** Bun has raised it to what the system allows. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? usualLimit : Number(soft);
  } catch {
    return usualLimit;
  }
}

const usualLimit = 1_024;
