// Sends events to webhooks: finds those with work, works on each by itself, and on all within bounds.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { Counts } from '../../base/lib/counts.ts';
import type { Log } from '../../base/lib/log.ts';
import { FairPlaces } from '../../base/turns/fair-places.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import type { SigningWebhook } from './delivery-log-store.ts';
import type { TargetClient } from './target-client.ts';
import { type DeliveryCounts, TargetRun } from './target-run.ts';
import { freeWebhooks, hasWebhooks, lookForWork } from './webhook-lease-store.ts';
import { webhookLimits } from './webhook-limits.ts';
import { type WebhooksStanding, webhooksStanding } from './webhook-standing-store.ts';
import { type TestedDelivery, tryTest } from './webhook-try.ts';

export interface WebhookSenderOptions {
  store: Store;
  client: TargetClient;
  /** The name of this service: no other runs under it. */
  node: string;
  pendingMax: number;
  now: () => number;
  log: Log;
  /** Other than the usual; `Infinity` where a test says itself when. */
  lookEveryMs?: number;
}

/** What is under way when the service stops may end by itself for so long. */
const stopWithinMs = 3_000;

export class WebhookSender {
  private readonly options: WebhookSenderOptions;

  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, given_up: 0, disabled: 0 };
  private readonly places = new FairPlaces({ placesMax: webhookLimits.placesMax });
  /** By account: those that are under way. */
  private readonly tests = new Counts<string>();
  /** Those that are worked on, by their ids. */
  private readonly runs = new Map<number, { run: TargetRun; ended: Promise<void> }>();
  private readonly looking = new JoinedWork(() => this.lookOnce());
  /** Until when those rest that could not be worked on, by their ids: the database is away, or it is ours. */
  private readonly resting = new Map<number, number>();
  private readonly stopping = new AbortController();
  private isStopping = false;
  private isFree = false;
  private isAway = false;
  private standingAt = 0;
  private lastStanding: WebhooksStanding | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private soon: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WebhookSenderOptions) {
    this.options = options;
  }

  start(): void {
    const { lookEveryMs = webhookLimits.lookEveryMs } = this.options;
    if (lookEveryMs !== Number.POSITIVE_INFINITY)
      this.timer = setInterval(() => void this.looking.run(), lookEveryMs);
    // What was left by the last run.
    this.lookSoon();
  }

  /** Called when this service has committed events of these accounts, or what an owner has said of a webhook. */
  readonly appended = (account_ids: readonly number[]): void => {
    for (const { run } of this.runs.values()) if (account_ids.includes(run.account_id)) run.news();
    this.lookSoon();
  };

  /** How all webhooks on the database stood at the last look; undefined before the first. */
  standing():
    | { counts: WebhooksStanding['counts']; pending: number; pendingAgeMs: number; dueMs: number }
    | undefined {
    if (!this.lastStanding) return undefined;
    const { counts, pending, oldest_at, due_at } = this.lastStanding;
    const since = (at: number | null) => (at === null ? 0 : Math.max(0, this.options.now() - at));
    return { counts, pending, pendingAgeMs: since(oldest_at), dueMs: since(due_at) };
  }

  /** All that can be done now; resolves when it is. */
  async round(): Promise<void> {
    await this.looking.run();
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
  }

  /** What is under way has a while to end; what does not is sent again by whoever comes next. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    clearTimeout(this.soon);
    const timer = setTimeout(() => this.stopping.abort(), stopWithinMs);
    for (const { run } of this.runs.values()) run.wake();
    await this.looking.settled();
    await Promise.all([...this.runs.values()].map(({ ended }) => ended));
    clearTimeout(timer);
  }

  /** Sends an event that is none, at once and once; refused where the account has as many under way as it may. */
  async test(webhook: SigningWebhook): Promise<TestedDelivery> {
    const { client, now } = this.options;
    const { testsAtOnce } = webhookLimits;
    const stopping = this.stopping.signal;
    const whose = ofAccount(webhook);
    // Those who ask may leave, and what they asked for would wait on: none of it is kept for later.
    if (this.tests.of(whose) >= testsAtOnce)
      throw new ApiError('rateLimit', {
        message: `${testsAtOnce} tests of the account's webhooks are under way`,
        headers: { 'Retry-After': '2' },
      });
    this.tests.add(whose, 1);
    try {
      const tried = await this.places.run({ whose }, () =>
        tryTest(webhook, { client, now, stopping }),
      );
      if (!tried) throw new Error('a test of a webhook was given up');
      return tried;
    } finally {
      this.tests.remove(whose, 1);
    }
  }

  /** One look for all that is said within a moment, and after it: what comes while one is under way may be newer. */
  private lookSoon(): void {
    if (this.timer === undefined || this.isStopping) return;
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      void this.looking.settled().then(() => this.looking.run());
    }, webhookLimits.lookSoonMs);
  }

  private async lookOnce(): Promise<void> {
    if (this.isStopping) return;
    const { store, log } = this.options;
    try {
      if (await hasWebhooks(store)) await this.lookForWork();
      await this.lookAtStanding();
      this.isAway = false;
    } catch (error) {
      if (!this.isAway) log.warn('webhooks are not looked after', { error });
      this.isAway = true;
    }
  }

  private async lookForWork(): Promise<void> {
    const { store, node, now } = this.options;
    if (!this.isFree) await store.perform(freeWebhooks, { leased_by: node });
    this.isFree = true;
    // Those that are worked on are among them.
    const limit = webhookLimits.targetsMax + this.runs.size;
    const found = await store.perform(lookForWork, { leased_by: node, now: now(), limit });
    for (const [id, until] of this.resting) if (until <= now()) this.resting.delete(id);
    for (const webhook of found) this.begin(webhook);
  }

  private async lookAtStanding(): Promise<void> {
    const now = this.options.now();
    if (now - this.standingAt < webhookLimits.standingEveryMs) return;
    this.standingAt = now;
    this.lastStanding = await this.options.store.perform(webhooksStanding, { now });
  }

  private begin(webhook: { id: number; account_id: number }): void {
    if (this.isStopping || this.runs.has(webhook.id)) return;
    if (this.resting.has(webhook.id)) return;
    if (this.runs.size >= webhookLimits.targetsMax) return;
    const { lookEveryMs: _, ...options } = this.options;
    const run = new TargetRun(webhook, {
      ...options,
      places: this.places,
      counts: this.counts,
      isStopping: () => this.isStopping,
      stopping: this.stopping.signal,
    });
    this.runs.set(webhook.id, { run, ended: this.follow(run) });
  }

  private async follow(run: TargetRun): Promise<void> {
    const { webhook_id } = run;
    let isNews = false;
    try {
      isNews = await run.run();
    } catch (error) {
      this.options.log.warn('a webhook could not be worked on', { webhook_id, error });
      this.resting.set(webhook_id, this.options.now() + webhookLimits.troubleMs);
    } finally {
      this.runs.delete(webhook_id);
    }
    if (isNews) this.lookSoon();
  }
}
