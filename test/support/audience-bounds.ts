// Bounds that no test meets by chance, and the book of those who are refused all the same.
import { chatBounds } from '../../src/audience/chat/chat-limits.ts';
import { pageBounds } from '../../src/audience/protocol/page-limits.ts';
import { pageRefusals } from '../../src/audience/protocol/page-refusals.ts';
import { startLog } from '../../src/base/lib/log.ts';
import { Refusals } from '../../src/base/peers/refusals.ts';

export function audienceBounds() {
  const all = new Refusals({ now: () => 0, log: startLog('silent') });
  return {
    ...pageBounds,
    ...chatBounds,
    connectionsMax: 100,
    entriesPerNetwork: 100_000,
    messagesPerNetwork: 100_000,
    peers: { isAllowed: (network: string) => network === 'allowed' },
    refusals: all.book('page', pageRefusals),
    /** What was refused, by reason. */
    refused: () =>
      Object.fromEntries(
        Object.entries(all.counts.get('page') ?? {}).filter(([, count]) => count > 0),
      ),
  };
}
