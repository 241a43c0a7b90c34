// The pages' connections, and what comes over them that Bun tells nobody of: who sends much of it is cut.

import type { Libc } from '../lib/libc.ts';
import { connectionName } from './asker.ts';
import { httpLimits } from './limits.ts';
import type { LookSlices } from './look-slices.ts';

/** What it needs of a page. */
export interface WatchedPage {
  /** All that Bun has told of what it sent, frames and all. */
  readonly toldBytes: number;
  cut(reason: 'flood'): void;
}

interface Watched {
  name: string;
  page: WatchedPage;
  /** Once it is found. */
  fd: number | undefined;
  /** What had come when it was found: requests may have gone over the connection before. */
  before: number;
}

/**
 * Bun swallows pieces of a message until the last: empty ones for ever, and of 200,000 of them nobody is told. The
 * system knows how much has come over a connection, and what Bun tells is counted; a page says nothing else.
 */
export class PageWatch {
  private port = 0;
  private libc: Libc | undefined;

  private readonly byPage = new Map<WatchedPage, Watched>();
  private readonly byName = new Map<string, Watched>();
  private readonly descriptors = new Set<number>();
  /** Those whose descriptor is not known yet. */
  private readonly sought = new Set<Watched>();

  get count(): number {
    return this.byPage.size;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** Without `libc` nothing is looked at. */
  start(port: number, libc: Libc | undefined): void {
    this.port = port;
    this.libc = libc;
  }

  /** A connection that is a page's WebSocket from now on. */
  upgraded(page: WatchedPage, name: string): void {
    const watched = { name, page, fd: undefined, before: 0 };
    this.byPage.set(page, watched);
    this.byName.set(name, watched);
    this.sought.add(watched);
    if (this.libc) this.seekNearby(this.libc);
  }

  closed(page: WatchedPage): void {
    const watched = this.byPage.get(page);
    if (!watched) return;
    const { name, fd } = watched;
    this.byPage.delete(page);
    // Another may have come from the same address and port since.
    if (this.byName.get(name) === watched) this.byName.delete(name);
    this.sought.delete(watched);
    if (fd !== undefined) this.descriptors.delete(fd);
  }

  /** Its descriptor stays a page's until Bun tells of its end, so each is found once. */
  async look(given: { descriptorsMax: number; slices: LookSlices }): Promise<void> {
    const { libc } = this;
    if (!libc) return;
    if (this.sought.size > 0) await this.seek(libc, given);
    for (const { page, fd, before } of this.byPage.values()) {
      if (given.slices.isOver()) await given.slices.next();
      if (fd === undefined || !this.byPage.has(page)) continue;
      const came = (libc.receivedBytesOf(fd) ?? before) - before;
      if (came - page.toldBytes > httpLimits.untoldBytesMax) page.cut('flood');
    }
  }

  /** A new connection has the lowest number that was free, which is found at once. */
  private seekNearby(libc: Libc): void {
    const open = libc.lowestFree() ?? 0;
    for (let fd = open + nearby; fd > open - nearby && this.sought.size > 0; fd -= 1)
      this.lookAt(libc, fd);
  }

  /** One that has not been found then is not looked for again. */
  private async seek(
    libc: Libc,
    { descriptorsMax, slices }: { descriptorsMax: number; slices: LookSlices },
  ): Promise<void> {
    const sought = [...this.sought];
    const open = libc.lowestFree() ?? descriptorsMax;
    for (let fd = 3, misses = 0; fd < descriptorsMax && misses < httpLimits.gapMax; fd += 1) {
      if (slices.isOver()) await slices.next();
      if (this.sought.size === 0) return;
      misses = this.lookAt(libc, fd) || fd < open ? 0 : misses + 1;
    }
    for (const watched of sought) this.sought.delete(watched);
  }

  /** Whether somebody is at the other end. */
  private lookAt(libc: Libc, fd: number): boolean {
    if (this.descriptors.has(fd)) return true;
    const peer = libc.localPortOf(fd) === this.port ? libc.peerOf(fd) : undefined;
    const watched = peer && this.byName.get(connectionName(peer));
    if (watched && this.sought.delete(watched)) {
      watched.fd = fd;
      watched.before = (libc.receivedBytesOf(fd) ?? 0) - watched.page.toldBytes;
      this.descriptors.add(fd);
    }
    return peer !== undefined;
  }
}

/** Descriptors on both sides of the lowest that is free: others come and go meanwhile. */
const nearby = 16;
