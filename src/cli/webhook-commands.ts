// `footlight webhook list|create|delete|enable|disable|test|deliveries|resend`.
import { createFirstAccount } from '../library/access/account-store.ts';
import { type EventType, eventTypes } from '../library/events/event.ts';
import {
  findDelivery,
  listDeliveries,
  noteTest,
  resendDelivery,
  resendSpan,
  signingWebhook,
} from '../library/webhooks/delivery-log-store.ts';
import { TargetClient } from '../library/webhooks/target-client.ts';
import { TargetGuard } from '../library/webhooks/target-guard.ts';
import {
  deliveryStates,
  deliveryView,
  webhookView,
  wholeDeliveryView,
} from '../library/webhooks/webhook.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
} from '../library/webhooks/webhook-store.ts';
import { tryTest } from '../library/webhooks/webhook-try.ts';
import {
  type Command,
  nameText,
  oneId,
  printLine,
  type RunConfig,
  readOptions,
  required,
  UsageError,
  wholeNumber,
  withStore,
} from './command.ts';

/** Read at a time. */
const pageRows = 500;

export const webhookCommands: Command[] = [
  {
    name: 'webhook list',
    audit: 'nothing',
    usage: 'webhook list [--account N]',
    sentence: 'Webhooks, one JSON line each, without their secrets.',
    run: async (words, config) => {
      const { options } = readOptions(words, ['account']);
      const account_id =
        options.account === undefined ? undefined : wholeNumber(options.account, '--account');
      const rows = await withStore(config, (store) => store.perform(listWebhooks, { account_id }));
      const at = { zone: config.zone, now: Date.now() };
      for (const row of rows) printLine({ account_id: row.account_id, ...webhookView(row, at) });
      return 0;
    },
  },
  {
    name: 'webhook create',
    audit: 'webhooks',
    usage: 'webhook create URL --events a,b [--account N] [--description TEXT]',
    sentence: `Tell an address of events; its secret is printed once, alone on the last line. Events: ${eventTypes.join(', ')}.`,
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['events', 'account', 'description'], {
        rest: ['the address'],
      });
      const read = guardOf(config).read(rest[0] ?? '');
      if ('refused' in read) throw new UsageError(`the address ${read.refused}`);
      const now = Date.now();
      const order = {
        account_id: wholeNumber(options.account ?? '1', '--account'),
        url: read.url.href,
        description:
          options.description === undefined ? '' : nameText(options.description, '--description'),
        events: readEvents(required(options.events, '--events')),
        perAccount: config.bounds.webhook.perAccount,
        now,
      };
      const { id, secret } = await withStore(config, async (store) => {
        await store.perform(createFirstAccount, { now });
        return await store.perform(createWebhook, order);
      });
      console.error(`webhook ${id} of account ${order.account_id}; its secret is not shown again:`);
      console.log(secret);
      return 0;
    },
  },
  {
    name: 'webhook delete',
    audit: 'webhooks',
    usage: 'webhook delete ID',
    sentence: 'Remove a webhook with its log; what waits is not sent.',
    run: async (words, config) => {
      const id = oneId(words, 'the webhook id');
      const isRemoved = await withStore(config, (store) => store.perform(removeWebhook, { id }));
      if (!isRemoved) throw new Error(`there is no webhook ${id}`);
      printLine({ id, deleted: true });
      return 0;
    },
  },
  ...(['enable', 'disable'] as const).map(
    (word): Command => ({
      name: `webhook ${word}`,
      audit: 'webhooks',
      usage: `webhook ${word} ID`,
      sentence:
        word === 'enable'
          ? 'Let a webhook go on with what waits, now.'
          : 'Send a webhook nothing until it is enabled again.',
      run: async (words, config) => {
        const id = oneId(words, 'the webhook id');
        const enabled = word === 'enable';
        await withStore(config, (store) => store.perform(changeWebhook, { id, enabled }));
        printLine({ id, enabled });
        return 0;
      },
    }),
  ),
  {
    name: 'webhook test',
    audit: 'webhooks',
    usage: 'webhook test ID',
    sentence: 'Send a webhook.test from this machine, once, and print what came back.',
    run: async (words, config) => {
      const webhook_id = oneId(words, 'the webhook id');
      const client = new TargetClient({ guard: guardOf(config) });
      const row = await withStore(config, async (store) => {
        const webhook = await signingWebhook(store, { webhook_id });
        const tested = await tryTest(webhook, { client, now: Date.now });
        const named = { account_id: webhook.account_id, webhook_id };
        const id = await store.perform(noteTest, { ...named, ...tested, now: Date.now() });
        return await store.perform(findDelivery, { ...named, id });
      });
      printLine(wholeDeliveryView(row, config));
      return row.state === 'delivered' ? 0 : 1;
    },
  },
  {
    name: 'webhook deliveries',
    audit: 'nothing',
    usage: `webhook deliveries ID [--state ${deliveryStates.join('|')}]`,
    sentence: 'The log of a webhook, the newest first, one JSON line each.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['state'], { rest: ['the webhook id'] });
      const webhook_id = wholeNumber(rest[0] ?? '', 'the webhook id');
      const state = deliveryStates.find((one) => one === options.state);
      if (options.state !== undefined && !state)
        throw new UsageError(`--state must be one of ${deliveryStates.join(', ')}`);
      await withStore(config, async (store) => {
        for (let before: number | undefined; ; ) {
          const page = { webhook_id, state, before, limit: pageRows };
          const rows = await store.perform(listDeliveries, page);
          for (const row of rows) printLine(deliveryView(row, config));
          if (rows.length < pageRows) return;
          before = rows.at(-1)?.id;
        }
      });
      return 0;
    },
  },
  {
    name: 'webhook resend',
    audit: 'webhooks',
    usage: 'webhook resend ID (--delivery N | --from N [--to N] [--state given_up|delivered])',
    sentence:
      'Send a delivery again, or those of a span that were given up; up to 1,000 at once, the next line says what is left.',
    run: async (words, config) => {
      const { options, rest } = readOptions(words, ['delivery', 'from', 'to', 'state'], {
        rest: ['the webhook id'],
      });
      const webhook_id = wholeNumber(rest[0] ?? '', 'the webhook id');
      const number = (name: 'delivery' | 'from' | 'to') =>
        options[name] === undefined ? undefined : wholeNumber(options[name], `--${name}`);
      const [delivery, from, to] = [number('delivery'), number('from'), number('to')];
      const state = options.state ?? 'given_up';
      if (state !== 'given_up' && state !== 'delivered')
        throw new UsageError('--state must be given_up or delivered');
      if ((delivery === undefined) === (from === undefined))
        throw new UsageError('--delivery or --from must be given');
      const now = Date.now();
      await withStore(config, async (store) => {
        if (delivery !== undefined) {
          const id = await store.perform(resendDelivery, { webhook_id, id: delivery, now });
          return printLine({ id, resent: delivery });
        }
        const span = { webhook_id, from, to, since: undefined, until: undefined, now };
        const { count, next } = await store.perform(resendSpan, { ...span, states: [state] });
        printLine({ count, next_from: next ?? null });
      });
      return 0;
    },
  },
];

/** The service's own ports, as far as the settings say them. */
function guardOf(config: RunConfig): TargetGuard {
  const { webhookPrivateTargets: allowed, port, rtmpPort } = config;
  return new TargetGuard({ allowed, ownPorts: () => [port, rtmpPort] });
}

function readEvents(text: string): EventType[] {
  return text.split(',').map((word) => {
    const type = eventTypes.find((one) => one === word.trim());
    if (!type)
      throw new UsageError(`there is no event "${word}"; there are ${eventTypes.join(', ')}`);
    return type;
  });
}
