// The HTTP connections that are open, found among the descriptors, what has come over each since the last look, and what waits to be sent.
import { readFileSync } from 'node:fs';
import type { Libc, Traffic } from '../../base/lib/libc.ts';
import { connectionName, networkIn } from './asker.ts';
import { httpLimits } from './http-limits.ts';
import type { LookSlices } from './look-slices.ts';
import type { PageWatch } from './page-watch.ts';

export interface OpenConnection {
  readonly fd: number;
  readonly socket: number;
  readonly name: string;
  readonly network: string;
}

export interface ConnectionsOptions {
  /** Which of the connections are pages': presence counts those, and what comes over them is judged there. */
  pages: Pick<PageWatch, 'has' | 'isMet' | 'came'>;
  /** Whether it sends much: then its connections are asked at each look. */
  isCounted(network: string): boolean;
  onNew(connection: OpenConnection): void;
  /** So much has come over it since the last look, besides what reading our answers brings about. */
  onBytes(connection: OpenConnection, bytes: number): void;
  /** Something was seen to have come over it `hellos.waitsMs` ago, and it has no answer yet: once in its life. */
  onUnanswered(connection: OpenConnection): void;
}

export interface LookOrder {
  port: number;
  descriptorsMax: number;
  slices: LookSlices;
  /** Of those that nothing is known against, so many are asked. */
  othersMax: number;
  /** When it began, of time that only passes. */
  at: number;
}

/** One that is under way. */
interface Look extends LookOrder {
  /** From which descriptor on others are asked. */
  turn: number;
  othersLeft: number;
}

interface Known {
  socket: number;
  /** Undefined where it is no connection of our port. */
  connection: OpenConnection | undefined;
  /** By the last look at which it was no page. */
  receivedBytes: number;
  arrivedBytes: number;
  /** What the system holds of our answers, as it has not been taken. */
  unsentBytes: number;
  /** When something was first seen to have come. */
  cameAt: number;
  /** That it waits for an answer. */
  isTold: boolean;
}

/** The only one who looks for them. Bun tells nobody of a connection. What is at a descriptor is asked for once in a socket's life. */
export class Connections {
  private readonly options: ConnectionsOptions;

  /** By descriptor. */
  private readonly known: (Known | undefined)[] = [];
  /** The last descriptor at which there was something, by the last look. */
  highest = 0;
  private looks = 0;
  /** From which descriptor on the others are asked: those before it were. */
  private turn = 0;
  /** What the system holds for all of them. */
  unsentBytes = 0;

  constructor(options: ConnectionsOptions) {
    this.options = options;
  }

  /** Those of the port that are no pages; one may have gone since a look came by it. */
  get plain(): OpenConnection[] {
    const { pages } = this.options;
    return this.known.flatMap((known) => {
      const connection = known?.connection;
      return connection && !pages.has(connection.name) ? [connection] : [];
    });
  }

  /** Those of these networks over which something had come by the last look, and that had taken nothing. */
  unansweredOf(networks: ReadonlySet<string>): OpenConnection[] {
    return this.known.flatMap((known) => {
      const connection = known?.connection;
      const isOne = connection && networks.has(connection.network) && isAsking(known);
      return isOne ? [connection] : [];
    });
  }

  /** Whether what is at its descriptor has no answer even now; `isStill` says whether that is the one that was found. */
  isUnanswered(libc: Libc, { fd }: OpenConnection): boolean {
    const traffic = libc.trafficOf(fd);
    return traffic !== undefined && isUnanswered(traffic);
  }

  /** What the system held for one of them when it was last asked. */
  unsentBytesOf({ fd, socket }: OpenConnection): number {
    const known = this.known[fd];
    return known?.socket === socket ? known.unsentBytes : 0;
  }

  async readDescriptors(libc: Libc, given: LookOrder): Promise<void> {
    const { descriptorsMax, slices } = given;
    const last = Math.max(libc.lowestFree() ?? descriptorsMax, this.highest);
    const isWhole = this.looks % httpLimits.wholeLookEvery === 0;
    this.looks += 1;
    const end = isWhole ? tableSize() : descriptorsMax;
    const look: Look = { ...given, turn: this.turn, othersLeft: given.othersMax };
    this.highest = 0;
    let isOpen = libc.areOpen(firstOfAll, askedTogether);
    for (let fd = firstOfAll; fd < Math.min(end, descriptorsMax); fd += 1) {
      if (!isWhole && fd > Math.max(last, this.highest) + httpLimits.gapOfMost) break;
      if (fd % askedTogether === 0 && slices.isOver()) await slices.next();
      if (fd % askedTogether === 0) isOpen = libc.areOpen(fd, askedTogether);
      if (isOpen(fd) || this.known[fd]) this.readDescriptor(libc, fd, look);
    }
    if (look.othersLeft > 0) this.turn = 0;
  }

  /** Turns may have passed since it was found: the descriptor may be another's by now, or a page's. */
  isStill(libc: Libc, { fd, socket, name }: OpenConnection): boolean {
    return libc.socketOf(fd) === socket && !this.options.pages.has(name);
  }

  private readDescriptor(libc: Libc, fd: number, look: Look): void {
    const before = this.known[fd];
    const isAsked = !before || this.isAsked(fd, before, look);
    const known = isAsked ? this.knownAt(libc, fd, look.port) : before;
    if (!known) return;
    this.highest = fd;
    const { connection } = known;
    if (!connection || !isAsked) return;
    if (this.options.pages.has(connection.name)) this.measurePage(libc, known, connection);
    else this.measure(libc, known, connection, look.at);
  }

  /** One that is closely watched; of the others so many a look. */
  private isAsked(fd: number, known: Known, look: Look): boolean {
    const { pages, isCounted } = this.options;
    const { connection } = known;
    if (connection && (isCounted(connection.network) || !pages.isMet(connection.name))) return true;
    if (connection && isUntold(known)) return true;
    if (fd < look.turn || look.othersLeft === 0) return false;
    look.othersLeft -= 1;
    this.turn = fd + 1;
    return true;
  }

  private knownAt(libc: Libc, fd: number, port: number): Known | undefined {
    const socket = libc.socketOf(fd);
    const known = this.known[fd];
    if (known && known.socket === socket) return known;
    this.unsentBytes -= known?.unsentBytes ?? 0;
    if (socket === undefined) {
      if (known) this.known[fd] = undefined;
      return undefined;
    }
    const peer = libc.localPortOf(fd) === port ? libc.peerOf(fd) : undefined;
    const name = peer && connectionName(peer);
    const connection =
      name === undefined ? undefined : { fd, socket, name, network: networkIn(name) };
    const fresh = {
      socket,
      connection,
      receivedBytes: 0,
      arrivedBytes: 0,
      unsentBytes: 0,
      cameAt: Number.POSITIVE_INFINITY,
      isTold: false,
    };
    this.known[fd] = fresh;
    if (connection) this.options.onNew(connection);
    return fresh;
  }

  private measurePage(libc: Libc, known: Known, { fd, name }: OpenConnection): void {
    // Before it became a page it was counted here; what a page leaves unread presence bounds.
    this.unsentBytes -= known.unsentBytes;
    known.unsentBytes = 0;
    const receivedBytes = libc.receivedBytesOf(fd);
    if (receivedBytes === undefined) return;
    this.options.pages.came(name, receivedBytes, { isNew: known.receivedBytes === 0 });
  }

  private measure(libc: Libc, known: Known, connection: OpenConnection, at: number): void {
    const traffic = libc.trafficOf(connection.fd);
    if (!traffic) return;
    const hasWaited = at >= known.cameAt + httpLimits.hellos.waitsMs;
    if (hasWaited && isUntold(known) && isUnanswered(traffic)) {
      known.isTold = true;
      this.options.onUnanswered(connection);
    }
    if (known.receivedBytes === 0 && traffic.receivedBytes > 0) known.cameAt = at;
    const came = traffic.receivedBytes - known.receivedBytes;
    const arrived = traffic.arrivedBytes - known.arrivedBytes;
    known.receivedBytes = traffic.receivedBytes;
    known.arrivedBytes = traffic.arrivedBytes;
    this.unsentBytes += traffic.unsentBytes - known.unsentBytes;
    known.unsentBytes = traffic.unsentBytes;
    this.options.onBytes(connection, came - Math.ceil(arrived * httpLimits.takingShare));
  }
}

/** Something had come over it by the last look, and nothing had been taken. */
function isAsking({ receivedBytes, arrivedBytes }: Known): boolean {
  return receivedBytes > 0 && arrivedBytes === 0;
}

/** And nobody has been told so. */
function isUntold(known: Known): boolean {
  return isAsking(known) && !known.isTold;
}

/** An answer that is on its way to somebody far off is one. */
function isUnanswered({ arrivedBytes, unsentBytes, isUnderWay }: Traffic): boolean {
  return arrivedBytes === 0 && unsentBytes === 0 && !isUnderWay;
}

/** Before it are those that every program has. */
const firstOfAll = 3;

/** Most numbers are free, and to ask the system for each of them takes long. So many take less time than a look at the clock. */
const askedTogether = 32;

/** As many descriptors as there ever were at once, and some more. */
function tableSize(): number {
  try {
    const status = readFileSync('/proc/self/status', 'latin1');
    return Number(/^FDSize:\s+(\d+)/m.exec(status)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    // None is left to read it with.
    return Number.POSITIVE_INFINITY;
  }
}
