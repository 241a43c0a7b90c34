// An account's events as server-sent events: what has come since a place, and then what comes, as it comes.
import type { Pieces } from '../../base/api/pieces.ts';
import type { Store } from '../../base/db/sql.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { followedEvent } from './event.ts';
import { eventLimits } from './event-limits.ts';
import { type Missing, missingView, type Position, positionText } from './event-position.ts';
import { checkedPosition, type EventFilter, endPosition, readOn } from './event-reading.ts';
import type { EventWatch } from './event-watch.ts';

export interface EventStreamOptions {
  store: Pick<Store, 'for'>;
  watch: Pick<EventWatch, 'follow'>;
  heartbeatMs: number;
}

/** `after`: undefined for what comes from now on. */
export async function openEventStream(
  options: EventStreamOptions,
  filter: EventFilter,
  after: Position | undefined,
): Promise<Pieces> {
  const { store } = options;
  const { owner } = filter;
  const { position, missing } = after
    ? await checkedPosition(store, filter, after)
    : { position: await endPosition(store, owner), missing: [] };
  const stream = new EventStream(options, filter, position);
  const head = `retry: ${eventLimits.retryMs}\n\n${missing.map(missingText).join('')}`;
  let isFirst = true;
  const next: Pieces = async () => {
    if (!isFirst) return await stream.next();
    isFirst = false;
    // Where there is nothing to tell, the answer begins all the same.
    return `${head}${await stream.read()}${stream.mark}`;
  };
  return Object.assign(next, { end: () => stream.end() });
}

/** Reads the next events when the last were taken: a slow reader holds one piece, however much has happened. */
class EventStream {
  private readonly options: EventStreamOptions;
  private readonly filter: EventFilter;

  private position: Position;
  private isNews = true;
  private isEnded = false;
  private wake = () => {};
  private readonly unfollow: () => void;

  constructor(options: EventStreamOptions, filter: EventFilter, position: Position) {
    this.options = options;
    this.filter = filter;
    this.position = position;
    this.unfollow = options.watch.follow(filter.owner.account_id, () => {
      this.isNews = true;
      this.wake();
    });
  }

  /** Nobody asks for more, or the service stops. */
  end(): void {
    this.isEnded = true;
    this.unfollow();
    this.wake();
  }

  /** Says where its reader is, and that the connection lives: no event of the page that reads it. */
  get mark(): string {
    return `: still here\nid: ${positionText(this.position)}\n\n`;
  }

  /** What has happened; after a while without any of it a mark, and undefined at the end. */
  async next(): Promise<string | undefined> {
    const heartbeat = Promise.withResolvers<'late'>();
    const timer = setTimeout(heartbeat.resolve, this.options.heartbeatMs, 'late');
    try {
      while (!this.isEnded) {
        const text = this.isNews ? await this.read() : '';
        if (text !== '') return text;
        // What is not wanted is passed by, however much it is: others have their turn meanwhile.
        const woken = this.isNews ? nextTurn() : this.woken();
        if ((await Promise.race([woken, heartbeat.promise])) === 'late') return this.mark;
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      this.wake = () => {};
    }
  }

  /** What the next events come to, of those that are wanted. */
  async read(): Promise<string> {
    // What is written from here on wakes it again.
    this.isNews = false;
    const { position } = this;
    const limit = eventLimits.rowsPerRead;
    const read = await readOn(this.options.store, this.filter, { position, limit });
    this.position = read.position;
    this.isNews ||= read.isNews;
    const texts = read.rows.map(({ row, position }) => {
      const { type } = row;
      return `id: ${positionText(position)}\nevent: ${type}\ndata: ${JSON.stringify(followedEvent(row))}\n\n`;
    });
    return read.missing.map(missingText).join('') + texts.join('');
  }

  private woken(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

/** Told once, before what follows them. */
function missingText(missing: Missing): string {
  return `event: missing\ndata: ${JSON.stringify(missingView(missing))}\n\n`;
}
