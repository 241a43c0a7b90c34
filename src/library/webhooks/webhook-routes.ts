// An account's webhooks, beside the interface: made, changed, tried out, and the log of their deliveries.
import { get, post, put, remove } from '../../base/api/endpoint.ts';
import { invalidField } from '../../base/api/errors.ts';
import { choice, choices, flag, idMax, integer, periodEnd, text } from '../../base/api/fields.ts';
import { pageSize } from '../../base/api/paging.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { eventTypes } from '../events/event.ts';
import { succeeded } from '../people/person.ts';
import * as logStore from './delivery-log-store.ts';
import type { TargetGuard } from './target-guard.ts';
import { deliveryStates, deliveryView, webhookView, wholeDeliveryView } from './webhook.ts';
import { webhookDocs } from './webhook-docs.ts';
import type { WebhookSender } from './webhook-sender.ts';
import * as webhookStore from './webhook-store.ts';

interface Parts {
  store: Store;
  zone: Zone;
  now: () => number;
  perAccount: number;
  guard: TargetGuard;
  sender: Pick<WebhookSender, 'test' | 'appended'>;
}

export function webhookRoutes(parts: Parts): AnyRoute[] {
  const handlers = {
    listWebhooks,
    createWebhook,
    getWebhook,
    changeWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    listDeliveries,
    getDelivery,
    resendDelivery,
    resendDeliveries,
  };
  return routes({ table: webhookTable(parts.zone), docs: webhookDocs, handlers, parts });
}

const webhookById = {
  params: { webhook_id: integer('webhook id', { min: 1, max: idMax }) },
  absent: 'noWebhook',
} as const;

const deliveryById = {
  params: {
    ...webhookById.params,
    delivery_id: integer('delivery id', { min: 1, max: idMax }),
  },
  absent: 'noWebhook',
} as const;

const url = text('an http: or https: address, without a user name', {
  min: 1,
  max: 2_048,
  trim: true,
  examples: ['https://shop.example.com/footlight'],
});
const events = choices('types of events that it is told of', {
  of: eventTypes,
  examples: [['channel.live', 'show.ended']],
});
const description = text('what it is for', {
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['the shop'],
});

const deliveriesPerPage = { default: 50, max: 200 };
/** What can be sent again. */
const resentStates = ['delivered', 'given_up'] as const;

/** Each is answered by the function of its name. */
function webhookTable(zone: Zone) {
  const id = (description: string) => integer(description, { min: 1, max: idMax });
  const one = '/manage/v1/webhooks/{webhook_id}' as const;
  return {
    listWebhooks: get('/manage/v1/webhooks', 'manage', {}),
    createWebhook: post('/manage/v1/webhooks', 'manage', {
      told: ['description'],
      body: { url, events, description },
      required: ['url', 'events'],
    }),
    getWebhook: get(one, 'manage', webhookById),
    changeWebhook: put(one, 'manage', {
      ...webhookById,
      told: ['description'],
      body: {
        url,
        events,
        description,
        enabled: flag('whether it is sent anything', { cleared: true }),
      },
    }),
    deleteWebhook: remove(one, 'manage', webhookById),
    rotateWebhookSecret: post(`${one}/rotate-secret`, 'manage', { ...webhookById, body: {} }),
    testWebhook: post(`${one}/test`, 'manage', { ...webhookById, body: {} }),
    listDeliveries: get(`${one}/deliveries`, 'manage', {
      ...webhookById,
      query: {
        state: choice('only those of this state', {
          of: ['all', ...deliveryStates],
          cleared: 'all',
        }),
        before: id('`next_before` of the page before'),
        perPage: pageSize(deliveriesPerPage),
      },
    }),
    getDelivery: get(`${one}/deliveries/{delivery_id}`, 'manage', deliveryById),
    resendDelivery: post(`${one}/deliveries/{delivery_id}/resend`, 'manage', {
      ...deliveryById,
      body: {},
    }),
    resendDeliveries: post(`${one}/resend`, 'manage', {
      ...webhookById,
      body: {
        since: periodEnd('only those of events from then on', zone, 'start'),
        until: periodEnd('only those of events until then', zone, 'end'),
        from: id('only this delivery and later ones'),
        to: id('only this delivery and earlier ones'),
        states: choices('only those of these states; absent: given up', {
          of: resentStates,
          examples: [['given_up']],
        }),
      },
    }),
  };
}

type Handle = Handlers<ReturnType<typeof webhookTable>, typeof webhookDocs, Parts>;

const listWebhooks: Handle['listWebhooks'] = async ({ caller }, { store, zone, now }) => {
  const { account_id } = caller;
  const rows = await store.perform(webhookStore.listWebhooks, { account_id });
  const at = { zone, now: now() };
  return { body: { webhooks: rows.map((row) => webhookView(row, at)) } };
};

const createWebhook: Handle['createWebhook'] = async ({ caller, body }, parts) => {
  const { account_id } = caller;
  const { events, description = '' } = body;
  const { perAccount, now } = parts;
  const order = { account_id, events, description, perAccount, now: now() };
  const { id, secret } = await parts.store.perform(webhookStore.createWebhook, {
    ...order,
    url: readUrl(body.url, parts),
  });
  return { body: { secret, ...(await shown(id, caller, parts)) } };
};

const getWebhook: Handle['getWebhook'] = async ({ caller, params }, parts) => ({
  body: await shown(params.webhook_id, caller, parts),
});

const changeWebhook: Handle['changeWebhook'] = async ({ caller, params, body }, parts) => {
  const { account_id } = caller;
  const { webhook_id: id } = params;
  const url = body.url === undefined ? undefined : readUrl(body.url, parts);
  await parts.store.perform(webhookStore.changeWebhook, { ...body, account_id, id, url });
  parts.sender.appended([account_id]);
  return { body: await shown(id, caller, parts) };
};

const deleteWebhook: Handle['deleteWebhook'] = async ({ caller, params }, { store }) => {
  const named = { account_id: caller.account_id, id: params.webhook_id };
  if (!(await store.perform(webhookStore.removeWebhook, named)))
    throw webhookStore.noWebhook(params.webhook_id);
  return succeeded;
};

const rotateWebhookSecret: Handle['rotateWebhookSecret'] = async ({ caller, params }, parts) => {
  const named = { account_id: caller.account_id, id: params.webhook_id, now: parts.now() };
  const secret = await parts.store.perform(webhookStore.rotateWebhookSecret, named);
  return { body: { secret, ...(await shown(params.webhook_id, caller, parts)) } };
};

const testWebhook: Handle['testWebhook'] = async ({ caller, params }, parts) => {
  const { store, zone, now, sender } = parts;
  const named = { account_id: caller.account_id, webhook_id: params.webhook_id };
  const webhook = await logStore.signingWebhook(store.for(ofAccount(caller)), named);
  const tested = await sender.test(webhook);
  const id = await store.perform(logStore.noteTest, { ...named, ...tested, now: now() });
  const row = await store.perform(logStore.findDelivery, { ...named, id });
  return { body: wholeDeliveryView(row, { zone }) };
};

const listDeliveries: Handle['listDeliveries'] = async ({ caller, params, query }, parts) => {
  const { store, zone } = parts;
  const { state = 'all', before, perPage = deliveriesPerPage.default } = query;
  const rows = await store.perform(logStore.listDeliveries, {
    account_id: caller.account_id,
    webhook_id: params.webhook_id,
    state: state === 'all' ? undefined : state,
    before,
    limit: perPage + 1,
  });
  const shown = rows.slice(0, perPage);
  return {
    body: {
      deliveries: shown.map((row) => deliveryView(row, { zone })),
      next_before: rows.length > perPage ? (shown.at(-1)?.id ?? null) : null,
    },
  };
};

const getDelivery: Handle['getDelivery'] = async ({ caller, params }, { store, zone }) => {
  const { webhook_id, delivery_id: id } = params;
  const named = { account_id: caller.account_id, webhook_id, id };
  return { body: wholeDeliveryView(await store.perform(logStore.findDelivery, named), { zone }) };
};

const resendDelivery: Handle['resendDelivery'] = async ({ caller, params }, parts) => {
  const { store, zone, now, sender } = parts;
  const { webhook_id, delivery_id } = params;
  const named = { account_id: caller.account_id, webhook_id };
  const again = { ...named, id: delivery_id, now: now() };
  const id = await store.perform(logStore.resendDelivery, again);
  sender.appended([caller.account_id]);
  return {
    body: deliveryView(await store.perform(logStore.findDelivery, { ...named, id }), { zone }),
  };
};

const resendDeliveries: Handle['resendDeliveries'] = async ({ caller, params, body }, parts) => {
  const { since, until, from, to, states = ['given_up'] } = body;
  if (since != null && until != null && since > until)
    throw invalidField('since', 'since must not be after until');
  const { count, next } = await parts.store.perform(logStore.resendSpan, {
    account_id: caller.account_id,
    webhook_id: params.webhook_id,
    since: since ?? undefined,
    // The end's whole second belongs to the span.
    until: until == null ? undefined : until + 999,
    from,
    to,
    states,
    now: parts.now(),
  });
  parts.sender.appended([caller.account_id]);
  return { body: { count, next_from: next ?? null } };
};

/** As it is kept: in its one spelling. */
function readUrl(given: string, { guard }: Parts): string {
  const read = guard.read(given);
  if ('url' in read) return read.url.href;
  throw invalidField('url', `url ${read.refused}`);
}

async function shown(id: number, { account_id }: { account_id: number }, parts: Parts) {
  const { store, zone, now } = parts;
  const [row] = await store.perform(webhookStore.listWebhooks, { account_id, id });
  if (!row) throw webhookStore.noWebhook(id);
  return webhookView(row, { zone, now: now() });
}
