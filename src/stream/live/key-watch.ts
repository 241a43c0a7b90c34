// Cuts publishers whose key is no longer their channel's, and forgets what is still shown of deleted channels.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import { channelDeleted, type Hub, keyChanged } from './hub.ts';
import { lostAddresses, lostKeys } from './live-store.ts';

/** A changed publish key cuts its publisher within 5 s. */
const everyMs = 2_000;

/** What is shown at play addresses, also for a while after a push. */
export interface PlayAddresses {
  readonly playIds: string[];
  forget(playId: string): void;
}

export interface KeyWatch {
  /** Looks now: another node says that a key was changed, or a channel deleted. */
  look(): void;
  stop(): void;
}

export function startKeyWatch(given: {
  store: Store;
  hub: Hub;
  addresses: PlayAddresses;
  log: Log;
}): KeyWatch {
  const { store, hub, addresses, log } = given;
  const look = async () => {
    // Also of those that have not sent a picture yet: they hold the channel too.
    const channels = hub.streams.map(({ channel }) => channel);
    const { changed, deleted } = await lostKeys(store, channels);
    await hub.endAll(changed, keyChanged);
    await hub.endAll(deleted, channelDeleted);
    for (const playId of await lostAddresses(store, addresses.playIds)) addresses.forget(playId);
  };
  let isAsked = false;
  // What is asked while a look is under way may have come after that has read.
  const looking = new UntilEmpty({
    isEmpty: () => !isAsked,
    work: async () => {
      isAsked = false;
      await look().catch((error) => log.warn('publish keys could not be compared', { error }));
    },
  });
  const lookNow = () => {
    isAsked = true;
    looking.begin();
  };
  const timer = setInterval(lookNow, everyMs);
  return { look: lookNow, stop: () => clearInterval(timer) };
}
