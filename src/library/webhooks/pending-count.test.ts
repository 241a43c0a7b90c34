// How many deliveries of a webhook wait is kept with it: exact whatever happens, in whatever order and by whomever at once.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { type Random, seeded } from '../../../test/support/random.ts';
import { ApiError } from '../../base/api/errors.ts';
import { migrations } from '../../base/db/migrations.ts';
import { type AnyOperation, type Sql, type Store, write } from '../../base/db/sql.ts';
import { migrateDatabase, openCommandStore } from '../../base/db/store.ts';
import { operations } from '../../operations.ts';
import type { NewEvent } from '../events/event.ts';
import { appendEvents } from '../events/event-store.ts';
import { listDeliveries, noteTest, resendDelivery, resendSpan } from './delivery-log-store.ts';
import { sweepDeliveries } from './delivery-sweep-store.ts';
import { finishTry, laneHeads } from './delivery-try-store.ts';
import { spreadEvents } from './event-spread-store.ts';
import type { TryOutcome } from './target-store.ts';
import { holdWebhook } from './webhook-lease-store.ts';
import { webhookLimits } from './webhook-limits.ts';
import { webhooksStanding } from './webhook-standing-store.ts';
import { changeWebhook, createWebhook, removeWebhook } from './webhook-store.ts';
import { sweepLogs } from './webhook-sweep.ts';

const account_id = 1;
const dayMs = 86_400_000;
const types = ['channel.deleted', 'audience.session.ended'] as const;

const tell = write('test.tell', async (sql: Sql, events: NewEvent[]) => appendEvents(sql, events));
const bend = write('test.bend', async (sql: Sql, given: { id: number; pending: number }) => {
  await sql.run('UPDATE webhooks SET pending = $2 WHERE id = $1', [given.id, given.pending]);
});
const openStore = (settings: Parameters<typeof openCommandStore>[0]) =>
  openCommandStore(settings, [...operations, ...([tell, bend] as AnyOperation[])]);

const older = [
  `INSERT INTO accounts (id, name, plan, auto_save_live_video, viewer_secret, created_at)
   VALUES (1, '', 'traffic', 1, '', 0)`,
  ...[901, 902].map(
    (id) => `INSERT INTO webhooks (id, account_id, url, description, events, secret, created_at)
     VALUES (${id}, 1, '', '', '', '', 0)`,
  ),
  ...['pending', 'delivered', 'pending', 'given_up', 'notice'].map(
    (
      state,
    ) => `INSERT INTO webhook_deliveries (webhook_id, lane, of_channel, event_id, type, body, state, created_at)
     VALUES (902, '', 0, '', '', '', '${state}', 0)`,
  ),
];
type StepWords = Parameters<(typeof migrations)[number]['statements']>;

for (const engine of engines) {
  describe(engine.name, async () => {
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = await engine.fresh();
    const settings = { dataDir, databaseUrl, deadlineMs: 10_000, connectionsMax: 1 };
    const stores: Store[] = [];
    afterAll(() => Promise.all(stores.map((store) => store.close())));

    test('what waits already is counted when the database is brought up to date', async () => {
      const steps = migrations.map((step) =>
        step.name === 'how many deliveries wait'
          ? {
              ...step,
              statements: (...given: StepWords) => [...older, ...step.statements(...given)],
            }
          : step,
      );
      await migrateDatabase(settings, steps);
      const store = await openStore(settings);
      stores.push(store);
      expect(await store.all('SELECT id, pending FROM webhooks ORDER BY id')).toEqual([
        { id: 901, pending: 0 },
        { id: 902, pending: 2 },
      ]);
      for (const id of [901, 902]) await store.perform(removeWebhook, { id });
    });

    test('it is what is counted after every step, several services at once', async () => {
      // SQLite has one writer, whose steps stand in a line; PostgreSQL runs them at once.
      const nodes = engine.name === 'postgres' ? 3 : 1;
      while (stores.length < nodes) stores.push(await openStore(settings));
      const [store] = stores as [Store, ...Store[]];
      const random = seeded(20_261_118);
      const world = new World(random);
      for (let round = 0; round < 120; round += 1) {
        await Promise.all(
          stores.map((one, node) => world.step(one, `node ${random.whole(0, node)}`)),
        );
        const rows = await store.all<{ enabled: number; pending: number; counted: number }>(
          `SELECT w.enabled, w.pending, (SELECT COUNT(*) FROM webhook_deliveries d
             WHERE d.webhook_id = w.id AND d.state = 'pending') AS counted FROM webhooks w`,
        );
        expect({ round, pending: rows.map(({ pending }) => pending) }).toEqual({
          round,
          pending: rows.map(({ counted }) => counted),
        });
        const sum = await store.perform(webhooksStanding, { now: world.now });
        const ofEnabled = rows.filter(({ enabled }) => enabled === 1);
        expect(sum.counts.enabled).toBe(ofEnabled.length);
        expect(sum.pending).toBe(ofEnabled.reduce((all, { counted }) => all + counted, 0));
      }
      // Each of them was seen, so none is exact only for want of it.
      for (const seen of ['spread', 'delivered', 'given_up', 'pending', 'lost', 'resent', 'span'])
        expect({ seen, times: world.seen.get(seen) ?? 0 }).not.toEqual({ seen, times: 0 });
    });

    test('one that is wrong all the same is put right by the next sweep', async () => {
      const [store] = stores as [Store, ...Store[]];
      const order = {
        account_id,
        url: 'http://192.0.2.1/',
        description: '',
        perAccount: 50,
        now: 1,
      };
      const { id } = await store.perform(createWebhook, { ...order, events: types });
      await store.perform(bend, { id, pending: 1_000_000 });
      await sweepLogs({ store, now: () => 1, logDays: 14 });
      const rows = await store.all('SELECT pending FROM webhooks WHERE id = $1', [id]);
      expect(rows).toEqual([{ pending: 0 }]);
    });

    test('who measures is told how many wait, since when, and what is due', async () => {
      const [store] = stores as [Store, ...Store[]];
      for (const { id } of await store.all<{ id: number }>('SELECT id FROM webhooks'))
        await store.perform(removeWebhook, { id });
      const none = { counts: { enabled: 0, by_owner: 0, gone: 0, failing: 0, restored: 0 } };
      const now = 1_000_000;
      const standing = (at: number) => store.perform(webhooksStanding, { now: at });
      expect(await standing(now)).toEqual({ ...none, pending: 0, oldest_at: null, due_at: null });
      const order = { account_id, url: 'http://192.0.2.1/', description: '', perAccount: 20, now };
      const made = () => store.perform(createWebhook, { ...order, events: types });
      const [{ id: first }, { id: second }] = [await made(), await made()];
      await store.perform(tell, [deleted(1), deleted(2)]);
      for (const [webhook_id, at] of [
        [first, now],
        [second, now + 50],
      ] as const) {
        const lease = { account_id, webhook_id, leased_by: 'here', now: at };
        await store.perform(holdWebhook, lease);
        await store.perform(spreadEvents, { ...lease, pendingMax: 100 });
      }
      expect(await standing(now + 60)).toEqual({
        counts: { ...none.counts, enabled: 2 },
        ...{ pending: 4, oldest_at: now, due_at: now },
      });
      // One whose first delivery rests is not due before; it still waits.
      const [head] = (
        await store.perform(laneHeads, { account_id, webhook_id: first, now, limit: 1 })
      ).due;
      const lease = { account_id, webhook_id: first, leased_by: 'here', id: head?.id ?? 0 };
      const failed = { ...lease, outcome: outcomeOf('failed', now + 60), random: 0, now: now + 60 };
      await store.perform(finishTry, failed);
      const rested = now + 60 + (webhookLimits.backOffMs[0] ?? 0);
      expect(await standing(now + 100)).toMatchObject({ oldest_at: now, due_at: now + 50 });
      await store.perform(changeWebhook, { id: second, enabled: false });
      expect(await standing(now + 100)).toEqual({
        counts: { ...none.counts, enabled: 1, by_owner: 1 },
        ...{ pending: 2, oldest_at: now, due_at: null },
      });
      expect(await standing(rested + 5)).toMatchObject({ oldest_at: now, due_at: rested });
      // Who takes one after the other is due since the last that it took.
      const outcome = outcomeOf('delivered', rested + 7);
      await store.perform(finishTry, { ...lease, outcome, random: 0, now: rested + 7 });
      expect(await standing(rested + 9)).toMatchObject({ pending: 1, due_at: rested + 7 });
      const gone = outcomeOf('gone', rested + 9);
      const [last] = (
        await store.perform(laneHeads, { account_id, webhook_id: first, now: rested, limit: 1 })
      ).due;
      const again = { ...lease, id: last?.id ?? 0, outcome: gone, random: 0, now: rested + 9 };
      await store.perform(finishTry, again);
      expect(await standing(rested + 9)).toEqual({
        counts: { ...none.counts, by_owner: 1, gone: 1 },
        ...{ pending: 0, oldest_at: null, due_at: null },
      });
    });
  });
}

/** Webhooks to which things happen by chance. */
class World {
  private readonly random: Random;

  now = 1_000_000;
  readonly seen = new Map<string, number>();
  private ids: number[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  /** What may not be done now is refused, and changes nothing. */
  async step(store: Store, leased_by: string): Promise<void> {
    const { random } = this;
    this.now += random.whole(1, 2_000);
    const webhook_id = random.pick(this.ids.length === 0 ? [0] : this.ids);
    const lease = { account_id, webhook_id, leased_by };
    const steps = [
      () => this.make(store),
      () => this.happen(store),
      () => this.happen(store),
      () => this.spread(store, lease),
      () => this.spread(store, lease),
      () => this.try(store, lease),
      () => this.try(store, lease),
      () => this.try(store, lease),
      () => this.resend(store, webhook_id),
      () => this.change(store, webhook_id),
      () => this.sweep(store, webhook_id),
    ];
    try {
      await random.pick(steps)();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  private note(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  private async make(store: Store): Promise<void> {
    const [oldest] = this.ids;
    if (this.ids.length >= 4 && oldest !== undefined) {
      this.ids = this.ids.slice(1);
      await store.perform(removeWebhook, { id: oldest });
    }
    const order = { account_id, url: 'http://192.0.2.1/', description: '', perAccount: 20 };
    const { id } = await store.perform(createWebhook, { ...order, events: types, now: this.now });
    this.ids.push(id);
  }

  private async happen(store: Store): Promise<void> {
    const { random } = this;
    const events = Array.from({ length: random.whole(1, 4) }, () =>
      random.whole(0, 3) === 0 ? ended(random.whole(1, 3)) : deleted(random.whole(1, 3)),
    );
    await store.perform(tell, events);
  }

  private async spread(store: Store, lease: Lease): Promise<void> {
    const pendingMax = this.random.whole(2, 12);
    const { now } = this;
    await store.perform(holdWebhook, { ...lease, now });
    const spread = await store.perform(spreadEvents, { ...lease, pendingMax, now });
    if (spread && spread.added > 0) this.note('spread');
  }

  private async try(store: Store, lease: Lease): Promise<void> {
    const { random } = this;
    const how = random.pick(['delivered', 'delivered', 'failed', 'failed', 'gone'] as const);
    // Now and then so late that it is given up.
    const isLate = random.whole(0, 3) === 0;
    const rounds = random.whole(1, 2);
    const { now } = this;
    await store.perform(holdWebhook, { ...lease, now });
    const given = { ...lease, now: now + dayMs, limit: 1 };
    const [head] = (await store.perform(laneHeads, given)).due;
    if (!head) return;
    for (let round = 0; round < rounds; round += 1) {
      const began = isLate ? now - webhookLimits.giveUpMs : now;
      const outcome = outcomeOf(how, began);
      const finished = await store.perform(finishTry, {
        ...{ ...lease, id: head.id, outcome, random: 0.5, now },
      });
      this.note(finished?.state ?? 'lost');
    }
  }

  private async resend(store: Store, webhook_id: number): Promise<void> {
    const { random, now } = this;
    const kind = random.pick(['one', 'span', 'test'] as const);
    if (kind === 'test') {
      const outcome = outcomeOf('failed', now);
      await store.perform(noteTest, { webhook_id, event_id: 'evt_x', body: '{}', outcome, now });
      return;
    }
    if (kind === 'span') {
      const nothing = { since: undefined, until: undefined, from: undefined, to: undefined };
      const states = ['delivered', 'given_up'] as const;
      const { count } = await store.perform(resendSpan, { webhook_id, ...nothing, states, now });
      if (count > 0) this.note('span');
      return;
    }
    const page = { webhook_id, state: undefined, before: undefined, limit: 20 };
    const rows = await store.perform(listDeliveries, page);
    const id = rows.length === 0 ? 0 : random.pick(rows).id;
    await store.perform(resendDelivery, { webhook_id, id, now });
    this.note('resent');
  }

  private async change(store: Store, id: number): Promise<void> {
    const { random } = this;
    const change = random.pick([
      { enabled: false },
      { enabled: true },
      { enabled: true },
      { url: `http://192.0.2.${random.whole(1, 200)}/` },
      { events: ['channel.deleted'] as const },
      { events: types },
    ]);
    await store.perform(changeWebhook, { id, ...change });
  }

  private async sweep(store: Store, webhook_id: number): Promise<void> {
    const before = this.random.pick([0, this.now]);
    await store.perform(sweepDeliveries, { webhook_id, before });
  }
}

interface Lease {
  account_id: number;
  webhook_id: number;
  leased_by: string;
}

function outcomeOf(how: 'delivered' | 'failed' | 'gone', began_at: number): TryOutcome {
  const status = { delivered: 200, failed: 500, gone: 410 }[how];
  return {
    ...{ isDelivered: how === 'delivered', isGone: how === 'gone', status, began_at },
    ...{ took_ms: 1, request_headers: '', answer_headers: '', answer_body: '', problem: '' },
    restMs: undefined,
  };
}

function deleted(channel_id: number): NewEvent {
  const data = { channel_id, name: 'x', manager_id: 0 };
  return { type: 'channel.deleted', account_id, manager_id: 0, data };
}

function ended(channel_id: number): NewEvent {
  const data = { channel_id, sessions: [1] };
  return { type: 'audience.session.ended', account_id, manager_id: 0, data };
}
