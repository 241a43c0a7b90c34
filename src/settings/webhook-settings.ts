// Settings of webhooks: whither they may lead, how many there are, how long their log is kept.
import { Networks } from '../base/lib/ip-address.ts';
import { type WebhookBounds, webhookBounds } from '../library/webhooks/webhook-limits.ts';
import { type Settings, type SettingsOf, whole } from './setting.ts';

export const webhookSettings = {
  webhookPrivateTargets: {
    variable: 'WEBHOOK_PRIVATE_TARGETS',
    default: '',
    sentence:
      'Private addresses and networks that webhooks may be sent to, such as `10.1.0.0/16, 127.0.0.1`, or `all`; empty for public ones only. It is looked at when a connection is made.',
    read: privateTargets,
  },
} satisfies Settings;

export const webhookBoundSettings: SettingsOf<WebhookBounds> = {
  perAccount: {
    variable: 'WEBHOOKS_PER_ACCOUNT',
    default: String(webhookBounds.perAccount),
    sentence: 'Webhooks that an account may have.',
    read: whole(0, 1_000),
  },
  pendingMax: {
    variable: 'WEBHOOK_PENDING',
    default: String(webhookBounds.pendingMax),
    sentence:
      'Deliveries of one webhook that may wait; further events wait in the outbox, as long as it keeps them.',
    read: whole(1, 1_000_000),
  },
  logDays: {
    variable: 'WEBHOOK_LOG_DAYS',
    default: String(webhookBounds.logDays),
    sentence: 'Deliveries are in the log of their webhook for so many days.',
    read: whole(1, 3_650),
  },
};

/** As it stands: it is only looked at whether it can be read. */
function privateTargets(value: string): string {
  if (value !== 'all') new Networks(value);
  return value;
}
