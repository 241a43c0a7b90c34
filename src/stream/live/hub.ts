// Which channels are live: the truth that the channel's row follows.
import { MemoryPool } from '../../base/bytes/pooled-bytes.ts';
import type { Log } from '../../base/lib/log.ts';
import { dearStep, nextTurn, TurnSlice } from '../../base/turns/turn-slice.ts';
import { type LiveChannel, LiveStream, type Publication } from './live-stream.ts';
import { boundlessMeter, type PushMeters } from './push-meter.ts';
import type { PushPace } from './push-pace.ts';
import type { StreamReader } from './stream-reader.ts';

export interface HubOptions {
  /** A push that was cut may come back this long after its last media. */
  reconnectMs: number;
  /** Wall time, for what is shown. */
  now: () => number;
  /** Time that only passes, for what is waited. */
  monotonicMs: () => number;
  /** How often a channel and an account may begin a push. */
  pushPace: PushPace;
  /** Whoever follows each stream from its first packet. */
  openReader(stream: LiveStream): StreamReader;
  /** What a push may do and hold; without it there is no bound. */
  meters?: PushMeters;
  log: Log;
}

/** A channel cannot be published to now; the sentence is for the encoder. */
export class ChannelTaken extends Error {}

/** A publisher that has been silent this long gives way to another connection with its key. */
const takeOverMs = 2_000;
const stopping = 'The service is stopping';
/** Who stops the service does not wait: after so long the rest is ended at once. */
const inTurnsForMs = 2_000;
export const keyChanged = 'The publish key of this channel was changed';

/** A stream, who publishes it now and when it last heard of them. */
interface Entry {
  readonly stream: LiveStream;
  /** Ends the connection that publishes, saying why; undefined while none does. */
  abort: ((reason: string) => void) | undefined;
  mediaAt: number;
  /** Runs while the push may come back. */
  window: ReturnType<typeof setTimeout> | undefined;
}

export class Hub {
  private readonly options: HubOptions;

  private readonly entries = new Map<number, Entry>();
  private readonly pool = new MemoryPool();
  /** Their windows are over; they are closed one after another. */
  private readonly over = new Set<Entry>();
  private isClosing = false;
  private isStopped = false;

  constructor(options: HubOptions) {
    this.options = options;
  }

  /** Takes the channel for one connection, which `abort` ends; throws ChannelTaken, PushedTooOften or PushCut. */
  publish(channel: LiveChannel, abort: (reason: string) => void): Publication {
    if (this.isStopped) throw new ChannelTaken(stopping);
    // Whoever holds it with an older key is not whom the channel is for now.
    if (this.entries.get(channel.id)?.stream.channel.stream_key !== channel.stream_key)
      this.end(channel.id, keyChanged);
    const known = this.entries.get(channel.id);
    if (known?.abort && this.silentMs(known) < takeOverMs)
      throw new ChannelTaken('This channel is being published to by another connection');
    known?.stream.meter.goOn();
    const entry = known ?? this.open(channel);
    if (known) this.takeOver(known);
    entry.abort = abort;
    entry.mediaAt = this.options.monotonicMs();
    return this.publication(entry, abort);
  }

  /** Streams on air, with those that may still come back. */
  get streams(): LiveStream[] {
    return [...this.entries.values()].map(({ stream }) => stream);
  }

  /** Ends a push for good: its key was changed, or the service stops. */
  end(channelId: number, reason: string): void {
    const entry = this.entries.get(channelId);
    if (!entry) return;
    const { abort } = entry;
    this.close(entry);
    abort?.(reason);
  }

  /** The same for several, a few a turn: the last segment of each takes some milliseconds. */
  async endAll(channelIds: readonly number[], reason: string): Promise<void> {
    const atOnceFrom = performance.now() + inTurnsForMs;
    let slice = new TurnSlice();
    for (const id of channelIds) {
      this.end(id, reason);
      if (!slice.isOver(dearStep) || performance.now() > atOnceFrom) continue;
      await nextTurn();
      slice = new TurnSlice();
    }
  }

  /** Ends every push; none begins any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.endAll([...this.entries.keys()], stopping);
  }

  private open(channel: LiveChannel): Entry {
    // Memory first: who is refused for it has begun no push, and is told so.
    const meter = this.options.meters?.open(channel) ?? boundlessMeter();
    let stream: LiveStream;
    try {
      this.options.pushPace.begin(channel, this.options.monotonicMs());
      stream = new LiveStream(channel, this.options.now(), { pool: this.pool, meter });
      stream.join(this.options.openReader(stream));
    } catch (error) {
      meter.end();
      throw error;
    }
    const entry: Entry = { stream, abort: undefined, mediaAt: 0, window: undefined };
    this.entries.set(channel.id, entry);
    meter.onGivenUp = (sentence) => {
      if (this.entries.get(channel.id) === entry) this.end(channel.id, sentence);
    };
    return entry;
  }

  private takeOver(entry: Entry): void {
    clearTimeout(entry.window);
    this.over.delete(entry);
    const { abort } = entry;
    // Gone before it is told, so that its end no longer counts.
    entry.abort = undefined;
    abort?.('Another connection took over');
    entry.stream.resume();
  }

  private publication(entry: Entry, abort: (reason: string) => void): Publication {
    return entry.stream.publication({
      isHeld: () => entry.abort === abort,
      onMedia: () => {
        entry.mediaAt = this.options.monotonicMs();
      },
      onEnd: (how) => (how === 'ended' ? this.close(entry) : this.awaitReturn(entry)),
    });
  }

  private awaitReturn(entry: Entry): void {
    entry.abort = undefined;
    const leftMs = Math.max(0, this.options.reconnectMs - this.silentMs(entry));
    entry.window = setTimeout(() => this.closeInTurn(entry), leftMs);
  }

  /** One a turn: of many that were cut together the windows are over together. */
  private async closeInTurn(entry: Entry): Promise<void> {
    this.over.add(entry);
    if (this.isClosing) return;
    this.isClosing = true;
    try {
      for (const first of this.over) {
        this.close(first);
        await nextTurn();
      }
    } finally {
      this.isClosing = false;
    }
  }

  private close(entry: Entry): void {
    clearTimeout(entry.window);
    this.over.delete(entry);
    entry.abort = undefined;
    if (this.entries.get(entry.stream.channel.id) === entry)
      this.entries.delete(entry.stream.channel.id);
    try {
      entry.stream.end();
    } catch (error) {
      // Often from a timer, where nobody else would catch it: one stream's trouble is its own.
      this.options.log.error('a stream did not end well', { error });
    }
  }

  private silentMs(entry: Entry): number {
    return this.options.monotonicMs() - entry.mediaAt;
  }
}
