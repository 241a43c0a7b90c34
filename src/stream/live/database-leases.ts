// The leases of pushes where several nodes share a database: taken, renewed every second, given back.
import { createHash } from 'node:crypto';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { heirsAmong, type Nodes, renewEveryMs } from '../../base/nodes/membership.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import {
  ChannelTaken,
  type Lease,
  type LeaseCounts,
  newPushName,
  type PushBefore,
  type PushedChannel,
  type PushLeases,
} from './push-lease.ts';
import {
  type Claimed,
  claimPush,
  holdMs,
  type LetGo,
  letGoOfPush,
  type PushRenewal,
  type PushRow,
  renewPushes,
} from './push-lease-store.ts';

/** How often it is looked whether a holder that another connection waits for still renews. */
const lookEveryMs = 250;
/** Segments that a push may begin before its lease is renewed. Each that nobody used keeps viewers waiting when it is taken. */
const sequencesReserved = 1;

/** What the hub knows of one of its pushes. */
export type HeldPush = Pick<PushRenewal, 'state' | 'silent_ms' | 'discontinuities'> & {
  /** Of the newest segment; undefined before the first. */
  lastSequence: number | undefined;
};

export interface DatabaseLeasesOptions {
  store: Store;
  nodes: Nodes;
  reconnectMs: number;
  now: () => number;
  /** Of a clock that only goes on. */
  monotonicMs: () => number;
  everyMs?: number;
  log: Log;
  /** Undefined where the hub has no push of the channel. */
  look(channel_id: number): HeldPush | undefined;
  /** Another node has what this one held by the lease. */
  onLost(lease: Lease): void;
}

interface Held {
  readonly lease: Lease;
  readonly keyHash: string;
}

export class DatabaseLeases implements PushLeases {
  private readonly options: DatabaseLeasesOptions;

  /** By channel. */
  private readonly held = new Map<number, Held>();
  /** Claims under way, by channel: those who come together get one answer. */
  private readonly claims = new Map<number, { keyHash: string; claim: Promise<Lease> }>();
  /** Those whose segments have begun, and whether all are to be renewed. */
  private changed = new Set<number>();
  private isAllDue = false;
  private readonly renewing = new JoinedWork(() => this.renewAll());
  private readonly timer: ReturnType<typeof setInterval>;
  private isAway = false;
  private readonly counted = { granted: 0, refused: 0, takenOver: 0, lost: 0 };

  constructor(options: DatabaseLeasesOptions) {
    this.options = options;
    this.timer = setInterval(() => this.renew(), options.everyMs ?? renewEveryMs);
  }

  get hasOthers(): boolean {
    return heirsAmong(this.options.nodes).length > 0;
  }

  get counts(): LeaseCounts {
    return { held: this.held.size, ...this.counted };
  }

  async claim(channel: PushedChannel): Promise<Lease> {
    const { id } = channel;
    const held = this.held.get(id);
    // The hub knows whether its publisher gives way.
    const isLive = held && this.options.look(id)?.state === 'live';
    if (isLive && held.keyHash === hashOf(channel)) return held.lease;
    const underWay = this.claims.get(id);
    if (underWay?.keyHash === hashOf(channel)) return await underWay.claim;
    if (underWay) {
      await underWay.claim.catch(() => {});
      return await this.claim(channel);
    }
    const claim = this.take(channel).finally(() => this.claims.delete(id));
    this.claims.set(id, { keyHash: hashOf(channel), claim });
    return await claim;
  }

  async end(lease: Lease, was: 'live' | 'cut'): Promise<boolean> {
    // The row must say first that its publisher was cut: the last word may be on its way.
    if (was === 'cut') await this.renew();
    return await this.release(lease, { was, state: 'ended' });
  }

  async letGo(lease: Lease, lastSequence?: number): Promise<void> {
    await this.release(lease, { was: 'live', state: 'cut', lastSequence });
  }

  /** Says that this node has a push, or all that it has, and learns what it has lost; it does so every second by itself. */
  async renew(lease?: Lease): Promise<void> {
    if (lease) this.changed.add(lease.channel_id);
    else this.isAllDue = true;
    // What has changed since one that is under way began is not in it.
    await this.renewing.settled();
    await this.renewing.run();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing.settled();
  }

  private async release(
    lease: Lease,
    to: Pick<LetGo, 'was' | 'state' | 'lastSequence'>,
  ): Promise<boolean> {
    const { store, nodes, log } = this.options;
    const { channel_id, epoch } = lease;
    if (this.held.get(channel_id)?.lease !== lease) return false;
    this.held.delete(channel_id);
    try {
      const given = { channel_id, node: nodes.node, epoch, ...to };
      const isLetGo = await store.perform(letGoOfPush, given);
      // Taken since it was last renewed.
      if (!isLetGo) this.options.onLost(lease);
      return isLetGo;
    } catch (error) {
      // Nobody can have taken it while the database was away; its row stays as it was.
      log.warn('that a push is let go of could not be written', { channel_id, error });
      return true;
    }
  }

  /** A holder may be renewed once more while another waits: then the channel is taken. */
  private async take(channel: PushedChannel): Promise<Lease> {
    // One that is under way may say that the push is cut.
    await this.renewing.settled();
    const { nodes, monotonicMs } = this.options;
    let watched: { renewals: number; sinceMs: number } | undefined;
    let silentSince: number | undefined;
    for (;;) {
      const claimed = await this.ask(channel, silentSince);
      const { row } = claimed;
      if (claimed.isGranted) return this.granted(channel, claimed);
      const now = monotonicMs();
      watched ??= {
        renewals: row.renewals,
        // A node that could not look itself has seen nobody's signs of life.
        sinceMs: now - Math.min(nodes.silentMs(row.node), nodes.steadyMs(), holdMs),
      };
      if (row.renewals !== watched.renewals) {
        this.counted.refused += 1;
        throw new ChannelTaken('This channel is being published to by another connection');
      }
      const isSilent = now - watched.sinceMs >= holdMs;
      if (isSilent) silentSince = row.renewals;
      else await Bun.sleep(lookEveryMs);
    }
  }

  private ask(channel: PushedChannel, silentSince: number | undefined): Promise<Claimed> {
    const { store, nodes, reconnectMs, now } = this.options;
    return store.perform(claimPush, {
      channel_id: channel.id,
      node: nodes.node,
      key_hash: hashOf(channel),
      push: newPushName(),
      reconnectMs,
      heldEpoch: this.held.get(channel.id)?.lease.epoch,
      silentSince,
      now: now(),
    });
  }

  private granted(channel: PushedChannel, { row, before }: Claimed): Lease {
    const known = this.held.get(channel.id);
    const { push, epoch } = row;
    if (known?.lease.push === push && known.lease.epoch === epoch) return known.lease;
    const lease = {
      ...{ channel_id: channel.id, push, epoch, sequenceMark: row.sequence_mark },
      before: before && pushBefore(row, before),
    };
    this.held.set(channel.id, { lease, keyHash: hashOf(channel) });
    this.counted.granted += 1;
    if (before && before.row.node !== this.options.nodes.node) this.counted.takenOver += 1;
    return lease;
  }

  private async renewAll(): Promise<void> {
    const { store, nodes, log } = this.options;
    const { changed, isAllDue } = this;
    this.changed = new Set();
    this.isAllDue = false;
    const pushes = [...this.held]
      .filter(([channel_id]) => isAllDue || changed.has(channel_id))
      .flatMap(([channel_id, held]) => this.renewal(channel_id, held));
    if (pushes.length === 0) return;
    try {
      const kept = new Set(await store.perform(renewPushes, { node: nodes.node, pushes }));
      this.isAway = false;
      for (const { channel_id, epoch } of pushes)
        if (!kept.has(channel_id)) this.lost(channel_id, epoch);
    } catch (error) {
      // What it has it keeps, until another takes it.
      if (!this.isAway) log.warn('the leases of pushes could not be renewed', { error });
      this.isAway = true;
    }
  }

  private renewal(channel_id: number, { lease }: Held): PushRenewal[] {
    const push = this.options.look(channel_id);
    // One that is being claimed is renewed by that.
    if (!push || this.claims.has(channel_id)) return [];
    const { lastSequence = 0, ...rest } = push;
    const sequence_mark = Math.max(lease.sequenceMark, lastSequence + sequencesReserved);
    return [{ channel_id, epoch: lease.epoch, ...rest, sequence_mark }];
  }

  private lost(channel_id: number, epoch: number): void {
    const lease = this.held.get(channel_id)?.lease;
    if (lease?.epoch !== epoch) return;
    this.held.delete(channel_id);
    this.counted.lost += 1;
    this.options.log.warn('another node has taken the push of a channel', { channel_id, epoch });
    this.options.onLost(lease);
  }
}

function pushBefore(row: PushRow, before: NonNullable<Claimed['before']>): PushBefore {
  return {
    startedAt: row.started_at,
    mediaAt: before.row.media_at,
    discontinuities: row.discontinuities,
    node: before.row.node,
    renewedMark: before.row.sequence_mark,
    isHandedOver: before.isHandedOver,
    show: before.show,
    recorded: before.recorded,
  };
}

/** The key itself stays in its channel's row. */
function hashOf({ stream_key }: PushedChannel): string {
  return createHash('sha256').update(stream_key).digest('hex');
}
