// The nodes as who runs an account sees them: who is there, what each has, what ails.
import { get } from '../base/api/endpoint.ts';
import { type AnyRoute, type Handlers, routes } from '../base/api/route.ts';
import type { Store } from '../base/db/sql.ts';
import type { Zone } from '../base/lib/time.ts';
import type { Links } from '../base/links/links.ts';
import type { Nodes, SeenNode } from '../base/nodes/membership.ts';
import { stateOfNode } from '../base/nodes/node-state.ts';
import { nodeDocs } from './node-docs.ts';
import type { FiguresOfNodes, NodeFigures } from './node-figures.ts';
import { type ChannelOnNode, channelsOnNodes, pushesByNode } from './node-pushes-store.ts';

export interface NodeParts {
  store: Store;
  zone: Zone;
  nodes: Pick<Nodes, 'node' | 'seen'>;
  links: Pick<Links, 'isAlone' | 'isLinked' | 'roundTrips'>;
  figures: Pick<FiguresOfNodes, 'read'>;
  /** Whether the service was set up as one of several. */
  isNamed: boolean;
}

export function nodeRoutes(parts: NodeParts): AnyRoute[] {
  return routes({ table: nodeTable, docs: nodeDocs, handlers: { listNodes }, parts });
}

/** Asked for what `/metrics` may be asked for, which tells as much of all accounts. */
const nodeTable = {
  listNodes: get('/manage/v1/nodes', 'manage', { fresh: true }),
};

type Handle = Handlers<typeof nodeTable, typeof nodeDocs, NodeParts>;

/** Channels that are named, of all nodes together; beyond them their number must do. */
const channelsNamed = 200;

const listNodes: Handle['listNodes'] = async ({ caller }, parts) => {
  const { store, nodes, figures, isNamed } = parts;
  const { account_id } = caller;
  const [counts, channels, known] = await Promise.all([
    store.perform(pushesByNode, { account_id }),
    store.perform(channelsOnNodes, { account_id, limit: channelsNamed }),
    figures.read(),
  ]);
  const pushes = new Map(counts.map((one) => [one.node, one.pushes]));
  const byNode = Map.groupBy(channels, ({ node }) => node);
  const seen = nodes.seen();
  const rows = seen.map((one) => {
    const { node } = one.row;
    const has = { pushes: pushes.get(node) ?? 0, channels: byNode.get(node) ?? [] };
    return shown(one, { ...has, figures: known.get(node) }, parts);
  });
  return { body: { several: isNamed || seen.length > 1, nodes: rows } };
};

function shown(
  seen: SeenNode,
  has: { pushes: number; channels: ChannelOnNode[]; figures: NodeFigures | undefined },
  { zone, nodes, links }: NodeParts,
) {
  const { node, version, started_at, seen_at, bucket } = seen.row;
  const isThis = node === nodes.node;
  const roundTripMs = links.roundTrips.get(node);
  return {
    name: node,
    answers: isThis,
    version,
    state: stateOfNode(seen),
    started_at: zone.dateTime(started_at),
    seen_at: zone.dateTime(seen_at),
    linked: isThis || links.isAlone ? null : links.isLinked(node),
    round_trip_ms: roundTripMs === undefined ? null : Math.round(roundTripMs * 10) / 10,
    pushes: has.pushes,
    channels: has.channels.map(({ id, name }) => ({ id, name })),
    viewers: has.figures?.viewers ?? null,
    recordings: bucket === null ? null : bucket === '' ? ('disk' as const) : ('bucket' as const),
    spool: has.figures?.spool ?? null,
  };
}
