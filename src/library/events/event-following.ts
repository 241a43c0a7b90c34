// One who follows an account's events: what has come since a place, and then what comes, as it comes.
import type { Store } from '../../base/db/sql.ts';
import type { InLine } from '../../base/turns/fair-lines.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { eventLimits } from './event-limits.ts';
import type { Missing, Position } from './event-position.ts';
import {
  checkedPosition,
  type EventFilter,
  endPosition,
  type ReadEvents,
  readOn,
} from './event-reading.ts';
import type { EventWatch } from './event-watch.ts';

export interface EventFollowingOptions {
  store: Pick<Store, 'for'>;
  watch: Pick<EventWatch, 'follow'>;
  /** Of all who follow. */
  reads: FairPlaces;
}

/** A few reads a turn, however many follow and however fast they take what is read: accounts take turns. */
export function eventReads(): FairPlaces {
  return new FairPlaces({ placesMax: eventLimits.readsAtOnce });
}

/** Reads the next events when the last were taken: who is slow holds one piece, however much has happened. */
export class EventFollowing {
  private readonly options: EventFollowingOptions;
  private readonly filter: EventFilter;
  private readonly reader: InLine;

  private position: Position;
  /** What is told before all else. */
  private missing: readonly Missing[];
  private isNews = true;
  private isEnded = false;
  private wake = () => {};
  private readonly unfollow: () => void;

  /** `after`: undefined for what comes from now on. */
  static async open(
    options: EventFollowingOptions,
    filter: EventFilter,
    after: Position | undefined,
  ): Promise<EventFollowing> {
    const { store } = options;
    const begin = after
      ? await checkedPosition(store, filter, after)
      : { position: await endPosition(store, filter.owner), missing: [] };
    return new EventFollowing(options, filter, begin);
  }

  private constructor(
    options: EventFollowingOptions,
    filter: EventFilter,
    { position, missing }: Pick<ReadEvents, 'position' | 'missing'>,
  ) {
    this.options = options;
    this.filter = filter;
    this.reader = { whose: `account ${filter.owner.account_id}` };
    this.position = position;
    this.missing = missing;
    this.unfollow = options.watch.follow(filter.owner.account_id, () => {
      this.isNews = true;
      this.wake();
    });
  }

  /** Nobody asks for more, or the service stops. */
  end(): void {
    this.isEnded = true;
    this.unfollow();
    this.options.reads.giveUp(this.reader);
    this.wake();
  }

  /** What has happened; after so long without any of it nothing, and undefined at the end. */
  async next(withinMs: number): Promise<ReadEvents | undefined> {
    const late = Promise.withResolvers<'late'>();
    const timer =
      withinMs === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(late.resolve, withinMs, 'late');
    try {
      while (!this.isEnded) {
        const read = this.isNews ? await this.read() : this.nothing;
        if (read.rows.length + read.missing.length > 0) return read;
        // What is not wanted is passed by, however much it is: others have their turn meanwhile.
        const woken = this.isNews ? nextTurn() : this.woken();
        if ((await Promise.race([woken, late.promise])) === 'late') return this.nothing;
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      this.wake = () => {};
    }
  }

  /** The next events, of those that are wanted; none where there are none now, or it has ended. */
  async read(): Promise<ReadEvents> {
    const read = await this.options.reads.run(this.reader, async () => {
      // What is written from here on wakes it again.
      this.isNews = false;
      const { position } = this;
      const limit = eventLimits.rowsPerRead;
      const some = await readOn(this.options.store, this.filter, { position, limit });
      this.position = some.position;
      this.isNews ||= some.isNews;
      await nextTurn();
      return some;
    });
    if (!read) return this.nothing;
    const missing = [...this.missing, ...read.missing];
    this.missing = [];
    return { ...read, missing };
  }

  private get nothing(): ReadEvents {
    return { rows: [], missing: [], position: this.position, isNews: false };
  }

  private woken(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
