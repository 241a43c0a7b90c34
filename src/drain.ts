// What a node does before it stops while others are there: it is led away from, then hands over what it has.
import type { Presence } from './audience/presence/presence.ts';
import type { Log } from './base/lib/log.ts';
import { heirsAmong, type Nodes } from './base/nodes/membership.ts';
import { isDoneWithin } from './base/turns/within.ts';
import type { River } from './river.ts';

export interface DrainOptions {
  nodes: Pick<Nodes, 'others' | 'drain'>;
  /** Empty where nothing is shared with other nodes. */
  nodeUrl: string;
  /** So long a load balancer needs to see that this one is not ready. */
  drainMs: number;
  river: Pick<River, 'giveBackJobs' | 'handOver'>;
  presence: Pick<Presence, 'sendElsewhere'>;
  log: Log;
}

/** Who else is there may have changed while it was led away from. */
const lookWithinMs = 500;
/** The rest of a stop needs some seconds, too: what is not handed over by then ends with it. */
const handOverWithinMs = 3_000;

/** Resolves at once where nobody is there to take anything. It never rejects: a stop goes on in any case. */
export async function drain(options: DrainOptions): Promise<void> {
  const { nodes, nodeUrl, drainMs, river, presence, log } = options;
  if (nodeUrl === '') return;
  // Told in any case: of nodes that stop together none takes what another lets go of.
  void nodes.drain();
  if (heirsAmong(nodes).length === 0) return;
  log.info('drains', { to: heirsAmong(nodes).map(({ node }) => node) });
  const jobs = tried(river.giveBackJobs(), 'the job that runs', log);
  await Bun.sleep(drainMs);
  await isDoneWithin(nodes.drain(), lookWithinMs);
  const pushes = tried(river.handOver(), 'what is pushed', log);
  const pages = tried(presence.sendElsewhere(), 'who watches', log);
  if (!(await isDoneWithin(Promise.all([jobs, pushes, pages]), handOverWithinMs)))
    log.warn('not all was handed over in time: the rest ends here');
}

async function tried(work: Promise<void>, what: string, log: Log): Promise<void> {
  await work.catch((error) => log.error('a part was not handed over', { what, error }));
}
