// Which channels are live: the truth that the channel's row follows.
import { MemoryPool } from '../../base/bytes/memory.ts';
import type { Log } from '../../base/lib/log.ts';
import { dearStep, nextTurn, TurnSlice } from '../../base/turns/turn-slice.ts';
import { type LiveChannel, LiveStream, type Publication } from './live-stream.ts';
import { boundlessMeter, type PushMeters } from './push-meter.ts';
import type { PushPace } from './push-pace.ts';
import { ReconnectWindows } from './reconnect-windows.ts';
import type { StreamReader } from './stream-reader.ts';

export interface HubOptions {
  /** The reconnect window: a push that was cut may come back this long after its last media. */
  reconnectMs: number;
  /** Wall time, for what is shown. */
  now: () => number;
  /** Time that only passes, for what is waited. */
  monotonicMs: () => number;
  /** How often a channel and an account may begin a push. */
  pushPace: PushPace;
  /** Follows each stream from its first packet on. */
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
/** A stop does not wait longer: then the rest is ended at once. */
const inTurnsForMs = 2_000;
export const keyChanged = 'The publish key of this channel was changed';
export const channelDeleted = 'This channel was deleted';

/** A stream, who publishes it now and when it last heard of them. */
interface Push {
  readonly stream: LiveStream;
  /** Ends the connection that publishes, saying why; undefined while none does. */
  abort: ((reason: string) => void) | undefined;
  mediaAt: number;
}

export class Hub {
  private readonly options: HubOptions;

  /** By channel. */
  private readonly pushes = new Map<number, Push>();
  private readonly pool = new MemoryPool();
  private readonly reconnectWindows = new ReconnectWindows<Push>((push) => this.close(push));
  private isStopped = false;

  constructor(options: HubOptions) {
    this.options = options;
  }

  /** Takes the channel for one connection, which `abort` ends; throws ChannelTaken, PushedTooOften or PushCut. */
  publish(channel: LiveChannel, abort: (reason: string) => void): Publication {
    if (this.isStopped) throw new ChannelTaken(stopping);
    // A publisher with an older key is not the one that the channel is for now.
    if (this.pushes.get(channel.id)?.stream.channel.stream_key !== channel.stream_key)
      this.end(channel.id, keyChanged);
    const known = this.pushes.get(channel.id);
    if (known?.abort && this.silentMs(known) < takeOverMs)
      throw new ChannelTaken('This channel is being published to by another connection');
    known?.stream.meter.goOn();
    const push = known ?? this.open(channel);
    if (known) this.takeOver(known);
    push.abort = abort;
    push.mediaAt = this.options.monotonicMs();
    return this.publication(push, abort);
  }

  /** A channel's push, and whether a connection has it now; undefined where there is none. */
  find(channelId: number): { stream: LiveStream; isConnected: boolean } | undefined {
    const push = this.pushes.get(channelId);
    return push && { stream: push.stream, isConnected: push.abort !== undefined };
  }

  /** For how long a push that was cut may still come back; undefined where none is waited for. */
  awaitedMs(channelId: number): number | undefined {
    const push = this.pushes.get(channelId);
    return push && !push.abort ? Math.max(0, this.windowMs(push)) : undefined;
  }

  /** Streams on air, with those that may still come back. */
  get streams(): LiveStream[] {
    return [...this.pushes.values()].map(({ stream }) => stream);
  }

  /** Whether somebody publishes to it, or may still come back. */
  isOnAir(channelId: number): boolean {
    return this.pushes.has(channelId);
  }

  /** Ends a push for good: its key was changed, its channel was deleted, or the service stops. */
  end(channelId: number, reason: string): void {
    const push = this.pushes.get(channelId);
    if (!push) return;
    const { abort } = push;
    this.close(push);
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
    await this.endAll([...this.pushes.keys()], stopping);
  }

  private open(channel: LiveChannel): Push {
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
    const push: Push = { stream, abort: undefined, mediaAt: 0 };
    this.pushes.set(channel.id, push);
    meter.onGivenUp = (sentence) => {
      if (this.pushes.get(channel.id) === push) this.end(channel.id, sentence);
    };
    return push;
  }

  private takeOver(push: Push): void {
    this.reconnectWindows.close(push);
    const { abort } = push;
    // Gone before it is told, so that its end no longer counts.
    push.abort = undefined;
    abort?.('Another connection took over');
    push.stream.resume();
  }

  private publication(push: Push, abort: (reason: string) => void): Publication {
    return push.stream.publication({
      isHeld: () => push.abort === abort,
      onMedia: () => {
        push.mediaAt = this.options.monotonicMs();
      },
      onEnd: (how) => (how === 'ended' ? this.close(push) : this.awaitReturn(push)),
    });
  }

  private awaitReturn(push: Push): void {
    push.abort = undefined;
    this.reconnectWindows.open(push, Math.max(0, this.windowMs(push)));
  }

  private close(push: Push): void {
    this.reconnectWindows.close(push);
    push.abort = undefined;
    if (this.pushes.get(push.stream.channel.id) === push)
      this.pushes.delete(push.stream.channel.id);
    try {
      push.stream.end();
    } catch (error) {
      // Often from a timer, where nobody else would catch it: one stream's trouble is its own.
      this.options.log.error('a stream did not end well', { error });
    }
  }

  /** What is left of its reconnect window. */
  private windowMs(push: Push): number {
    return this.options.reconnectMs - this.silentMs(push);
  }

  private silentMs(push: Push): number {
    return this.options.monotonicMs() - push.mediaAt;
  }
}
