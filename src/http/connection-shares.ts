// Which networks have more connections than their share.
import { shareOf } from '../lib/share.ts';

export interface Greedy<T> {
  network: string;
  connections: readonly T[];
  /** How many too many. */
  surplus: number;
}

/** The greediest first, as if it had already given up what it has too much. */
export function greedyNetworks<T>(given: {
  found: ReadonlyMap<string, readonly T[]>;
  placesMax: number;
  /** Whether the network may have as many as it likes. */
  isFree(network: string): boolean;
}): Greedy<T>[] {
  const { found, placesMax, isFree } = given;
  const networks = [...found].sort(([, one], [, other]) => other.length - one.length);
  let taken = networks.reduce((sum, [, connections]) => sum + connections.length, 0);
  const greedy: Greedy<T>[] = [];
  for (const [network, connections] of networks) {
    const takenByOthers = taken - connections.length;
    const surplus = connections.length - Math.max(1, shareOf(placesMax, takenByOthers));
    // Those behind have fewer, and the places that are left for them are the same or more.
    if (surplus <= 0) break;
    if (isFree(network)) continue;
    greedy.push({ network, connections, surplus });
    taken -= surplus;
  }
  return greedy;
}
