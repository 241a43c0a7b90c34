// What `/openapi.json` says of webhooks.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { success } from '../people/person.ts';
import { deliveryStates, disabledReasons } from './webhook.ts';
import { webhookLimits } from './webhook-limits.ts';

const text = (description: string) => z.string().meta({ description });
const count = (description: string) => z.int().meta({ description });

const webhookFields = {
  id: z.int(),
  url: text(
    'whither events are sent; its query may hold a secret, and is shown to the account alone',
  ),
  description: text('what it is for; may be empty'),
  events: z.array(z.string()).meta({ description: 'types of events that it is told of' }),
  enabled: z.boolean(),
  disabled_reason: z.enum(disabledReasons).meta({
    description:
      'why nothing is sent to it: `by_owner`; `gone`, where it answered 410; `failing`, where no try has succeeded for five days; `restored`, where a backup was restored so. Empty while it is enabled',
  }),
  created_at: z.string(),
  old_secret_until: text('until when the secret before signs too; empty where none does'),
  last_success_at: text('empty where there was none'),
  failing_since: text('of the first try that failed since the last success; empty where none has'),
  pending: count('deliveries that wait'),
  missed: count(
    'events of the account that were older than events are kept when it came to them, whatever their type',
  ),
};

const webhookAnswer = z.object(webhookFields).meta({ title: 'Webhook' });

const webhookExample = {
  id: 3,
  url: 'https://shop.example.com/footlight',
  description: 'the shop',
  events: ['channel.live', 'show.ended'],
  enabled: true,
  disabled_reason: '' as const,
  created_at: '2026-05-01 09:00:41',
  old_secret_until: '',
  last_success_at: '2026-05-01 19:31:31',
  failing_since: '',
  pending: 0,
  missed: 0,
};

const secret = text(
  'what requests are signed with, as Standard Webhooks says: it is shown this once',
);
const secretExample = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

const deliveryFields = {
  id: z.int(),
  event_id: text(
    '`webhook-id` of the request, the same however often it is sent; empty of a notice',
  ),
  type: text('of the event; `webhook.test`, and of notices `webhook.disabled` or `webhook.missed`'),
  channel_id: count('0 for none'),
  is_resend: z.boolean(),
  is_test: z.boolean(),
  state: z.enum(deliveryStates).meta({
    description:
      'pending: it is tried, or waits for those of its channel before it. given_up: three days after its first try. notice: what became of the webhook itself, in `problem`',
  }),
  tries: z.int(),
  created_at: z.string(),
  tried_at: text('the last try; empty before the first'),
  next_try_at: text('not before then; empty where it is not put off'),
  done_at: text('empty while it is pending'),
  status: count('of the last answer; 0 where there was none'),
  took_ms: count('the last try, in milliseconds'),
  problem: text('why the last try failed; empty where it did not'),
};

const deliveryAnswer = z.object(deliveryFields).meta({ title: 'WebhookDelivery' });

const deliveryExample = {
  id: 812,
  event_id: 'evt_3xQk0sJcV9hTzR4yLwN1aP',
  type: 'channel.live',
  channel_id: 112,
  is_resend: false,
  is_test: false,
  state: 'delivered' as const,
  tries: 1,
  created_at: '2026-05-01 19:29:58',
  tried_at: '2026-05-01 19:29:58',
  next_try_at: '',
  done_at: '2026-05-01 19:29:58',
  status: 204,
  took_ms: 42,
  problem: '',
};

const headers = z.array(z.object({ name: z.string(), value: z.string() }));

const wholeDelivery = z
  .object({
    ...deliveryFields,
    request: z.object({ headers, body: z.string() }).meta({ description: 'as it was last sent' }),
    answer: z.object({ headers, body: z.string() }).meta({
      description: `the last one: the first ${webhookLimits.keptBodyChars} characters of its body, and as many of its headers as fit into ${webhookLimits.keptHeaderChars}`,
    }),
  })
  .meta({ title: 'WholeWebhookDelivery' });

const wholeExample = {
  ...deliveryExample,
  request: {
    headers: [
      { name: 'webhook-id', value: 'evt_3xQk0sJcV9hTzR4yLwN1aP' },
      { name: 'webhook-timestamp', value: '1777663798' },
      { name: 'webhook-signature', value: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' },
    ],
    body: '{"type":"channel.live","timestamp":"2026-05-01T19:29:58.204Z","data":{"channel_id":112,"show_id":40,"begin":"2026-05-01T19:29:58.204Z"}}',
  },
  answer: { headers: [{ name: 'content-length', value: '0' }], body: '' },
};

export const webhookDocs = {
  listWebhooks: docs({
    summary: "List the account's webhooks, the newest first",
    answer: z.object({ webhooks: z.array(webhookAnswer) }),
    example: { webhooks: [webhookExample] },
  }),
  createWebhook: docs({
    summary: 'Make a webhook: from now on its address is sent the events of these types',
    note: 'Requests are as Standard Webhooks 1.0 says; `webhooks` of this document has what each type tells. Any 2xx is success, and nothing is followed elsewhere; 15 seconds, and 64 KB of the answer are read. What fails is tried again for three days, each time later, five minutes at most. The events of a channel come in their order. Private addresses are refused, unless the operator allows them (`WEBHOOK_PRIVATE_TARGETS`).',
    answer: z.object({ secret, ...webhookFields }).meta({ title: 'MadeWebhook' }),
    example: { secret: secretExample, ...webhookExample, last_success_at: '' },
    errors: ['noUser', 'noPermission'],
  }),
  getWebhook: docs({
    summary: 'Get a webhook',
    answer: webhookAnswer,
    example: webhookExample,
  }),
  changeWebhook: docs({
    summary: 'Change a webhook, disable it, or enable it again',
    note: 'Where it is enabled again it goes on with what waits, and with the events that are kept (`EVENT_DAYS`). With another address nothing waits for a rest that is left from the one before.',
    answer: webhookAnswer,
    example: webhookExample,
  }),
  deleteWebhook: docs({
    summary: 'Remove a webhook with its log; what waits is not sent',
    answer: success,
    example: { result: 'success' as const },
  }),
  rotateWebhookSecret: docs({
    summary: 'Make a new secret for a webhook',
    note: 'For 24 hours requests are signed with both, the new one first.',
    answer: z.object({ secret, ...webhookFields }).meta({ title: 'MadeWebhook' }),
    example: {
      secret: secretExample,
      ...webhookExample,
      old_secret_until: '2026-05-02 09:00:41',
    },
  }),
  testWebhook: docs({
    summary: 'Send a `webhook.test` to a webhook now, once, and see what comes back',
    note: `Also while it is disabled. Whatever comes back changes nothing about the webhook. An account may have ${webhookLimits.testsAtOnce} under way.`,
    answer: wholeDelivery,
    example: {
      ...wholeExample,
      type: 'webhook.test',
      channel_id: 0,
      is_test: true,
      request: {
        ...wholeExample.request,
        body: '{"type":"webhook.test","timestamp":"2026-05-01T19:29:58.204Z","data":{"webhook_id":3}}',
      },
    },
  }),
  listDeliveries: docs({
    summary: "List a webhook's deliveries, the newest first",
    note: 'They are kept for some days (`WEBHOOK_LOG_DAYS`), and the last 10,000 of a webhook; what waits is kept until it was sent or given up.',
    answer: z
      .object({
        deliveries: z.array(deliveryAnswer),
        next_before: z
          .int()
          .nullable()
          .meta({ description: '`before` for older ones; null where there are none' }),
      })
      .meta({ title: 'WebhookDeliveries' }),
    example: { deliveries: [deliveryExample], next_before: null },
  }),
  getDelivery: docs({
    summary: 'Get a delivery, with what was sent and what came back last',
    answer: wholeDelivery,
    example: wholeExample,
    errors: ['noDelivery'],
  }),
  resendDelivery: docs({
    summary: 'Send a delivery again: the same event with the same `webhook-id`',
    note: 'Events that come meanwhile do not wait for it.',
    answer: deliveryAnswer,
    example: {
      ...deliveryExample,
      id: 813,
      is_resend: true,
      state: 'pending' as const,
      tries: 0,
      tried_at: '',
      done_at: '',
      status: 0,
      took_ms: 0,
    },
    errors: ['noDelivery', 'tooManyResends'],
  }),
  resendDeliveries: docs({
    summary: 'Send the deliveries of a span again, in their order',
    note: `At most ${webhookLimits.resendMax} in one call; a delivery that waits to be sent again is not taken a second time, and what was sent again is not itself sent again.`,
    answer: z
      .object({
        count: count('how many will be sent again'),
        next_from: z
          .int()
          .nullable()
          .meta({ description: '`from` for those that are left; null where none is' }),
      })
      .meta({ title: 'Resent' }),
    example: { count: 12, next_from: null },
    errors: ['tooManyResends'],
  }),
};
