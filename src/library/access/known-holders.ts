// Whoever holds a secret that requests carry, remembered until the database changes: of tokens and of the console's cookie.
import type { KnownCaller } from '../../base/api/caller.ts';
import type { Sql, Store } from '../../base/db/sql.ts';
import { VersionMemo } from '../../base/db/version-memo.ts';
import { ofAccount, ofNetwork } from '../../base/db/whose.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';

/** The holder of a secret: who has lost it is refused from the next request on. */
export interface Holder extends KnownCaller {
  /** The same for all that see the same: they get the same answers. */
  sees: string;
  expires_at: number | null;
}

/** How a secret came. */
export interface Shown {
  /** Of the database, as the store tells it. */
  version: number | undefined;
  /** Whence: what strangers show is looked up in the line of their network. */
  address(): string;
}

export interface KnownHoldersOptions<H> {
  store: Store;
  now: () => number;
  /** The holder, or why there is none. */
  look(sql: Sql, secret: string, now: number): Promise<H | string>;
}

/** Secrets that are in use at one time and found without a query; more are simply looked up. */
const rememberedMax = 10_000;

export class KnownHolders<H extends Holder> {
  private readonly options: KnownHoldersOptions<H>;

  private readonly known = new VersionMemo<H>({
    entriesMax: rememberedMax,
    weightMax: rememberedMax,
    weigh: () => 1,
  });

  /** By header, who it was when it was last shown: in the line of their account its look-up waits. Only what was good. */
  private readonly last = new RecentMap<string, H>({ max: rememberedMax });

  constructor(options: KnownHoldersOptions<H>) {
    this.options = options;
  }

  /** By what a header holds, as it stands; undefined where nothing is remembered of it. */
  remembered(header: string, version: number | undefined): H | undefined {
    const known = this.known.get(version, header);
    if (!known) return undefined;
    return known.expires_at === null || known.expires_at > this.options.now() ? known : undefined;
  }

  /** Who it was when it was last shown. Whether it still is, `find` says alone. */
  expected(header: string): H | undefined {
    return this.last.peek(header);
  }

  /** By the secret in that header. */
  async find(header: string, secret: string, { version, address }: Shown): Promise<H | string> {
    const { store, now, look } = this.options;
    const last = this.last.peek(header);
    const whose = last ? ofAccount(last) : ofNetwork(address());
    const found = await look(store.for(whose), secret, now());
    this.last.delete(header);
    if (typeof found === 'string') return found;
    this.last.set(header, found);
    this.known.set(version, header, found);
    return found;
  }
}
