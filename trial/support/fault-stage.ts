// What a fault is given, and what all faults ask: which node it is for, how long it lasts.
import type { Cluster, ClusterShow } from '../../test/support/cluster/cluster.ts';
import type { ClusterNode } from '../../test/support/cluster/cluster-node.ts';
import { heldUpMs } from '../../test/support/machine-pace.ts';
import type { Random } from '../../test/support/random.ts';
import type { MachineClock } from './machine-clock.ts';

export interface FaultStage {
  cluster: Cluster;
  show: ClusterShow;
  /** Of each node's machine, by its name. */
  clocks: ReadonlyMap<string, MachineClock>;
  random: Random;
}

/** A segment is cut at the clip's key frames, and is put and named in this at most, or comes with the node's disk. */
export const segmentMs = 2_000;
export const namedMs = 1_500 + heldUpMs;
/** Nobody takes from a holder sooner. */
export const holdMs = 3_000;

export type Role = 'owner' | 'edge' | 'counter';

export async function nodeOf(
  { cluster, show, random }: FaultStage,
  role: Role,
): Promise<ClusterNode> {
  const owner = await cluster.holder(show.channel_id);
  if (role === 'owner') return owner;
  if (role === 'edge') return random.pick(cluster.nodes.filter((node) => node !== owner));
  // As the census has it (`viewer-census.ts`).
  const weight = ({ name }: ClusterNode) => BigInt(Bun.hash(`${name} ${show.channel_id}`));
  return cluster.nodes.reduce((most, node) => (weight(node) > weight(most) ? node : most));
}

/** What a holder that is gone had not named yet is missing, should it not come back in time. */
export async function isOwner({ cluster, show }: FaultStage, node: ClusterNode): Promise<boolean> {
  return (await cluster.holder(show.channel_id)) === node;
}

/** The moments are the point of faults: how long one lasts is chosen, and no event is waited for. */
export async function lasting(random: Random, leastMs: number, mostMs: number): Promise<number> {
  const ms = random.whole(leastMs, mostMs);
  await Bun.sleep(ms);
  return ms;
}
