// Tells those who follow an account that it has new events: at once what this service wrote, within a second what another did.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import { eventLimits } from './event-limits.ts';
import { eventCounts } from './event-store.ts';

export interface EventWatchOptions {
  log: Pick<Log, 'warn'>;
  /** Other than the usual. */
  lookEveryMs?: number;
}

/** It reads by itself what there is; told once more than there is news, it finds nothing. */
type OnNews = () => void;

/** The store tells it of commits before it can ask that store: so it is there first, and begins to look with `start`. */
export class EventWatch {
  private readonly options: EventWatchOptions;

  private readonly followers = new Map<number, Set<OnNews>>();
  /** By account: how many events it had at the last look. */
  private counts = new Map<number, number>();
  private store: Store | undefined;
  /** Of the database, at the last look. */
  private version: number | undefined;
  private isAway = false;
  private readonly looking = new JoinedWork(() => this.look());
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: EventWatchOptions) {
    this.options = options;
  }

  start(store: Store): void {
    this.store = store;
    const { lookEveryMs = eventLimits.lookEveryMs } = this.options;
    this.timer = setInterval(() => void this.looking.run(), lookEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking.settled();
  }

  /** Called when this service has committed events of these accounts. */
  readonly appended = (account_ids: readonly number[]): void => {
    for (const account_id of account_ids) this.tell(account_id);
  };

  /** Ends with what it returns. */
  follow(account_id: number, onNews: OnNews): () => void {
    const others = this.followers.get(account_id) ?? new Set();
    others.add(onNews);
    this.followers.set(account_id, others);
    return () => {
      others.delete(onNews);
      if (others.size > 0 || this.followers.get(account_id) !== others) return;
      this.followers.delete(account_id);
      this.counts.delete(account_id);
    };
  }

  private tell(account_id: number): void {
    for (const onNews of this.followers.get(account_id) ?? []) onNews();
  }

  /** One question for all, and none while nobody follows or nothing was written. */
  private async look(): Promise<void> {
    const { store } = this;
    if (!store || this.followers.size === 0) return;
    try {
      const version = store.version();
      const followed = [...this.followers.keys()];
      const isKnown = followed.every((account_id) => this.counts.has(account_id));
      if (version !== undefined && version === this.version && isKnown) return;
      const found = await eventCounts(store, followed);
      this.version = version;
      this.isAway = false;
      const counts = new Map(found.map(({ account_id, count }) => [account_id, count]));
      for (const account_id of followed) this.note(account_id, counts.get(account_id) ?? 0);
    } catch (error) {
      if (!this.isAway) this.options.log.warn('new events are not looked for', { error });
      this.isAway = true;
    }
  }

  /** Who has just begun to follow may have read before this. */
  private note(account_id: number, count: number): void {
    if (!this.followers.has(account_id) || this.counts.get(account_id) === count) return;
    this.counts.set(account_id, count);
    this.tell(account_id);
  }
}
