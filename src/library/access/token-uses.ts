// When tokens were last used: noted in memory, written together once a minute, and on no request's way.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { startRounds } from '../../base/turns/rounds.ts';
import { accessLimits } from './access-limits.ts';
import { useTokens } from './token-store.ts';

export interface TokenUses {
  /** A token was shown and is good. */
  note(id: number): void;
  /** Writes what was noted, whatever the minute. */
  stop(): Promise<void>;
}

export function startTokenUses(options: {
  store: Pick<Store, 'perform'>;
  now: () => number;
  log: Log;
  everyMs?: number;
}): TokenUses {
  const { store, now, log, everyMs = accessLimits.usedEveryMs } = options;
  const uses = new Map<number, number>();
  const write = async () => {
    if (uses.size === 0) return;
    const noted = [...uses].map(([id, at]) => ({ id, at }));
    uses.clear();
    // Where it fails, the next use is written.
    await store.perform(useTokens, noted).catch((error) => {
      log.debug('it could not be written that tokens are used', { error });
    });
  };
  const rounds = startRounds(everyMs, write);
  return {
    note: (id) => {
      if (uses.size < accessLimits.usedMax || uses.has(id)) uses.set(id, now());
    },
    stop: async () => {
      await rounds.stop();
      await write();
    },
  };
}
