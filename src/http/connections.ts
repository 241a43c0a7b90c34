// The HTTP connections that are open, found among the descriptors, and what has come over each since the last look.
import { readFileSync } from 'node:fs';
import type { Libc } from '../lib/libc.ts';
import { connectionName, networkIn } from './asker.ts';
import { httpLimits } from './limits.ts';
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
  pages: Pick<PageWatch, 'has' | 'came'>;
  /** So much has come over it since the last look, besides what reading our answers brings about. */
  onBytes(connection: OpenConnection, bytes: number): void;
}

interface Known {
  socket: number;
  /** Undefined where it is no connection of our port. */
  connection: OpenConnection | undefined;
  /** By the last look at which it was no page. */
  receivedBytes: number;
  arrivedBytes: number;
}

/** The only one who looks for them. Bun tells nobody of a connection. What is at a descriptor is asked for once in a socket's life. */
export class Connections {
  private readonly options: ConnectionsOptions;

  private readonly known = new Map<number, Known>();
  private highest = 0;
  private looks = 0;

  constructor(options: ConnectionsOptions) {
    this.options = options;
  }

  /** Plain ones, of the port. */
  async look(
    libc: Libc,
    given: { port: number; descriptorsMax: number; slices: LookSlices },
  ): Promise<OpenConnection[]> {
    const { port, descriptorsMax, slices } = given;
    const before = Math.max(libc.lowestFree() ?? descriptorsMax, this.highest);
    const isWhole = this.looks % httpLimits.wholeLookEvery === 0;
    this.looks += 1;
    const end = isWhole ? tableSize() : descriptorsMax;
    const found: OpenConnection[] = [];
    this.highest = 0;
    for (let fd = 3; fd < Math.min(end, descriptorsMax); fd += 1) {
      if (!isWhole && fd > Math.max(before, this.highest) + httpLimits.gapOfMost) break;
      if (slices.isOver()) await slices.next();
      const known = this.knownAt(libc, fd, port);
      if (known) this.highest = fd;
      const connection = known?.connection;
      if (!connection) continue;
      if (this.options.pages.has(connection.name)) {
        this.measurePage(libc, known, connection);
        continue;
      }
      this.measure(libc, known, connection);
      found.push(connection);
    }
    return found;
  }

  /** Turns may have passed since it was found: the descriptor may be another's by now, or a page's. */
  isStill(libc: Libc, { fd, socket, name }: OpenConnection): boolean {
    return libc.socketOf(fd) === socket && !this.options.pages.has(name);
  }

  private knownAt(libc: Libc, fd: number, port: number): Known | undefined {
    const socket = libc.socketOf(fd);
    const known = this.known.get(fd);
    if (known && known.socket === socket) return known;
    if (socket === undefined) {
      if (known) this.known.delete(fd);
      return undefined;
    }
    const peer = libc.localPortOf(fd) === port ? libc.peerOf(fd) : undefined;
    const name = peer && connectionName(peer);
    const connection =
      name === undefined ? undefined : { fd, socket, name, network: networkIn(name) };
    const fresh = { socket, connection, receivedBytes: 0, arrivedBytes: 0 };
    this.known.set(fd, fresh);
    return fresh;
  }

  private measurePage(libc: Libc, known: Known, { fd, name }: OpenConnection): void {
    const receivedBytes = libc.receivedBytesOf(fd);
    if (receivedBytes === undefined) return;
    this.options.pages.came(name, receivedBytes, { isNew: known.receivedBytes === 0 });
  }

  private measure(libc: Libc, known: Known, connection: OpenConnection): void {
    const traffic = libc.trafficOf(connection.fd);
    if (!traffic) return;
    const came = traffic.receivedBytes - known.receivedBytes;
    const arrived = traffic.arrivedBytes - known.arrivedBytes;
    known.receivedBytes = traffic.receivedBytes;
    known.arrivedBytes = traffic.arrivedBytes;
    this.options.onBytes(connection, came - Math.ceil(arrived * httpLimits.takingShare));
  }
}

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
