// The sender against real receivers on both engines: order, retries, rests, leases, what is given up and what is disabled.
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { engines } from '../../../test/support/engines.ts';
import { seeded } from '../../../test/support/random.ts';
import { openTestStore } from '../../../test/support/store.ts';
import {
  type Received,
  startReceiver,
  type WebhookReceiver,
} from '../../../test/support/webhook-receiver.ts';
import { appendOutbox, withOutbox } from '../../base/db/outbox.ts';
import { type AnyOperation, type OutboxEntry, type Sql, write } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import type { NewEvent } from '../events/event.ts';
import { appendEvents } from '../events/event-store.ts';
import {
  findDelivery,
  listDeliveries,
  resendDelivery,
  resendSpan,
  signingWebhook,
} from './delivery-log-store.ts';
import { deliveryToSend, laneHeads } from './delivery-try-store.ts';
import { spreadEvents } from './event-spread-store.ts';
import { TargetClient } from './target-client.ts';
import { TargetGuard } from './target-guard.ts';
import { askedRestMs, backOffMs } from './target-rest.ts';
import type { WebhookRow } from './webhook.ts';
import { holdWebhook } from './webhook-lease-store.ts';
import { webhookLimits } from './webhook-limits.ts';
import { WebhookSender, type WebhookSenderOptions } from './webhook-sender.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
} from './webhook-store.ts';
import { sweepLogs } from './webhook-sweep.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const log = startLog('silent');

const tell = write('test.tell', async (sql: Sql, events: NewEvent[]) => appendEvents(sql, events));
const forget = write('test.forget', async (sql: Sql) => {
  for (const table of ['webhooks', 'webhook_deliveries', 'events'])
    await sql.run(`DELETE FROM ${table}`);
});
const drop = write('test.drop', async (sql: Sql, seq: number) => {
  await sql.run('DELETE FROM events WHERE seq <= $1', [seq]);
});

/** Spreads, while another write commits an event as soon as it has been seen that there is none. */
const spreadMeanwhile = write(
  'test.spreadMeanwhile',
  async (sql: Sql, given: Parameters<typeof spreadEvents.run>[1]) => {
    let isTold = false;
    const all: Sql['all'] = async (text, params) => {
      const rows = await sql.all(text, params);
      if (text.includes('FROM events WHERE') && rows.length === 0 && !isTold) {
        isTold = true;
        const entries: OutboxEntry[] = [];
        appendEvents(withOutbox(sql, entries), [deleted(1, 'late')]);
        await appendOutbox(sql, entries);
      }
      return rows as never;
    };
    return await spreadEvents.run({ ...sql, all }, given);
  },
);

test('rests grow to five minutes, are never longer, and chance shortens them', () => {
  const rests = [1, 2, 3, 4, 5, 6, 100].map((failures) => backOffMs(failures, 0));
  expect(rests).toEqual([5_000, 15_000, 60_000, 180_000, 300_000, 300_000, 300_000]);
  expect(backOffMs(5, 1)).toBe(225_000);
  const asked = (status: number, value: string) =>
    askedRestMs({ status, headers: [['retry-after', value]] }, 1_000_000);
  expect(asked(429, '7')).toBe(7_000);
  expect(asked(503, '99999')).toBe(300_000);
  expect(asked(503, new Date(1_060_000).toUTCString())).toBe(60_000);
  expect(asked(500, '7')).toBeUndefined();
  expect(asked(429, 'soon')).toBeUndefined();
});

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine, [
      tell,
      forget,
      drop,
      spreadMeanwhile,
    ] as AnyOperation[]);
    const clock = { now: Date.now() };
    let receivers: WebhookReceiver[] = [];
    let senders: WebhookSender[] = [];

    beforeEach(async () => {
      await store.perform(forget, undefined);
      clock.now = Date.now();
    });
    afterEach(async () => {
      await Promise.all([...senders, ...receivers].map((one) => one.stop()));
      senders = [];
      receivers = [];
    });
    afterAll(() => store.close());

    const receiving = () => {
      const receiver = startReceiver();
      receivers.push(receiver);
      return receiver;
    };
    const sending = (given: Partial<WebhookSenderOptions> = {}) => {
      const guard = new TargetGuard({ allowed: '127.0.0.1', ownPorts: () => [] });
      const sender = new WebhookSender({
        store,
        client: new TargetClient({ guard, tryMs: 5_000 }),
        node: 'here',
        pendingMax: 10_000,
        now: () => clock.now,
        log,
        lookEveryMs: Number.POSITIVE_INFINITY,
        ...given,
      });
      senders.push(sender);
      return sender;
    };
    const make = ({ url }: { url: string }, account_id = 1) =>
      store.perform(createWebhook, {
        ...{ account_id, url, description: '', perAccount: 20, now: clock.now },
        events: ['channel.deleted', 'audience.session.ended'],
      });
    const happen = (channel_id: number, name: string) =>
      store.perform(tell, [deleted(channel_id, name)]);
    const only = async (id: number) => (await store.perform(listWebhooks, { id }))[0] as WebhookRow;
    const logOf = (webhook_id: number) =>
      store.perform(listDeliveries, {
        ...{ webhook_id, state: undefined, before: undefined, limit: 1_000 },
      });
    const states = async (webhook_id: number) =>
      (await logOf(webhook_id)).reverse().map(({ state }) => state);
    /** A round now, and more until nothing can be done before this much has passed, as time goes by. */
    const passing = async (sender: WebhookSender, ms: number, stepMs: number) => {
      const end = clock.now + ms;
      for (; clock.now <= end; clock.now += stepMs) await sender.round();
    };

    test('events that were asked for come signed, in order, once, and those from before do not', async () => {
      await happen(1, 'before');
      const receiver = receiving();
      const { id, secret } = await make(receiver);
      await happen(1, 'a');
      await store.perform(tell, [
        { type: 'channel.live', account_id: 1, manager_id: 0, data: live },
        deleted(2, 'b'),
        ended(1),
      ]);
      const sender = sending();
      await sender.round();
      await sender.round();
      expect(namesOf(receiver).sort()).toEqual(['a', 'audience.session.ended', 'b']);
      for (const { body, headers } of receiver.received)
        expect(new Webhook(secret).verify(body, headers)).toMatchObject({
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        });
      const { body, headers } = receiver.received[0] as Received;
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
      expect(headers['webhook-id']).toMatch(/^evt_/);
      expect(sender.counts).toEqual({ delivered: 3, failed: 0, given_up: 0, disabled: 0 });
      expect(await only(id)).toMatchObject({ pending: 0, missed: 0, failing_since: null });
      expect(await states(id)).toEqual(['delivered', 'delivered', 'delivered']);
    });

    test('for a day after a new secret both sign, then the new one alone', async () => {
      const receiver = receiving();
      const { id, secret: old } = await make(receiver);
      const secret = await store.perform(rotateWebhookSecret, { id, now: clock.now });
      const sender = sending();
      await happen(1, 'a');
      await sender.round();
      const { body, headers } = receiver.received[0] as Received;
      for (const either of [old, secret]) new Webhook(either).verify(body, headers);
      clock.now += dayMs;
      await happen(1, 'b');
      await sender.round();
      const signatures = receiver.received.map((one) => one.headers['webhook-signature'] ?? '');
      expect(signatures.map((text) => text.split(' ').length)).toEqual([2, 1]);
    });

    test('a target that is down for a day gets everything afterwards, in order, and the same bytes each time', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const sender = sending();
      let isDown = true;
      receiver.answer = () => new Response('', { status: isDown ? 500 : 200 });
      for (const name of ['a1', 'a2', 'a3']) await happen(1, name);
      for (const name of ['b1', 'b2']) await happen(2, name);
      let last = clock.now;
      let longest = 0;
      const begun = clock.now;
      // The first hour by the minute, then by the hour.
      for (
        ;
        clock.now < begun + dayMs;
        clock.now += clock.now < begun + 60 * minuteMs ? minuteMs : 60 * minuteMs
      ) {
        const before = receiver.received.length;
        await sender.round();
        if (receiver.received.length === before) continue;
        if (clock.now < begun + 60 * minuteMs) longest = Math.max(longest, clock.now - last);
        last = clock.now;
      }
      // To the minute that the test looks at it.
      expect(longest).toBeLessThanOrEqual(webhookLimits.backOffMaxMs + minuteMs);
      expect(await only(id)).toMatchObject({ enabled: 1, pending: 5, last_success_at: null });
      const tries = receiver.received.length;
      expect(new Set(namesOf(receiver))).toEqual(new Set(['a1', 'b1']));
      isDown = false;
      clock.now += webhookLimits.backOffMaxMs;
      await sender.round();
      const names = receiver.received.slice(tries).map(nameOf);
      expect(names.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
      expect(names.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2']);
      const firsts = receiver.received.filter((one) => nameOf(one) === 'a1');
      expect(new Set(firsts.map(({ body }) => body)).size).toBe(1);
      expect(new Set(firsts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(firsts.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(
        firsts.length,
      );
      expect(await only(id)).toMatchObject({ pending: 0, failing_since: null });
    });

    test('an event that always fails holds up its channel alone, is given up after three days, and can be sent again', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const sender = sending();
      let isPoison = true;
      receiver.answer = (one) =>
        new Response('', { status: isPoison && nameOf(one) === 'poison' ? 500 : 200 });
      await happen(1, 'poison');
      await happen(1, 'after');
      const ends = clock.now + webhookLimits.giveUpMs + 3 * 60 * minuteMs;
      for (let at = 0; clock.now < ends; at += 1) {
        if (at % 10 === 0) await happen(2, `other ${at}`);
        await sender.round();
        clock.now += 60 * minuteMs;
      }
      const names = namesOf(receiver).filter((name) => name !== 'poison');
      const others = names.filter((name) => name !== 'after');
      expect(others).toEqual(others.map((_, at) => `other ${at * 10}`));
      expect(names.at(-1)).toBe('after');
      const [poison] = (await logOf(id)).filter(({ state }) => state === 'given_up');
      expect(poison).toMatchObject({ status: 500, problem: 'it answered 500' });
      expect(sender.counts.given_up).toBe(1);
      isPoison = false;
      const again = await store.perform(resendDelivery, {
        ...{ webhook_id: id, id: poison?.id ?? 0, now: clock.now },
      });
      await sender.round();
      expect(receiver.received.at(-1)).toMatchObject({
        headers: { 'webhook-id': poison?.event_id ?? '' },
        data: { name: 'poison' },
      });
      expect(await store.perform(findDelivery, { webhook_id: id, id: again })).toMatchObject({
        state: 'delivered',
        tries: 1,
      });
    });

    test('however tries fail, each event comes when the one before it in its channel was accepted', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const sender = sending();
      const random = seeded(18);
      const accepted = new Map<unknown, number>();
      const problems: string[] = [];
      receiver.answer = (one) => {
        const [channel, number] = [one.data['channel_id'], Number(nameOf(one))];
        const last = accepted.get(channel) ?? 0;
        if (number !== last + 1) problems.push(`${channel}: ${number} behind ${last}`);
        const chance = random.next();
        if (chance < 0.2) return new Response('', { status: 500 });
        if (chance < 0.25) return Response.redirect(receiver.url, 302);
        if (chance < 0.3) return new Response('', { status: 429, headers: { 'retry-after': '1' } });
        accepted.set(channel, number);
        return new Response('', { status: 202 });
      };
      for (let at = 0; at < 60; at += 1) {
        await happen(at % 6, `${Math.floor(at / 6) + 1}`);
        if (random.next() < 0.3) await sender.round();
      }
      for (let left = 60; left > 0; left = (await only(id)).pending) {
        clock.now += minuteMs;
        await sender.round();
      }
      expect(problems).toEqual([]);
      expect([...accepted.values()]).toEqual([10, 10, 10, 10, 10, 10]);
      expect(sender.counts.failed).toBeGreaterThan(5);
    });

    test('where all have failed one is tried at a time, each time another', async () => {
      const receiver = receiving();
      await make(receiver);
      const sender = sending();
      receiver.answer = () => new Response('', { status: 500 });
      for (let channel = 1; channel <= 8; channel += 1) await happen(channel, `of ${channel}`);
      await sender.round();
      const first = receiver.received.length;
      expect(first).toBeLessThan(webhookLimits.lanesMax + webhookLimits.failuresMax);
      for (let at = 1; at <= 8; at += 1) {
        clock.now += webhookLimits.backOffMaxMs;
        await sender.round();
        expect(receiver.received.length).toBe(first + at);
        // Those that were not tried yet come before the others.
        if (first + at <= 8) expect(new Set(namesOf(receiver)).size).toBe(first + at);
      }
      expect(new Set(namesOf(receiver)).size).toBe(8);
    });

    test('410 disables at once; enabled again it goes on with what waits and what has happened since', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const sender = sending();
      receiver.answer = () => new Response('', { status: 410 });
      await happen(1, 'a');
      await sender.round();
      expect(await only(id)).toMatchObject({ enabled: 0, disabled_reason: 'gone', pending: 1 });
      await happen(1, 'b');
      clock.now += dayMs;
      await sender.round();
      expect(namesOf(receiver)).toEqual(['a']);
      const notice = (await logOf(id)).find(({ state }) => state === 'notice');
      expect(notice).toMatchObject({ type: 'webhook.disabled' });
      expect(notice?.problem).toContain('410');
      receiver.answer = () => new Response('', { status: 200 });
      await store.perform(changeWebhook, { id, enabled: true });
      await sender.round();
      expect(namesOf(receiver)).toEqual(['a', 'a', 'b']);
      expect(await only(id)).toMatchObject({ enabled: 1, disabled_reason: '', pending: 0 });
    });

    test('a target that fails for five days without a success is disabled, and says so', async () => {
      const { id } = await make({ url: 'http://127.0.0.1:1/' });
      const sender = sending();
      await happen(1, 'a');
      await passing(sender, webhookLimits.disableMs - dayMs, dayMs / 2);
      expect(await only(id)).toMatchObject({ enabled: 1 });
      await happen(1, 'b');
      await passing(sender, 2 * dayMs, dayMs / 4);
      expect(await only(id)).toMatchObject({ enabled: 0, disabled_reason: 'failing' });
      expect((await logOf(id)).map(({ state }) => state)).toContain('given_up');
      expect(sender.counts.disabled).toBe(1);
    });

    test('a target that asks to be left alone is, as long as it says, up to five minutes', async () => {
      const receiver = receiving();
      await make(receiver);
      const sender = sending();
      receiver.answer = () => new Response('', { status: 429, headers: { 'retry-after': '120' } });
      await happen(1, 'a');
      await sender.round();
      await happen(2, 'b');
      clock.now += 119_000;
      await sender.round();
      expect(namesOf(receiver)).toEqual(['a']);
      receiver.answer = () => new Response('', { status: 200 });
      clock.now += 1_000;
      await sender.round();
      expect(namesOf(receiver).sort()).toEqual(['a', 'a', 'b']);
    });

    test('a slow target delays itself alone', async () => {
      const slow = receiving();
      const quick = receiving();
      await make(slow);
      await make(quick);
      const hold = Promise.withResolvers<void>();
      slow.answer = async () => {
        await hold.promise;
        return new Response('', { status: 200 });
      };
      const sender = sending();
      for (let at = 0; at < 30; at += 1) await happen(at % 10, `${at}`);
      const round = sender.round();
      await quick.heard(30);
      await slow.heard(webhookLimits.lanesMax);
      expect(slow.received.length).toBe(webhookLimits.lanesMax);
      hold.resolve();
      await round;
      expect(slow.received.length).toBe(30);
    });

    test('sessions that have ended, however slowly they are taken, do not delay the rest', async () => {
      const receiver = receiving();
      await make(receiver);
      const hold = Promise.withResolvers<void>();
      receiver.answer = async ({ type }) => {
        if (type === 'audience.session.ended') await hold.promise;
        return new Response('', { status: 200 });
      };
      const sender = sending();
      await store.perform(tell, [ended(1), ended(2), ended(3), ended(1)]);
      for (let at = 0; at < 12; at += 1) await happen(at % 6, `${at}`);
      const round = sender.round();
      await receiver.heard(12 + webhookLimits.sessionLanesMax);
      expect(namesOf(receiver).filter((name) => /^\d/.test(name)).length).toBe(12);
      hold.resolve();
      await round;
      expect(receiver.received.length).toBe(16);
    });

    test('two services never work on one webhook at once; a lease that ran out is taken over', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      await happen(1, 'a');
      const lease = { account_id: 1, webhook_id: id, leased_by: 'elsewhere' };
      expect(await store.perform(holdWebhook, { ...lease, now: clock.now })).toBeDefined();
      // It has made deliveries of all there is, and is killed.
      await store.perform(spreadEvents, { ...lease, pendingMax: 10, now: clock.now });
      const sender = sending();
      await sender.round();
      expect(receiver.received).toEqual([]);
      clock.now += webhookLimits.leaseMs;
      await sender.round();
      expect(namesOf(receiver)).toEqual(['a']);
    });

    test('an event that is committed while it is looked whether there are any is not passed over', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const lease = { account_id: 1, webhook_id: id, leased_by: 'here' };
      await store.perform(holdWebhook, { ...lease, now: clock.now });
      await store.perform(spreadMeanwhile, { ...lease, pendingMax: 10, now: clock.now });
      await sending().round();
      expect(namesOf(receiver)).toEqual(['late']);
      expect(await only(id)).toMatchObject({ missed: 0 });
    });

    test('nothing is sent without a lease that outlasts the request', async () => {
      const { id } = await make(receiving());
      await happen(1, 'a');
      const { now } = clock;
      const lease = { account_id: 1, webhook_id: id, leased_by: 'here' };
      await store.perform(holdWebhook, { ...lease, now });
      await store.perform(spreadEvents, { ...lease, pendingMax: 10, now });
      const { due } = await store.perform(laneHeads, { ...lease, now, limit: 10 });
      const order = { id: due[0]?.id ?? 0, leased_by: 'here' };
      const latest = now + webhookLimits.leaseMs - webhookLimits.leaseLeftMs;
      expect(webhookLimits.leaseLeftMs).toBeGreaterThan(webhookLimits.tryMs);
      expect(await deliveryToSend(store, { ...order, now: latest })).toBeDefined();
      expect(await deliveryToSend(store, { ...order, now: latest + 1 })).toBeUndefined();
      const other = { ...order, leased_by: 'elsewhere', now };
      expect(await deliveryToSend(store, other)).toBeUndefined();
      await store.perform(changeWebhook, { id, enabled: false });
      expect(await deliveryToSend(store, { ...order, now })).toBeUndefined();
    });

    test('several services share the work: each event once, in order', async () => {
      const receiver = receiving();
      for (const path of ['/one', '/two']) await make({ url: receiver.url + path });
      const both = [sending({ node: 'one' }), sending({ node: 'two' })];
      const rounds: Promise<void>[] = [];
      for (let at = 10; at < 50; at += 1) {
        await happen(at % 4, `${at}`);
        rounds.push(...both.map((sender) => sender.round()));
      }
      await Promise.all(rounds);
      await both[0]?.round();
      const lanes = Map.groupBy(receiver.received, ({ path, data }) => path + data['channel_id']);
      expect(lanes.size).toBe(8);
      for (const lane of lanes.values()) {
        expect(lane.length).toBe(10);
        expect(lane.map(nameOf)).toEqual(lane.map(nameOf).sort());
      }
    });

    test('with as many waiting as may, events wait in the outbox; those that are gone by then are counted', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      receiver.answer = () => new Response('', { status: 500 });
      const sender = sending({ pendingMax: 3 });
      const names = Array.from({ length: 8 }, (_, at) => `${at}`);
      for (const name of names) await happen(1, name);
      await sender.round();
      expect(await only(id)).toMatchObject({ pending: 3 });
      const first =
        (await store.one<{ seq: number }>('SELECT MIN(seq) AS seq FROM events'))?.seq ?? 0;
      // The three that wait, and two that nobody has looked at.
      await store.perform(drop, first + 4);
      receiver.answer = () => new Response('', { status: 200 });
      clock.now += webhookLimits.backOffMaxMs;
      await sender.round();
      await sender.round();
      expect(namesOf(receiver).slice(1)).toEqual(['0', '1', '2', '5', '6', '7']);
      expect(await only(id)).toMatchObject({ pending: 0, missed: 2 });
      const notice = (await logOf(id)).find(({ type }) => type === 'webhook.missed');
      expect(notice?.problem).toStartWith('2 events');
    });

    test('of tests few wait at once, and what is asked for beyond them is refused at once', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const go = Promise.withResolvers<void>();
      receiver.answer = async () => {
        await go.promise;
        return new Response('');
      };
      const sender = sending();
      const webhook = await signingWebhook(store, { account_id: 1, webhook_id: id });
      const tests = Array.from({ length: webhookLimits.testsAtOnce }, () => sender.test(webhook));
      await expect(sender.test(webhook)).rejects.toThrow('are under way');
      go.resolve();
      expect((await Promise.all(tests)).every(({ outcome }) => outcome.isDelivered)).toBe(true);
      expect((await sender.test(webhook)).outcome.isDelivered).toBe(true);
    });

    test('a span is sent again in its order with the ids it had, and the log is swept', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const sender = sending();
      for (const name of ['a', 'b', 'c']) await happen(name === 'b' ? 2 : 1, name);
      await sender.round();
      const [, second] = (await logOf(id)).reverse();
      const nothing = { since: undefined, until: undefined, from: undefined, to: undefined };
      const given = { ...nothing, webhook_id: id, now: clock.now };
      const asked = { ...given, from: second?.id, states: ['delivered'] as const };
      expect(await store.perform(resendSpan, { ...given, states: ['given_up'] })).toEqual({
        count: 0,
        next: undefined,
      });
      expect(await store.perform(resendSpan, asked)).toMatchObject({ count: 2 });
      // Those that wait are not taken once more.
      expect(await store.perform(resendSpan, asked)).toMatchObject({ count: 0 });
      await sender.round();
      const again = receiver.received.slice(3);
      const known = (await logOf(id)).reverse().slice(0, 3);
      expect(again.map(({ headers }) => headers['webhook-id'])).toEqual(
        known.slice(1).map(({ event_id }) => event_id),
      );
      await sweepLogs({ store, now: () => clock.now + 13 * dayMs, logDays: 14 });
      expect((await logOf(id)).length).toBe(5);
      await sweepLogs({ store, now: () => clock.now + 15 * dayMs, logDays: 14 });
      expect(await logOf(id)).toEqual([]);
    });

    test('a removed webhook is sent nothing more, and its deliveries are swept', async () => {
      const { id } = await make({ url: 'http://127.0.0.1:1/' });
      const sender = sending();
      await happen(1, 'a');
      await sender.round();
      expect(await store.perform(removeWebhook, { account_id: 2, id })).toBe(false);
      expect(await store.perform(removeWebhook, { account_id: 1, id })).toBe(true);
      clock.now += dayMs;
      await sender.round();
      expect(sender.counts.failed).toBe(1);
      await sweepLogs({ store, now: () => clock.now, logDays: 14 });
      expect(await store.all('SELECT id FROM webhook_deliveries')).toEqual([]);
    });

    test('what cannot be written down is not sent over and over', async () => {
      const receiver = receiving();
      await make(receiver);
      let isAway = true;
      const sender = sending({
        store: {
          ...store,
          perform: (operation, input) => {
            if (isAway && operation.name === 'webhooks.finish')
              return Promise.reject(new Error('the database is away'));
            return store.perform(operation, input);
          },
        },
      });
      await happen(1, 'a');
      await sender.round();
      await sender.round();
      expect(namesOf(receiver)).toEqual(['a']);
      isAway = false;
      clock.now += webhookLimits.troubleMs;
      await sender.round();
      expect(namesOf(receiver)).toEqual(['a', 'a']);
      expect(sender.counts.delivered).toBe(1);
    });

    test('stopping lets what is under way end, and leaves the rest to the next', async () => {
      const receiver = receiving();
      const { id } = await make(receiver);
      const hold = Promise.withResolvers<void>();
      receiver.answer = async () => {
        await hold.promise;
        return new Response('', { status: 200 });
      };
      const first = sending();
      for (const name of ['a', 'b']) await happen(1, name);
      const round = first.round();
      await receiver.heard(1);
      const stopped = first.stop();
      hold.resolve();
      await Promise.all([round, stopped]);
      expect(await only(id)).toMatchObject({ pending: 1 });
      await sending({ node: 'another' }).round();
      expect(namesOf(receiver)).toEqual(['a', 'b']);
    });
  });
}

const live = { channel_id: 1, show_id: 1, begin: '2026-05-01T19:29:58.204Z' };

function deleted(channel_id: number, name: string): NewEvent {
  return {
    type: 'channel.deleted',
    account_id: 1,
    manager_id: 0,
    data: { channel_id, name, manager_id: 0 },
  };
}

function ended(channel_id: number): NewEvent {
  return {
    type: 'audience.session.ended',
    account_id: 1,
    manager_id: 0,
    data: { channel_id, sessions: [1] },
  };
}

function nameOf({ type, data }: WebhookReceiver['received'][number]): string {
  return typeof data['name'] === 'string' ? data['name'] : type;
}

function namesOf({ received }: WebhookReceiver): string[] {
  return received.map(nameOf);
}
