// The secrets of the links as this node knows them: read at the start, looked at again and again.
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import { startRounds } from '../turns/rounds.ts';
import { linkLimits } from './link-limits.ts';
import { linkSecrets, takeLinkSecrets } from './link-secret-store.ts';

export interface LinkSecrets {
  /** Those that are good now, the newest first. */
  readonly known: readonly string[];
  /** Looks now. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLinkSecrets(given: {
  store: Store;
  log: Log;
  onChanged(): void;
}): Promise<LinkSecrets> {
  const { store, log, onChanged } = given;
  let known: readonly string[] = await store.perform(takeLinkSecrets, {});
  const look = async () => {
    try {
      const read = await linkSecrets(store);
      if (read.length === 0 || read.join(' ') === known.join(' ')) return;
      known = read;
      log.info('the secret of the links has changed');
      onChanged();
    } catch (error) {
      log.debug('the secrets of the links could not be looked at', { error });
    }
  };
  const rounds = startRounds(linkLimits.secretsEveryMs, look);
  return {
    get known() {
      return known;
    },
    look,
    stop: () => rounds.stop(),
  };
}
