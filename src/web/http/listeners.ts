// The sockets that take HTTP connections: one, and beside it an older one while a new certificate takes its place.
import type { Libc } from '../../base/lib/libc.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Door, openDoor } from '../../base/peers/door.ts';
import type { BunServer } from './bun-handler.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';

export interface Tls {
  cert: string;
  key: string;
}

export interface ListenersOptions {
  /** Opens another socket on the port, which is shared. */
  listen(order: { port: number; tls: Tls | undefined; reusePort: boolean }): BunServer;
  port: number;
  tls: Tls | undefined;
  libc: Libc | undefined;
  bounds: Pick<HttpBounds, 'idleSeconds'>;
  log: Log;
}

/**
 * Bun keeps a listener's certificate for its life. So another one listens on the same port, new connections are
 * steered to it, and the first goes on with those it has: its answers ask for their connections to be closed, and
 * when all have had the time to ask once more it is closed. Closed at once it would lose whoever had just come:
 * a connection that waits to be taken belongs to the socket it came to.
 */
export class Listeners {
  private readonly options: ListenersOptions;

  /** As the system has them, which counts from 0; the door's own is among them. */
  private readonly group: (BunServer | Door)[];
  private newest: BunServer;
  private readonly endings = new Map<BunServer, ReturnType<typeof setTimeout>>();
  /** Their connections are to be closed with the next answer. */
  private readonly draining = new Set<BunServer>();
  private isStopped = false;
  private found: readonly number[] = [];
  readonly port: number;
  /** Of all of them; undefined where the system knows none. */
  readonly door: Door | undefined;

  constructor(options: ListenersOptions) {
    this.options = options;
    const open = options.libc?.lowestFree();
    this.newest = options.listen({ ...options, reusePort: false });
    this.port = this.newest.port ?? options.port;
    this.find(open);
    const { libc } = options;
    const { listening } = this;
    this.door = libc && listening !== undefined ? openDoor(libc, listening) : undefined;
    this.group = this.door ? [this.newest, this.door] : [this.newest];
  }

  /** The descriptor of a socket that listens; undefined where the system's calls are not known. */
  get listening(): number | undefined {
    return this.found[0];
  }

  isDraining(server: BunServer): boolean {
    return this.draining.size > 0 && this.draining.has(server);
  }

  /** To every page of a room, whichever socket it came by. */
  publish(topic: string, text: string): void {
    this.newest.publish(topic, text);
    for (const server of this.draining) server.publish(topic, text);
  }

  /** Throws where the certificate is none, or cannot take the place of the other; then all stays as it is. */
  renew(tls: Tls): void {
    const { libc, listen } = this.options;
    if (this.isStopped) throw new Error('the service is about to stop');
    if (!libc)
      throw new Error('a new certificate needs a restart: to hand the port over needs Linux');
    const { port, newest: older } = this;
    const open = libc.lowestFree();
    this.newest = listen({ port, tls, reusePort: true });
    this.group.push(this.newest);
    this.find(open);
    this.steer();
    this.draining.add(older);
    const handoverMs = 1_000 * this.options.bounds.idleSeconds + httpLimits.handoverMs;
    const ending = setTimeout(() => this.end(libc, older), handoverMs);
    ending.unref();
    this.endings.set(older, ending);
  }

  /** Takes no new connections, lets requests under way finish; what is not done within the time is cut. */
  async stop(withinMs: number): Promise<void> {
    this.isStopped = true;
    for (const ending of this.endings.values()) clearTimeout(ending);
    const servers = new Set([this.newest, ...this.draining]);
    for (const server of servers) this.draining.add(server);
    await Bun.sleep(Math.min(httpLimits.drainMs, withinMs));
    this.door?.close();
    const closed = [...servers].map((server) => server.stop());
    const late = setTimeout(() => {
      for (const server of servers) server.stop(true);
    }, withinMs);
    await Promise.all(closed);
    clearTimeout(late);
  }

  /** Pages and answers under way stay connected. */
  private end(libc: Libc, server: BunServer): void {
    this.endings.delete(server);
    server.stop().then(() => this.draining.delete(server));
    this.found = this.found.filter((fd) => this.isListening(libc, fd));
    const last = this.group.pop();
    const at = this.group.indexOf(server);
    // The system puts the last in the place of the one that has left.
    if (last && at >= 0) this.group[at] = last;
    this.steer();
  }

  private steer(): void {
    if (!this.door?.leadTo(this.group.indexOf(this.newest)))
      this.options.log.warn('some new connections get the old certificate for half a minute');
  }

  /** The descriptor of the newest. */
  private find(lowestFree = 3): void {
    const { libc } = this.options;
    if (!libc) return;
    const isNew = (fd: number) => !this.found.includes(fd) && this.isListening(libc, fd);
    const end = lowestFree + descriptorsLookedAt;
    // The system gives the lowest that is free. Bun may open others before, and another thread may close one.
    const fd = firstFrom(lowestFree, end, isNew) ?? firstFrom(3, lowestFree, isNew);
    if (fd === undefined) return;
    this.found = [...this.found, fd];
    const { plain, secure } = httpLimits.untakenConnectionsMax;
    libc.boundUntaken(fd, this.options.tls ? secure : plain);
    // Its connections have the same bounds from the first byte on.
    libc.boundUnread(fd, httpLimits.unreadBytesMax);
    libc.boundUnsent(fd, httpLimits.connectionUnsentBytesMax);
  }

  private isListening(libc: Libc, fd: number): boolean {
    return fd !== this.door?.full && libc.localPortOf(fd) === this.port && libc.isListening(fd);
  }
}

/** Numbers in between may be taken. */
const descriptorsLookedAt = 4_096;

function firstFrom(start: number, end: number, isIt: (fd: number) => boolean): number | undefined {
  for (let fd = start; fd < end; fd += 1) if (isIt(fd)) return fd;
  return undefined;
}
