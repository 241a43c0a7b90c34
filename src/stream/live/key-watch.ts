// Cuts publishers whose key is no longer their channel's.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Hub, keyChanged } from './hub.ts';
import { changedKeys } from './live-store.ts';

/** A changed publish key cuts its publisher within 5 s. */
const everyMs = 2_000;

export function startKeyWatch({ store, hub, log }: { store: Store; hub: Hub; log: Log }): {
  stop(): void;
} {
  const timer = setInterval(async () => {
    try {
      // Also of those that have not sent a picture yet: they hold the channel too.
      const channels = hub.streams.map(({ channel }) => channel);
      await hub.endAll(await changedKeys(store, channels), keyChanged);
    } catch (error) {
      log.warn('publish keys could not be compared', { error });
    }
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
