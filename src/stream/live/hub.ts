// Which channels are live: the truth that the channel's row follows.
import { MemoryPool } from '../../base/bytes/memory.ts';
import type { Log } from '../../base/lib/log.ts';
import { dearStep, nextTurn, TurnSlice } from '../../base/turns/turn-slice.ts';
import { isDoneWithin } from '../../base/turns/within.ts';
import { type LiveChannel, LiveStream, type Publication } from './live-stream.ts';
import { ChannelTaken, type Lease, type PushLeases, takeOverMs } from './push-lease.ts';
import { boundlessMeter, type PushMeters } from './push-meter.ts';
import type { PushPace } from './push-pace.ts';
import { ReconnectWindows } from './reconnect-windows.ts';
import type { PushEnding, StreamReader } from './stream-reader.ts';

export interface HubOptions {
  /** The reconnect window: a push that was cut may come back this long after its last media. */
  reconnectMs: number;
  /** Wall time, for what is shown. */
  now: () => number;
  /** Time that only passes, for what is waited. */
  monotonicMs: () => number;
  /** Which node may publish what: asked before a connection is. */
  leases: Omit<PushLeases, 'claim' | 'stop'>;
  /** How often a channel and an account may begin a push. */
  pushPace: PushPace;
  /** Follows each stream from its first packet on. */
  openReader(stream: LiveStream): StreamReader;
  /** Resolves when what was recorded of a push that goes on elsewhere is named; absent where nothing is shared. */
  named?(channelId: number): Promise<void> | undefined;
  /** The highest number of a segment that a stream has shown; undefined before the first. */
  lastShown?(stream: LiveStream): number | undefined;
  /** What a push may do and hold; without it there is no bound. */
  meters?: PushMeters;
  log: Log;
}

const stopping = 'The service is stopping';
/** A stop does not wait longer: then the rest is ended at once. */
const inTurnsForMs = 2_000;
/** An encoder is not kept longer for what was recorded, which can be named later, and for its lease. */
const namedWithinMs = 1_000;
const letGoWithinMs = 500;
export const keyChanged = 'The publish key of this channel was changed';
export const channelDeleted = 'This channel was deleted';
const takenElsewhere = 'This channel is being published to on another node';

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
  private readonly reconnectWindows = new ReconnectWindows<Push>((push) => this.giveUp(push));
  private isStopping = false;

  constructor(options: HubOptions) {
    this.options = options;
  }

  /**
   * Takes the channel for one connection, which `abort` ends, by the lease that this node has of it; throws ChannelTaken,
   * PushedTooOften or PushCut.
   */
  publish(channel: LiveChannel, lease: Lease, abort: (reason: string) => void): Publication {
    this.checkOpen();
    this.endOlder(channel, lease);
    const known = this.pushes.get(channel.id);
    if (known?.abort && this.silentMs(known) < takeOverMs)
      throw new ChannelTaken('This channel is being published to by another connection');
    known?.stream.meter.goOn();
    const push = known ?? this.open(channel, lease);
    if (known) this.takeOver(known);
    push.abort = abort;
    push.mediaAt = this.options.monotonicMs();
    return this.publication(push, abort);
  }

  /** Throws ChannelTaken where the service stops: asked before a channel is claimed, which another node may do by now. */
  checkOpen(): void {
    if (this.isStopping) throw new ChannelTaken(stopping);
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

  /** For how long nothing has come of a push; undefined where there is none. */
  silentMsOf(channelId: number): number | undefined {
    const push = this.pushes.get(channelId);
    return push && this.silentMs(push);
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
    if (push) this.cutOff(push, { how: 'over', reason });
  }

  /** Another node has the push: it goes on there. */
  lost(channelId: number): void {
    const push = this.pushes.get(channelId);
    if (push) this.cutOff(push, { how: 'taken', reason: takenElsewhere });
  }

  /** The same for several. */
  async endAll(channelIds: readonly number[], reason: string): Promise<void> {
    await inTurns(channelIds, (id) => this.end(id, reason));
  }

  /** Ends every push here; none begins any more. Where there are other nodes they go on with it. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const pushes = [...this.pushes.values()];
    if (!this.options.leases.hasOthers) {
      await inTurns(pushes, (push) => this.cutOff(push, { how: 'over', reason: stopping }));
      return;
    }
    const handedOver: Promise<void>[] = [];
    await inTurns(pushes, (push) => handedOver.push(this.handOver(push)));
    await Promise.all(handedOver);
  }

  /** Whoever takes it must not wait, and finds all of it: so the encoder is sent away last. */
  private async handOver(push: Push): Promise<void> {
    const { abort, stream } = push;
    this.close(push, 'taken');
    const { leases, named, lastShown } = this.options;
    await isDoneWithin(named?.(stream.channel.id), namedWithinMs);
    await isDoneWithin(leases.letGo(stream.lease, lastShown?.(stream)), letGoWithinMs);
    abort?.(stopping);
  }

  /** A publisher with an older key is not the one that the channel is for now, nor is one by an older lease. */
  private endOlder(channel: LiveChannel, lease: Lease): void {
    const known = this.pushes.get(channel.id)?.stream;
    if (known && known.channel.stream_key !== channel.stream_key) this.end(channel.id, keyChanged);
    else if (known && known.lease !== lease) this.lost(channel.id);
  }

  private open(channel: LiveChannel, lease: Lease): Push {
    // Memory first: who is refused for it has begun no push, and is told so.
    const meter = this.options.meters?.open(channel) ?? boundlessMeter();
    let stream: LiveStream;
    try {
      this.options.pushPace.begin(channel, this.options.monotonicMs());
      const startedAt = lease.before?.startedAt ?? this.options.now();
      stream = new LiveStream(channel, startedAt, { pool: this.pool, meter, lease });
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
      onEnd: (how) => (how === 'ended' ? this.close(push, 'over') : this.awaitReturn(push)),
    });
  }

  private awaitReturn(push: Push): void {
    push.abort = undefined;
    this.reconnectWindows.open(push, Math.max(0, this.windowMs(push)));
    this.options.leases.renew(push.stream.lease);
  }

  /** Nobody came back to it here; on another node somebody may have, or it comes back while that is asked. */
  private async giveUp(push: Push): Promise<void> {
    const isOver = this.options.leases.end(push.stream.lease, 'cut');
    const how = (isOver instanceof Promise ? await isOver : isOver) ? 'over' : 'taken';
    if (!push.abort) this.close(push, how, { isEnded: true });
  }

  private cutOff(push: Push, { how, reason }: { how: PushEnding; reason: string }): void {
    const { abort } = push;
    this.close(push, how);
    abort?.(reason);
  }

  private close(push: Push, how: PushEnding, { isEnded = false } = {}): void {
    this.reconnectWindows.close(push);
    const { id } = push.stream.channel;
    push.abort = undefined;
    if (this.pushes.get(id) === push) this.pushes.delete(id);
    if (how === 'over' && !isEnded) this.options.leases.end(push.stream.lease, 'live');
    try {
      push.stream.end(how);
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

/** A few a turn: the last segment of each takes some milliseconds. */
async function inTurns<T>(all: readonly T[], end: (one: T) => void): Promise<void> {
  const atOnceFrom = performance.now() + inTurnsForMs;
  let slice = new TurnSlice();
  for (const one of all) {
    end(one);
    if (!slice.isOver(dearStep) || performance.now() > atOnceFrom) continue;
    await nextTurn();
    slice = new TurnSlice();
  }
}
