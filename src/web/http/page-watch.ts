// The pages' connections, and what comes over them that Bun tells nobody of: who sends much of it is cut.
import { httpLimits } from './http-limits.ts';

/** What it needs of a page. */
export interface WatchedPage {
  /** All that Bun has told of what it sent, frames and all. */
  readonly toldBytes: number;
  cut(reason: 'flood'): void;
}

interface Watched {
  name: string;
  page: WatchedPage;
  /** What is not counted; undefined until it is met. */
  before: number | undefined;
}

/**
 * Bun swallows pieces of a message until the last: empty ones for ever, and of 200,000 of them nobody is told. The
 * system knows how much has come over a connection, and what Bun tells is counted; a page says nothing else.
 */
export class PageWatch {
  private readonly byPage = new Map<WatchedPage, Watched>();
  private readonly byName = new Map<string, Watched>();
  private readonly unmet = new Set<string>();

  get count(): number {
    return this.byPage.size;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** False for a page of which no look knows yet how much has come over it. */
  isMet(name: string): boolean {
    return !this.unmet.has(name);
  }

  /** A connection that is a page's WebSocket from now on. */
  upgraded(page: WatchedPage, name: string): void {
    const watched = { name, page, before: undefined };
    this.byPage.set(page, watched);
    this.byName.set(name, watched);
    this.unmet.add(name);
  }

  closed(page: WatchedPage): void {
    const watched = this.byPage.get(page);
    if (!watched) return;
    this.byPage.delete(page);
    // Another may have come from the same address and port since.
    if (this.byName.get(watched.name) !== watched) return;
    this.byName.delete(watched.name);
    this.unmet.delete(watched.name);
  }

  /**
   * So much has come over a page's connection in all. Requests may have gone over it before, so where it was met as no
   * page it is counted from now on; one that is new has done little before but ask to be a page.
   */
  came(name: string, receivedBytes: number, { isNew }: { isNew: boolean }): void {
    const watched = this.byName.get(name);
    if (!watched) return;
    this.unmet.delete(name);
    const { page } = watched;
    const untold = receivedBytes - page.toldBytes;
    watched.before ??= isNew ? 0 : untold;
    if (untold - watched.before > httpLimits.untoldBytesMax) page.cut('flood');
  }
}
