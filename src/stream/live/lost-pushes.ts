// Ends pushes that nobody has come back to: whichever node sees it does, when the reconnect window is over.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Links } from '../../base/links/links.ts';
import type { Nodes } from '../../base/nodes/membership.ts';
import { silentMsMax } from '../../base/nodes/node-state.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { endLostPush } from './live-store.ts';
import { holdMs, type LostPush, lostPushes } from './push-lease-store.ts';

export interface LostPushesOptions {
  store: Store;
  nodes: Nodes;
  links: Pick<Links, 'linked'>;
  reconnectMs: number;
  /** Of a clock that only goes on. */
  monotonicMs: () => number;
  /** Whether this node has a push of the channel. */
  isOnAir(channel_id: number): boolean;
  onEnded(): void;
  log: Log;
  everyMs?: number;
}

const lookEveryMs = 1_000;
/** Looked at in a round: the rest waits for the next. */
const lostAtOnce = 100;

export function startLostPushes(options: LostPushesOptions): Rounds {
  const lost = new LostPushes(options);
  return startRounds(options.everyMs ?? lookEveryMs, () =>
    lost
      .round()
      .catch((error) => options.log.warn('pushes that are over could not be ended', { error })),
  );
}

export class LostPushes {
  private readonly options: LostPushesOptions;

  /** By channel: how often it had been renewed, and since when that stands still by this node's clock. */
  private watched = new Map<number, { renewals: number; sinceMs: number }>();

  constructor(options: LostPushesOptions) {
    this.options = options;
  }

  async round(): Promise<void> {
    const { store, nodes, reconnectMs, onEnded, log } = this.options;
    // After an outage every lease looks old.
    if (nodes.steadyMs() < reconnectMs + holdMs) return;
    const found = await store.perform(lostPushes, { reconnectMs, limit: lostAtOnce });
    this.watch(found);
    for (const lost of found) {
      if (!this.isOver(lost) || !(await store.perform(endLostPush, lost))) continue;
      const { channel_id, node } = lost;
      log.info('a push is over: nobody has come back to it', { channel_id, holder: node });
      onEnded();
    }
  }

  private watch(found: readonly LostPush[]): void {
    const sinceMs = this.options.monotonicMs();
    const watched = found.map(({ channel_id, renewals }) => {
      const known = this.watched.get(channel_id);
      const now = { renewals, sinceMs };
      return [channel_id, known?.renewals === renewals ? known : now] as const;
    });
    this.watched = new Map(watched);
  }

  /** The database's clock may have been set: it must have stood still by this node's own, too. */
  private isOver({ channel_id, node }: LostPush): boolean {
    const { nodes, links, monotonicMs, isOnAir } = this.options;
    const stillMs = monotonicMs() - (this.watched.get(channel_id)?.sinceMs ?? monotonicMs());
    if (stillMs < holdMs) return false;
    if (node === nodes.node) return !isOnAir(channel_id);
    // A holder that is there renews what it has; one that the database does not hear may still be linked.
    const isSilent = nodes.silentMs(node) >= silentMsMax;
    return !isSilent || !links.linked.includes(node);
  }
}
