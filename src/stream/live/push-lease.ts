// The right to a channel's push: one node has it at a time, and a service that is alone always gets it.
import { randomText } from '../../base/lib/secret.ts';
import type { ShowRow } from './show-store.ts';

/** A channel cannot be published to now; the sentence is for the encoder. */
export class ChannelTaken extends Error {}

/** A publisher that has been silent this long gives way to another connection with its key. */
export const takeOverMs = 2_000;

export interface Lease {
  readonly channel_id: number;
  /** The push's own name; the same on every node that has had it. */
  readonly push: string;
  /** Rises with every node that takes the channel; 0 where there is but one. */
  readonly epoch: number;
  /** The highest number of a segment that the channel may have shown before. */
  readonly sequenceMark: number;
  /** What another node has shown of it before; undefined where the push begins here. */
  readonly before: PushBefore | undefined;
}

/** A push that goes on where another node had it. */
export interface PushBefore {
  /** Epoch milliseconds, as is when its last media came. */
  readonly startedAt: number;
  readonly mediaAt: number;
  readonly discontinuities: number;
  /** Which node had it. */
  readonly node: string;
  /** The highest number that its node was to show when it was last heard of. */
  readonly renewedMark: number;
  /** That it let go of it in good order, and has shown no number above the lease's mark. */
  readonly isHandedOver: boolean;
  /** The show that is on; undefined where nothing could be played yet. */
  readonly show: ShowRow | undefined;
  readonly recorded: RecordedBefore;
}

/** What is named of a push's recording, for whoever goes on with it. */
export interface RecordedBefore {
  /** The recording that goes on; undefined where those that there are were closed, and another begins. */
  readonly recording: string | undefined;
  /** Media of the push before what comes now. */
  readonly pushedMs: number;
  /** What the recording has of it so far. */
  readonly durationMs: number;
  readonly segments: number;
}

/** What a claim must know of its channel. */
export interface PushedChannel {
  readonly id: number;
  readonly stream_key: string;
}

/** Since the start. */
export interface LeaseCounts {
  /** Pushes that this node has now. */
  readonly held: number;
  readonly granted: number;
  readonly refused: number;
  /** Of the granted, those that another node had before. */
  readonly takenOver: number;
  /** Another node has taken it. */
  readonly lost: number;
}

/** What the hub asks before a connection publishes, and tells when that is over. */
export interface PushLeases {
  /** Takes the channel's push for this node, which may have it already; throws ChannelTaken where another has. */
  claim(channel: PushedChannel): Promise<Lease>;
  /** Something has changed that whoever takes a push over must know: a segment has begun, or its publisher was cut. */
  renew(lease: Lease): void;
  /** It is over. A push that was cut may be another node's by now: then false. Never rejects. */
  end(lease: Lease, was: 'live' | 'cut'): Promise<boolean> | boolean;
  /** This node has it no more, though it may go on elsewhere: above `lastSequence`, where it has shown anything. */
  letGo(lease: Lease, lastSequence?: number): Promise<void>;
  /** Whether another node could go on with what this one lets go of. */
  readonly hasOthers: boolean;
  /** Undefined where there is nobody to share with. */
  readonly counts: LeaseCounts | undefined;
  stop(): Promise<void>;
}

const pushBits = 96;

export function newPushName(): string {
  return randomText(pushBits);
}

/** Of a push that nobody else can have. */
export function soleLease(channel_id: number): Lease {
  return { channel_id, push: newPushName(), epoch: 0, sequenceMark: 0, before: undefined };
}

/** Those of a service that has its database for itself: its hub knows who publishes. */
export class SoleLeases implements PushLeases {
  readonly hasOthers = false;
  readonly counts = undefined;

  /** By channel. */
  private readonly leases = new Map<number, { stream_key: string; lease: Lease }>();

  async claim(channel: PushedChannel): Promise<Lease> {
    return this.take(channel);
  }

  /** With another publish key the channel's next push begins. */
  take({ id, stream_key }: PushedChannel): Lease {
    const known = this.leases.get(id);
    if (known?.stream_key === stream_key) return known.lease;
    const lease = soleLease(id);
    this.leases.set(id, { stream_key, lease });
    return lease;
  }

  renew(): void {}

  end(lease: Lease): boolean {
    const { channel_id } = lease;
    if (this.leases.get(channel_id)?.lease === lease) this.leases.delete(channel_id);
    return true;
  }

  async letGo(lease: Lease): Promise<void> {
    this.end(lease);
  }

  async stop(): Promise<void> {}
}
