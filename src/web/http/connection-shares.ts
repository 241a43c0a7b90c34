// Which networks have more than their share of what connections take.
import { shareOf } from '../../base/turns/share.ts';

export interface Greedy<T> {
  network: string;
  connections: readonly T[];
  /** How much too much. */
  surplus: number;
}

/** The greediest first, as if it had already given up what it has too much. */
export function greedyNetworks<T>(given: {
  found: ReadonlyMap<string, readonly T[]>;
  placesMax: number;
  /** How many places one takes. */
  placesOf?(connection: T): number;
  /** Whether the network may have as many as it likes. */
  isFree(network: string): boolean;
}): Greedy<T>[] {
  const { found, placesMax, placesOf = () => 1, isFree } = given;
  const networks = Array.from(found, ([network, connections]) => ({
    network,
    connections,
    places: connections.reduce((sum, one) => sum + placesOf(one), 0),
  })).sort((one, other) => other.places - one.places);
  let taken = networks.reduce((sum, { places }) => sum + places, 0);
  const greedy: Greedy<T>[] = [];
  for (const { network, connections, places } of networks) {
    const surplus = places - Math.max(1, shareOf(placesMax, taken - places));
    // Those behind have fewer, and the places that are left for them are the same or more.
    if (surplus <= 0) break;
    if (isFree(network)) continue;
    greedy.push({ network, connections, surplus });
    taken -= surplus;
  }
  return greedy;
}
