// Who holds HTTP connections: where places become few, a network that has more than its share loses its idlest.
import { readFileSync } from 'node:fs';
import type { TrustedProxies } from '../lib/client-address.ts';
import type { Libc } from '../lib/libc.ts';
import type { Log } from '../lib/log.ts';
import { networkOf } from '../lib/network.ts';
import type { Peers } from '../peers/peers.ts';
import { connectionName } from './asker.ts';
import { greedyNetworks } from './connection-shares.ts';
import { type HttpBounds, httpLimits } from './limits.ts';
import { LookSlices } from './look-slices.ts';
import type { PageWatch } from './page-watch.ts';
import type { HttpBook } from './refusals.ts';

export interface ConnectionWatchOptions {
  bounds: Pick<HttpBounds, 'connectionsMax'>;
  /** Which of the connections are pages': presence counts those. */
  pages: Pick<PageWatch, 'has' | 'look'>;
  proxies: TrustedProxies;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: HttpBook;
  /** How many files and sockets the service may have open. */
  descriptorsMax?: number;
  log: Log;
}

/**
 * Bun tells nobody of a new connection. So it is looked how many descriptors are open, which costs a microsecond, and
 * only where these are many, whose they are: descriptor by descriptor, a slice a turn.
 */
export class ConnectionWatch {
  private readonly options: ConnectionWatchOptions;
  private readonly descriptorsMax: number;

  private port = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;
  /** By the last look: then there are gaps, and the next looks once more. */
  private hasCut = false;

  constructor(options: ConnectionWatchOptions) {
    this.options = options;
    this.descriptorsMax = options.descriptorsMax ?? descriptorLimit();
  }

  start(port: number, libc: Libc | undefined): void {
    this.port = port;
    if (libc) this.lookIn(libc, httpLimits.lookMs);
    else
      this.options.log.warn(
        'HTTP connections have no bound by network, nor empty frames of pages any: this needs Linux',
      );
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private lookIn(libc: Libc, waitMs: number): void {
    this.timer = setTimeout(async () => {
      const workedMs = await this.look(libc);
      if (this.isStopped) return;
      // A look at very many connections has its price: then looks are rarer.
      const { lookMs, lookShare, lookMsMax } = httpLimits;
      this.lookIn(libc, Math.min(lookMsMax, Math.max(lookMs, workedMs / lookShare)));
    }, waitMs);
    this.timer.unref();
  }

  /** How long it took of our time. */
  private async look(libc: Libc): Promise<number> {
    const { descriptorsMax } = this;
    const { bounds, pages } = this.options;
    const { connectionsMax } = bounds;
    const slices = new LookSlices();
    await pages.look({ descriptorsMax, slices });
    const reserve = Math.ceil(descriptorsMax * httpLimits.descriptorReserve);
    const bound = Math.min(connectionsMax || Number.POSITIVE_INFINITY, descriptorsMax - reserve);
    const open = libc.lowestFree() ?? descriptorsMax;
    // Nobody can have more than half while not even half are taken.
    if (open < bound / 2 && !this.hasCut) return slices.workedMs;
    const found = await this.connections(libc, { open, slices });
    const others = Math.max(0, open - found.length);
    const least = Math.ceil(descriptorsMax * httpLimits.connectionShareMin);
    const room = Math.max(least, descriptorsMax - reserve - others);
    await this.makeRoom(libc, { found, placesMax: Math.min(bound, room), slices });
    return slices.workedMs;
  }

  /** Plain ones, of our port. */
  private async connections(
    libc: Libc,
    given: { open: number; slices: LookSlices },
  ): Promise<Found[]> {
    const found: Found[] = [];
    for (let fd = 3, misses = 0; fd < this.descriptorsMax && misses < httpLimits.gapMax; fd += 1) {
      if (given.slices.isOver()) await given.slices.next();
      const name = this.nameAt(libc, fd);
      misses = name !== undefined || fd < given.open ? 0 : misses + 1;
      if (name !== undefined && !this.options.pages.has(name)) found.push({ fd, name });
    }
    return found;
  }

  /** Of a connection of our port; undefined where the descriptor is something else. */
  private nameAt(libc: Libc, fd: number): string | undefined {
    if (libc.localPortOf(fd) !== this.port) return undefined;
    const peer = libc.peerOf(fd);
    return peer && connectionName(peer);
  }

  private async makeRoom(
    libc: Libc,
    given: { found: readonly Found[]; placesMax: number; slices: LookSlices },
  ): Promise<void> {
    const { found, placesMax, slices } = given;
    const { refusals, peers, proxies } = this.options;
    const greedy = greedyNetworks({
      found: Map.groupBy(found, networkIn),
      placesMax,
      isFree: (network) => peers.isAllowed(network) || proxies.areIn(network),
    });
    this.hasCut = greedy.length > 0;
    for (const { network, connections, surplus } of greedy) {
      const idlest = await idlestFirst(libc, connections, slices);
      for (const { fd, name } of idlest.slice(0, surplus)) {
        if (slices.isOver()) await slices.next();
        // Turns have passed: the descriptor may be another's by now.
        if (this.nameAt(libc, fd) !== name || this.options.pages.has(name)) continue;
        libc.shutdown(fd);
        refusals.note('connections', network);
      }
    }
  }
}

async function idlestFirst(
  libc: Libc,
  connections: readonly Found[],
  slices: LookSlices,
): Promise<Found[]> {
  const seen: (Found & { idleMs: number })[] = [];
  for (const one of connections) {
    if (slices.isOver()) await slices.next();
    seen.push({ ...one, idleMs: libc.idleMsOf(one.fd) });
  }
  return seen.sort((one, other) => other.idleMs - one.idleMs);
}

interface Found {
  fd: number;
  name: string;
}

function networkIn({ name }: Found): string {
  return networkOf(name.slice(0, name.indexOf(' ')));
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
