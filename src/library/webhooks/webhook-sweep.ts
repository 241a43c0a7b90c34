// Rows of webhooks' logs that are old, or too many, go: every hour and at the start, in small steps.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { sweepDeliveries, sweptWebhookAfter } from './delivery-sweep-store.ts';
import { webhookLimits } from './webhook-limits.ts';

interface WebhookSweepOptions {
  store: Store;
  now: () => number;
  log: Log;
  logDays: number;
}

const dayMs = 86_400_000;

export function startWebhookSweep(options: WebhookSweepOptions): Rounds {
  return startRounds(webhookLimits.sweepEveryMs, (signal) =>
    sweepLogs(options, signal).catch((error) =>
      options.log.warn('old deliveries of webhooks could not be removed', { error }),
    ),
  );
}

/** One round over all webhooks, and those that were removed; each step may be done again, or by several services. */
export async function sweepLogs(
  { store, now, logDays }: Omit<WebhookSweepOptions, 'log'>,
  signal?: AbortSignal,
): Promise<void> {
  const before = now() - logDays * dayMs;
  for (let webhook_id: number | undefined = 0; !signal?.aborted; ) {
    webhook_id = await sweptWebhookAfter(store, webhook_id);
    if (webhook_id === undefined) return;
    for (let isMore = true; isMore && !signal?.aborted; ) {
      const startedAt = performance.now();
      isMore = await store.perform(sweepDeliveries, { webhook_id, before });
      // The writer rests for as long as the step took.
      if (isMore) await Bun.sleep(performance.now() - startedAt);
    }
  }
}
