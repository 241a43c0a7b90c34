// Keeps the channels' rows in step with the hub, however long the database is away.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import { changeShow, endLive, keepLive, liveOf, startLive } from './live-store.ts';
import type { LiveStream } from './live-stream.ts';
import { Show } from './show.ts';
import { readAnchors, showRow } from './show-store.ts';

/** What the database is told again and again: well within the time after which a node counts as gone. */
const keepEveryMs = 5_000;
const retryMs = 1_000;

interface LiveRecordOptions {
  store: Store;
  /** A name of this service that outlives it. */
  node: string;
  /** Whether other nodes may go on with a push of this one. */
  isShared?: boolean;
  now: () => number;
  log: Log;
  /** The stream's channel was deleted as it began: it must end. */
  onDeleted(stream: LiveStream): void;
  /** The rows say something new of a channel's show. */
  onWritten?(channel_id: number): void;
}

/** Rejects where the database cannot be reached at the start. */
export async function startLiveRecord(options: LiveRecordOptions): Promise<LiveRecord> {
  const { store, node, isShared, now } = options;
  const had = await liveOf(store, node);
  const at = now();
  // Whatever this node had live before it was killed is not live.
  await store.perform(keepLive, { node, shows: [], isShared, now: at });
  // Where the clock was set back meanwhile, nobody can tell how long ago that was, and nothing of it counts.
  const past = had.filter(({ seen_at }) => seen_at <= at);
  const before = past.map(({ channel_id, begin_at, anchors, seen_at }) => {
    // It said so every few seconds, so it was killed at most that much later.
    const endAt = Math.min(seen_at + keepEveryMs, at);
    return { channel_id, show: Show.until(endAt, begin_at, readAnchors(anchors)), endAt };
  });
  return new LiveRecord(options, before);
}

/** A show that this node had on when it was killed, and when that was at the latest. */
export interface LiveBefore {
  channel_id: number;
  show: Show;
  endAt: number;
}

/** What the rows of a channel and of its show are to say, perhaps all of it while the database was away. */
interface Change {
  readonly stream: LiveStream;
  readonly began: boolean;
  readonly endAt: number | null;
}

export class LiveRecord {
  private readonly options: LiveRecordOptions;
  /** What a service that was killed had live; none after a stop. */
  readonly before: readonly LiveBefore[];

  /** By channel. */
  private readonly live = new Map<number, { show: Show; epoch: number }>();
  /** In the order in which it happened: a show's end comes before the next one's beginning. */
  private readonly unwritten = new Map<Show, Change>();
  /** Shows of deleted channels: nothing is written of them. */
  private readonly unwanted = new WeakSet<Show>();
  private isKeepDue = false;
  /** One write at a time: a confirmation that others overtook would undo them. */
  private readonly writing = new UntilEmpty({
    isEmpty: () => this.retry !== undefined || (this.unwritten.size === 0 && !this.isKeepDue),
    work: () => this.writeNext(),
  });
  /** Runs while the database is away. */
  private retry: ReturnType<typeof setTimeout> | undefined;
  private readonly keep: ReturnType<typeof setInterval>;

  constructor(options: LiveRecordOptions, before: readonly LiveBefore[]) {
    this.options = options;
    this.before = before;
    this.keep = setInterval(() => {
      this.isKeepDue = true;
      this.write();
    }, keepEveryMs);
  }

  /** The channel is live with this show. */
  started(stream: LiveStream, show: Show): void {
    this.goesOn(stream, show);
    this.unwritten.set(show, { stream, began: true, endAt: null });
    this.write();
  }

  /** A show that another node had on goes on here: its rows say so already. */
  goesOn(stream: LiveStream, show: Show): void {
    this.live.set(stream.channel.id, { show, epoch: stream.lease.epoch });
  }

  /** It goes on on another node, which says so from here on. */
  taken(stream: LiveStream, show: Show): void {
    const { id } = stream.channel;
    if (this.live.get(id)?.show === show) this.live.delete(id);
  }

  /** Its dates have jumped. */
  changed(stream: LiveStream, show: Show): void {
    const began = this.unwritten.get(show)?.began ?? false;
    this.unwritten.set(show, { stream, began, endAt: null });
    this.write();
  }

  /** The show is over. */
  ended(stream: LiveStream, show: Show): void {
    const { id } = stream.channel;
    if (this.live.get(id)?.show === show) this.live.delete(id);
    const began = this.unwritten.get(show)?.began ?? false;
    this.unwritten.set(show, { stream, began, endAt: this.options.now() });
    this.write();
  }

  /** Writes what is not written yet, if it can be done soon. */
  async stop(): Promise<void> {
    clearInterval(this.keep);
    await this.writing.settled();
    this.write();
    await this.writing.settled();
    clearTimeout(this.retry);
    const channel_ids = Array.from(this.unwritten.values(), ({ stream }) => stream.channel.id);
    // The next start clears what it finds; other services count this one as gone after a while.
    if (channel_ids.length > 0)
      this.options.log.error('that channels are not live could not be written before the end', {
        channel_ids,
      });
  }

  private write(): void {
    clearTimeout(this.retry);
    this.retry = undefined;
    this.writing.begin();
  }

  private async writeNext(): Promise<void> {
    const [next] = this.unwritten;
    try {
      if (this.isKeepDue || !next) return await this.confirm();
      // What changes while it is written is written again, behind the others.
      this.unwritten.delete(next[0]);
      await this.writeOne(...next);
    } catch (error) {
      if (next) this.writeAgain(...next);
      const { log } = this.options;
      log.warn('which channels are live could not be written; it is tried again', { error });
      this.retry = setTimeout(() => this.write(), retryMs);
    }
  }

  private writeAgain(show: Show, change: Change): void {
    const newer = this.unwritten.get(show) ?? change;
    this.unwritten.set(show, { ...newer, began: newer.began || change.began });
  }

  private async writeOne(shown: Show, { stream, began, endAt }: Change): Promise<void> {
    const { store, node, now } = this.options;
    const { channel, startedAt, lease } = stream;
    const { epoch } = lease;
    const show = showRow(shown, { channel_id: channel.id, end_at: endAt });
    if (this.unwanted.has(shown)) return;
    const track = stream.trackOf('video');
    const picture = track && { width: track.width, height: track.height };
    if (began) {
      const on = { ...show, end_at: null };
      const isThere = await store.perform(startLive, {
        ...{ show: on, picture, node, epoch, startedAt, now: now() },
      });
      if (!isThere) return this.drop(stream, shown);
    }
    if (endAt !== null) await store.perform(endLive, { show, node, epoch });
    else if (!began) await store.perform(changeShow, { show, picture, epoch });
    this.options.onWritten?.(channel.id);
  }

  private drop(stream: LiveStream, show: Show): void {
    const { id } = stream.channel;
    this.unwanted.add(show);
    if (this.live.get(id)?.show === show) this.live.delete(id);
    this.options.onDeleted(stream);
  }

  private async confirm(): Promise<void> {
    const { store, node, isShared, now } = this.options;
    const shows = Array.from(this.live, ([channel_id, { show, epoch }]) => ({
      channel_id,
      begin_at: show.begin,
      epoch,
    }));
    await store.perform(keepLive, { node, shows, isShared, now: now() });
    this.isKeepDue = false;
  }
}
