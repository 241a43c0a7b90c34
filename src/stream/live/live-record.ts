// Keeps the channels' rows in step with the hub, however long the database is away.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import { endLive, keepLive, liveOf, startLive } from './live-store.ts';
import type { LiveStream } from './live-stream.ts';

/** What the database is told again and again: well within the time after which a node counts as gone. */
const keepEveryMs = 5_000;
const retryMs = 1_000;

interface LiveRecordOptions {
  store: Store;
  /** A name of this service that outlives it. */
  node: string;
  now: () => number;
  log: Log;
}

/** Rejects where the database cannot be reached at the start. */
export async function startLiveRecord(options: LiveRecordOptions): Promise<LiveRecord> {
  const { store, node, now } = options;
  const had = await liveOf(store, node);
  const at = now();
  // Whatever this node had live before it was killed is not live.
  await store.perform(keepLive, { node, ids: [], now: at });
  // Where the clock was set back meanwhile, nobody can tell how long ago that was, and nothing of it counts.
  const past = had.filter(({ seenAt }) => seenAt <= at);
  const before = past.map(({ channel_id, startedAt, seenAt }) => ({
    channel_id,
    from: startedAt,
    // It said so every few seconds, so it was killed at most that much later.
    to: Math.min(seenAt + keepEveryMs, at),
  }));
  return new LiveRecord(options, before);
}

/** When a channel was on air that this node had when it was killed. */
export interface LiveBefore {
  channel_id: number;
  from: number;
  to: number;
}

/** What the row of a channel is to say: it began, it ended, or both while the database was away. */
interface Change {
  readonly stream: LiveStream;
  readonly began: boolean;
  readonly ended: boolean;
}

export class LiveRecord {
  private readonly options: LiveRecordOptions;
  /** What a service that was killed had live; none after a stop. */
  readonly before: readonly LiveBefore[];

  private readonly live = new Map<number, LiveStream>();
  private readonly unwritten = new Map<number, Change>();
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

  /** The channel is live; saying it again changes nothing. */
  started(stream: LiveStream): void {
    const { id } = stream.channel;
    if (this.live.get(id) === stream) return;
    this.live.set(id, stream);
    this.unwritten.set(id, { stream, began: true, ended: false });
    this.write();
  }

  /** The channel is live no more. */
  ended(stream: LiveStream): void {
    const { id } = stream.channel;
    if (this.live.get(id) !== stream) return;
    this.live.delete(id);
    const began = this.unwritten.get(id)?.began ?? false;
    this.unwritten.set(id, { stream, began, ended: true });
    this.write();
  }

  /** Writes what is not written yet, if it can be done soon. */
  async stop(): Promise<void> {
    clearInterval(this.keep);
    await this.writing.settled();
    this.write();
    await this.writing.settled();
    clearTimeout(this.retry);
    const channel_ids = [...this.unwritten.keys()];
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
    try {
      const [next] = this.unwritten;
      if (next) await this.writeOne(...next);
      else await this.confirm();
    } catch (error) {
      const { log } = this.options;
      log.warn('which channels are live could not be written; it is tried again', { error });
      this.retry = setTimeout(() => this.write(), retryMs);
    }
  }

  private async writeOne(channel_id: number, change: Change): Promise<void> {
    const { store, node, now } = this.options;
    const { startedAt } = change.stream;
    if (change.began) await store.perform(startLive, { channel_id, node, startedAt, now: now() });
    if (change.ended) await store.perform(endLive, { channel_id, node });
    // It may have changed while it was written: then it is written again.
    if (this.unwritten.get(channel_id) === change) this.unwritten.delete(channel_id);
  }

  private async confirm(): Promise<void> {
    const { store, node, now } = this.options;
    await store.perform(keepLive, { node, ids: [...this.live.keys()], now: now() });
    this.isKeepDue = false;
  }
}
