// One who follows an account's events: what has come since a position, and then what comes, as it comes.
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
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
  private reading: Promise<ReadEvents | undefined> | undefined;
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
    this.reader = { whose: ofAccount(filter.owner) };
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
        if (this.isNews || this.reading) {
          const read = await Promise.race([this.begun(), late.promise]);
          // It goes on, and the next call has what comes of it.
          if (read === 'late') return this.nothing;
          const taken = this.taken(read);
          if (taken.rows.length + taken.missing.length > 0) return taken;
        }
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
    return this.taken(await this.begun());
  }

  /** The read that is under way, or another; undefined where it was given up. */
  private begun(): Promise<ReadEvents | undefined> {
    this.reading ??= this.begin();
    return this.reading;
  }

  private begin(): Promise<ReadEvents | undefined> {
    const reading = this.options.reads.run(this.reader, async () => {
      // What is written from here on wakes it again.
      this.isNews = false;
      const { position } = this;
      const limit = eventLimits.rowsPerRead;
      const read = await readOn(this.options.store, this.filter, { position, limit });
      this.isNews ||= read.isNews;
      await nextTurn();
      return read;
    });
    // Who waits for it hears of it; whoever asks next reads anew.
    reading.catch(() => {
      this.reading = undefined;
      this.isNews = true;
    });
    return reading;
  }

  /** Only what is handed out moves the position: who comes back with it has missed nothing. */
  private taken(read: ReadEvents | undefined): ReadEvents {
    this.reading = undefined;
    if (!read) return this.nothing;
    this.position = read.position;
    const missing = [...this.missing, ...read.missing];
    this.missing = [];
    return { ...read, missing };
  }

  private get nothing(): ReadEvents {
    return { rows: [], missing: [], position: this.position, isNews: false };
  }

  private woken(): Promise<void> {
    // Its end may have come while it read.
    if (this.isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
