// One webhook while it is worked on: its lanes, what is under way, and when it may be left alone.
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import type { FairPlaces } from '../../base/turns/fair-places.ts';
import { sweepDeliveries } from './delivery-sweep-store.ts';
import {
  deliveryToSend,
  type Finished,
  finishTry,
  type LaneHead,
  laneHeads,
} from './delivery-try-store.ts';
import { spreadEvents } from './event-spread-store.ts';
import type { TargetClient } from './target-client.ts';
import type { TryOutcome } from './target-store.ts';
import { lanes } from './webhook.ts';
import { type HeldWebhook, holdWebhook, letGoWebhook } from './webhook-lease-store.ts';
import { webhookLimits } from './webhook-limits.ts';
import { type Signed, tryDelivery } from './webhook-try.ts';

export interface DeliveryCounts {
  delivered: number;
  /** Tries that failed; the delivery waits for the next. */
  failed: number;
  given_up: number;
  /** Webhooks that were disabled because of what their target did. */
  disabled: number;
}

export interface TargetRunOptions {
  store: Store;
  client: TargetClient;
  places: FairPlaces;
  counts: DeliveryCounts;
  /** Of this service; no other has it. */
  node: string;
  pendingMax: number;
  now: () => number;
  log: Log;
  /** No more is begun. */
  isStopping: () => boolean;
  /** What is under way ends. */
  stopping: AbortSignal;
}

interface Lane extends LaneHead {
  isUnderWay: boolean;
  /** It was looked at while it was under way: what comes next in it may be newer than what its end says. */
  isOld: boolean;
}

export class TargetRun {
  readonly webhook_id: number;
  readonly account_id: number;
  private readonly options: TargetRunOptions;

  private readonly lanes = new Map<string, Lane>();
  private held: HeldWebhook | undefined;
  private heldAt = 0;
  /** What its owner has said, as far as it was followed. */
  private asked: number | undefined;
  private isToSpread = true;
  private isToRefresh = true;
  /** There are more lanes than are held. */
  private isMore = false;
  /** When a lane that is not held may be tried. */
  private nextAt: number | null = null;
  private isFull = false;
  private underWay = { main: 0, sessions: 0 };
  private wakeUp = () => {};
  private isWoken = false;
  private finishedCount = 0;
  private failure: { error: unknown } | undefined;

  constructor({ id, account_id }: { id: number; account_id: number }, options: TargetRunOptions) {
    this.webhook_id = id;
    this.account_id = account_id;
    this.options = options;
  }

  /** There may be new events. */
  news(): void {
    this.isToSpread = true;
    this.wake();
  }

  wake(): void {
    this.isWoken = true;
    this.wakeUp();
  }

  /** Until there is nothing to be done now, or it is another's. True where there may be events since. */
  async run(): Promise<boolean> {
    try {
      while (await this.hold()) {
        if (!this.options.isStopping() && !this.failure) {
          await this.spread();
          await this.refresh();
          this.begin();
        }
        if (this.failure) throw this.failure.error;
        if (!this.isIdle) await this.rest();
        else if (this.mayLetGo && (await this.letGo())) break;
      }
      return this.isToSpread;
    } finally {
      // Disabled, removed, taken over, or the database is away: what is under way finds out by itself.
      while (!this.isIdle) await this.rest();
    }
  }

  private get mayLetGo(): boolean {
    return this.options.isStopping() || !(this.isToSpread || this.isToRefresh);
  }

  private get isIdle(): boolean {
    return this.underWay.main + this.underWay.sessions === 0;
  }

  private get lease() {
    const { account_id, webhook_id } = this;
    return { account_id, webhook_id, leased_by: this.options.node };
  }

  /** The lease is taken, or renewed when a third of it has gone, or when something was said of the webhook. */
  private async hold(): Promise<boolean> {
    const { store, now } = this.options;
    if (this.held && now() - this.heldAt < webhookLimits.leaseMs / 3) return true;
    const held = await store.perform(holdWebhook, { ...this.lease, now: now() });
    if (held && held.asked !== this.asked) {
      this.asked = held.asked;
      this.isToSpread = true;
      this.isToRefresh = true;
    }
    this.held = held;
    this.heldAt = now();
    return held !== undefined;
  }

  private async spread(): Promise<void> {
    const { store, pendingMax, now } = this.options;
    while (this.isToSpread && !this.options.isStopping()) {
      this.isToSpread = false;
      const spread = await store.perform(spreadEvents, { ...this.lease, pendingMax, now: now() });
      if (!spread) return;
      if (spread.added > 0) this.isToRefresh = true;
      this.isFull = spread.isFull;
      if (spread.isMore && !spread.isFull) this.isToSpread = true;
    }
  }

  /** Of the lanes those that may be tried now. */
  private async refresh(): Promise<void> {
    const { store, now } = this.options;
    const isDue = this.nextAt !== null && this.nextAt <= now();
    const isOut = this.isMore && this.lanes.size <= this.underWay.main + this.underWay.sessions;
    if (!this.isToRefresh && !isDue && !isOut) return;
    this.isToRefresh = false;
    const { account_id, webhook_id } = this;
    const limit = webhookLimits.heldLanesMax;
    const heads = await store.perform(laneHeads, { account_id, webhook_id, now: now(), limit });
    this.isMore = heads.isMore;
    this.nextAt = heads.next_at;
    for (const lane of this.lanes.values())
      if (lane.isUnderWay) lane.isOld = true;
      else this.lanes.delete(lane.lane);
    for (const head of heads.due)
      if (!this.lanes.has(head.lane))
        this.lanes.set(head.lane, { ...head, isUnderWay: false, isOld: false });
  }

  /** As many as may be at once; where all have failed, one, and each time another. */
  private begin(): void {
    const { held } = this;
    if (!held || held.try_after > this.options.now()) return;
    const isFailing = held.failures >= webhookLimits.failuresMax;
    const { lanesMax, sessionLanesMax } = webhookLimits;
    while (this.underWay.main < lanesMax && !(isFailing && !this.isIdle)) {
      const lane = this.nextLane((name) => isFailing || !lanes.isSessions(name));
      if (!lane) break;
      this.send(lane);
    }
    while (!isFailing && this.underWay.sessions < sessionLanesMax) {
      const lane = this.nextLane(lanes.isSessions);
      if (!lane) break;
      this.send(lane);
    }
  }

  /** Of those that are due the one whose last try is longest ago: one that always fails keeps no other from its turn. */
  private nextLane(isMeant: (name: string) => boolean): Lane | undefined {
    const now = this.options.now();
    let found: Lane | undefined;
    for (const lane of this.lanes.values()) {
      if (lane.isUnderWay || lane.try_after > now || !isMeant(lane.lane)) continue;
      const isBefore =
        !found ||
        lane.tried_at < found.tried_at ||
        (lane.tried_at === found.tried_at && lane.id < found.id);
      if (isBefore) found = lane;
    }
    return found;
  }

  private send(lane: Lane): void {
    const kind = lanes.isSessions(lane.lane) ? 'sessions' : 'main';
    lane.isUnderWay = true;
    this.underWay[kind] += 1;
    const { places } = this.options;
    const asker = { whose: ofAccount(this) };
    places
      .run(asker, () => this.deliver(lane))
      .catch((error) => {
        if (this.options.stopping.aborted) return;
        // The run ends with it: what was sent may not be known to have been, and must not go out over and over.
        this.failure = { error };
      })
      .finally(() => {
        lane.isUnderWay = false;
        this.underWay[kind] -= 1;
        this.wake();
      });
  }

  private async deliver(lane: Lane): Promise<void> {
    const { store, node, client, now, stopping } = this.options;
    if (this.options.isStopping()) return;
    const order = await deliveryToSend(store.for(ofAccount(this)), {
      id: lane.id,
      leased_by: node,
      now: now(),
    });
    if (!order) return this.forget();
    const outcome = await tryDelivery(order, { client, now, stopping });
    const given = { ...this.lease, id: lane.id, outcome, random: Math.random(), now: now() };
    const finished = await store.perform(finishTry, given);
    if (!finished) return this.forget();
    this.note(lane, finished);
    this.tell(order, outcome, finished);
    this.finishedCount += 1;
    if (this.finishedCount % webhookLimits.sweepRows === 0) await this.trim();
  }

  /** Its log grows with what it is sent, which may be much between two sweeps. */
  private async trim(): Promise<void> {
    const { webhook_id } = this;
    await this.options.store.perform(sweepDeliveries, { webhook_id, before: 0 });
  }

  /** What is known of it is old. */
  private forget(): void {
    this.held = undefined;
    this.isToRefresh = true;
  }

  private note(lane: Lane, { next, failures, try_after, disabled }: Finished): void {
    if (next && next.try_after <= this.options.now()) Object.assign(lane, next);
    else {
      this.lanes.delete(lane.lane);
      if (next) this.nextAt = Math.min(this.nextAt ?? next.try_after, next.try_after);
      else if (lane.isOld) this.isToRefresh = true;
    }
    lane.isOld = false;
    if (disabled !== '') this.forget();
    else if (this.held) Object.assign(this.held, { failures, try_after });
    // There is room again, for some at once.
    if (this.isFull && this.lanes.size === 0) this.isToSpread = true;
  }

  private tell(order: Signed, outcome: TryOutcome, finished: Finished): void {
    const { counts, log } = this.options;
    const { webhook_id } = this;
    if (finished.state === 'delivered') counts.delivered += 1;
    else if (finished.state === 'given_up') counts.given_up += 1;
    else counts.failed += 1;
    // The path and the query of an address may hold a secret.
    const { host } = new URL(order.url);
    const { status, problem } = outcome;
    if (finished.state === 'given_up')
      log.warn('an event was given up', { webhook_id, host, event: order.event_id, problem });
    if (finished.disabled === '') return;
    counts.disabled += 1;
    log.warn('a webhook was disabled', { webhook_id, host, reason: finished.disabled, status });
  }

  /** False where there is something to be done after all. */
  private async letGo(): Promise<boolean> {
    const { held } = this;
    if (!held) return false;
    const { store, now } = this.options;
    const next = this.lanes.size > 0 ? 0 : this.nextAt;
    const work_at = next === null ? null : Math.max(next, held.try_after);
    if (work_at !== null && work_at <= now() && !this.options.isStopping()) return false;
    const given = { ...this.lease, asked: held.asked, work_at };
    if (await store.perform(letGoWebhook, given)) return true;
    this.forget();
    return false;
  }

  /** Until something has ended or was said; at the latest when the lease is to be renewed. */
  private async rest(): Promise<void> {
    if (!this.isWoken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wakeUp = resolve;
      const timer = setTimeout(resolve, webhookLimits.leaseMs / 3);
      await promise;
      clearTimeout(timer);
      this.wakeUp = () => {};
    }
    this.isWoken = false;
  }
}
