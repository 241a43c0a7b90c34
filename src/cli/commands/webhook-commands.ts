// `footlight webhook list|create|delete|enable|disable|test|deliveries|resend`.
import { createFirstAccount } from '../../library/access/account-store.ts';
import { eventTypes } from '../../library/events/event.ts';
import {
  findDelivery,
  listDeliveries,
  noteTest,
  resendDelivery,
  resendSpan,
  signingWebhook,
} from '../../library/webhooks/delivery-log-store.ts';
import { TargetClient } from '../../library/webhooks/target-client.ts';
import { TargetGuard } from '../../library/webhooks/target-guard.ts';
import {
  deliveryStates,
  deliveryView,
  webhookView,
  wholeDeliveryView,
} from '../../library/webhooks/webhook.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
} from '../../library/webhooks/webhook-store.ts';
import { tryTest } from '../../library/webhooks/webhook-try.ts';
import { type Command, command, type Run } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { notFound, UsageError } from '../parts/exit-codes.ts';
import { needed, option, usually, word } from '../parts/option.ts';
import { exact, id, name, oneOf, someOf, whole } from '../parts/value-kinds.ts';

/** Read at a time. */
const pageRows = 500;

const which = word(id, 'the webhook id', 'Which webhook; webhook list says which there are.');

export const webhookCommands: readonly Command[] = [
  command({
    name: 'webhook list',
    audit: 'nothing',
    sentence: 'Webhooks, without their secrets.',
    options: { account: option(whole, 'Only those of this account.') },
    examples: ['webhook list --account 2'],
    run: async ({ account: account_id }, run) => {
      const rows = await withStore(run, (store) => store.perform(listWebhooks, { account_id }));
      const at = { zone: run.config.zone, now: Date.now() };
      await run.out.all(
        rows.map((row) => ({ account_id: row.account_id, ...webhookView(row, at) })),
        ['id', 'account_id', 'url', 'enabled', 'events'],
      );
    },
  }),
  command({
    name: 'webhook create',
    audit: 'webhooks',
    sentence: 'Tell an address of events; its secret is printed once, alone on the last line.',
    words: { url: word({ ...exact, value: 'URL' }, 'the address', 'Where events are sent to.') },
    options: {
      events: needed(
        someOf(eventTypes, 'event'),
        `Of what it is told, of ${eventTypes.join(', ')}.`,
      ),
      account: usually(whole, '1', 'Of which account.'),
      description: option(name, 'What it is for, for who reads the list.'),
    },
    examples: ['webhook create https://shop.example.com/hook --events show.ended,video.ready'],
    run: async ({ url, events, account: account_id, description = '' }, run) => {
      const read = guardOf(run).read(url);
      if ('refused' in read) throw new UsageError(`the address ${read.refused}`);
      const now = Date.now();
      const { perAccount } = run.config.bounds.webhook;
      const order = { account_id, url: read.url.href, description, events, perAccount, now };
      const { id, secret } = await withStore(run, async (store) => {
        await store.perform(createFirstAccount, { now });
        return await store.perform(createWebhook, order);
      });
      const { out } = run;
      if (out.isJson) await out.line({ id, account_id, url: order.url, events, secret });
      else {
        await out.remark(`webhook ${id} of account ${account_id}; its secret is not shown again:`);
        await out.text(secret);
      }
    },
  }),
  command({
    name: 'webhook delete',
    audit: 'webhooks',
    sentence: 'Remove a webhook with its log; what waits is not sent.',
    words: { id: which },
    examples: ['webhook delete 3'],
    run: async ({ id }, run) => {
      const isRemoved = await withStore(run, (store) => store.perform(removeWebhook, { id }));
      if (!isRemoved) throw notFound(`there is no webhook ${id}`);
      await run.out.thing({ id, deleted: true });
    },
  }),
  switchCommand('enable', 'Let a webhook go on with what waits, now.'),
  switchCommand('disable', 'Send a webhook nothing until it is enabled again.'),
  command({
    name: 'webhook test',
    audit: 'webhooks',
    sentence: 'Send a webhook.test from this machine, once, and print what came back.',
    words: { id: which },
    examples: ['webhook test 3'],
    run: async ({ id: webhook_id }, run) => {
      const client = new TargetClient({ guard: guardOf(run) });
      const row = await withStore(run, async (store) => {
        const webhook = await signingWebhook(store, { webhook_id });
        const tested = await tryTest(webhook, { client, now: Date.now });
        const named = { account_id: webhook.account_id, webhook_id };
        const id = await store.perform(noteTest, { ...named, ...tested, now: Date.now() });
        return await store.perform(findDelivery, { ...named, id });
      });
      await run.out.thing(wholeDeliveryView(row, run.config));
      return row.state === 'delivered' ? 0 : 1;
    },
  }),
  command({
    name: 'webhook deliveries',
    audit: 'nothing',
    sentence: 'The log of a webhook, the newest first.',
    words: { id: which },
    options: { state: option(oneOf(deliveryStates), 'Only those.') },
    examples: ['webhook deliveries 3 --state given_up'],
    run: async ({ id: webhook_id, state }, run) => {
      const list = run.out.list<ReturnType<typeof deliveryView>>([
        ...(['id', 'created_at', 'type', 'state', 'tries', 'status', 'problem'] as const),
      ]);
      await withStore(run, async (store) => {
        for (let before: number | undefined; ; ) {
          const page = { webhook_id, state, before, limit: pageRows };
          const rows = await store.perform(listDeliveries, page);
          await list.add(rows.map((row) => deliveryView(row, run.config)));
          if (rows.length < pageRows) return;
          before = rows.at(-1)?.id;
        }
      });
      await list.end();
    },
  }),
  command({
    name: 'webhook resend',
    audit: 'webhooks',
    sentence: 'Send a delivery again, or those of a span; up to 1,000 at once.',
    more: 'Of a span it says how many, and from which to go on.',
    words: { id: which },
    options: {
      delivery: option(id, 'Which delivery; this or --from must be given.'),
      from: option(id, 'From this delivery on.'),
      to: option(id, 'Up to this one.'),
      state: usually(oneOf(['given_up', 'delivered']), 'given_up', 'Of a span, those alone.'),
    },
    examples: ['webhook resend 3 --delivery 118', 'webhook resend 3 --from 100'],
    run: async ({ id: webhook_id, delivery, from, to, state }, run) => {
      if ((delivery === undefined) === (from === undefined))
        throw new UsageError('either --delivery or --from must be given');
      const now = Date.now();
      const resent = await withStore(run, async (store) => {
        if (delivery !== undefined) {
          const id = await store.perform(resendDelivery, { webhook_id, id: delivery, now });
          return { id, resent: delivery };
        }
        const span = { webhook_id, from, to, since: undefined, until: undefined, now };
        const { count, next } = await store.perform(resendSpan, { ...span, states: [state] });
        return { count, next_from: next ?? null };
      });
      await run.out.thing(resent);
    },
  }),
];

function switchCommand(verb: 'enable' | 'disable', sentence: string): Command {
  return command({
    name: `webhook ${verb}`,
    audit: 'webhooks',
    sentence,
    words: { id: which },
    examples: [`webhook ${verb} 3`],
    run: async ({ id }, run) => {
      const enabled = verb === 'enable';
      await withStore(run, (store) => store.perform(changeWebhook, { id, enabled }));
      await run.out.thing({ id, enabled });
    },
  });
}

/** The service's own ports, as far as the settings say them. */
function guardOf({ config }: Run): TargetGuard {
  const { webhookPrivateTargets: allowed, port, rtmpPort } = config;
  return new TargetGuard({ allowed, ownPorts: () => [port, rtmpPort] });
}
