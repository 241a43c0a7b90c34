// What the service knows of those who connect to it: whom it refused, and which networks an operator allows more.
import type { Store } from '../db/sql.ts';
import { Networks } from '../lib/ip-address.ts';
import type { Log } from '../lib/log.ts';
import { startRounds } from '../turns/rounds.ts';
import { listNetworks } from './network-store.ts';
import { keepRefusals } from './refusal-store.ts';
import type { Refusals } from './refusals.ts';

export interface Peers {
  refusals: Refusals;
  /** Whether limits by network do not hold for this one; `network` as `networkOf` names it. */
  isAllowed(network: string): boolean;
  stop(): Promise<void>;
}

export interface PeersOptions {
  store: Store;
  /** The name of this service, whose refusals these are. */
  node: string;
  refusals: Refusals;
  now: () => number;
  log: Log;
}

/** The command line changes what is allowed within this time. */
const lookEveryMs = 2_000;
/** And shows what was refused within this: every write makes remembered answers be made anew. */
const writeEveryMs = 10_000;

export async function startPeers(options: PeersOptions): Promise<Peers> {
  const { store, node, refusals, now, log } = options;
  let allowed = new Networks('');
  let written = '[]';
  let writtenAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    try {
      const rows = await store.perform(listNetworks, {});
      allowed = new Networks(rows.map(({ network }) => network).join(','));
      if (now() - writtenAt < writeEveryMs) return;
      const recent = refusals.recent();
      const text = JSON.stringify(recent);
      if (text === written) return;
      await store.perform(keepRefusals, { node, refusals: recent });
      written = text;
      writtenAt = now();
    } catch (error) {
      log.debug('allowed networks and refusals could not be exchanged', { error });
    }
  };
  // An earlier run's refusals are over.
  await store.perform(keepRefusals, { node, refusals: [] });
  const rounds = startRounds(lookEveryMs, look);
  return {
    refusals,
    isAllowed: (network) => allowed.meets(network),
    stop: () => rounds.stop(),
  };
}
