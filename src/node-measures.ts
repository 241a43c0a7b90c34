// What `/metrics` tells of this node among those on its database: signs of life, links, leases, streams that are followed.
import { labelled, type Metrics } from './base/lib/metrics.ts';
import type { Links } from './base/links/links.ts';
import type { Nodes } from './base/nodes/membership.ts';
import { nodeStates, stateOfNode } from './base/nodes/node-state.ts';
import type { River } from './river.ts';

/** Every name is told by every service, so that an alert may ask for it; without other nodes most have no value. */
export function measureNodes(
  metrics: Metrics,
  given: { nodes: Nodes; links: Links; river: Pick<River, 'counts' | 'relayedCount'> },
): void {
  const { nodes, links, river } = given;
  measureSigns(metrics, nodes);
  measureLinks(metrics, links);
  measurePushes(metrics, river);
}

function measureSigns({ gauge }: Metrics, nodes: Nodes): void {
  gauge('footlight_node_info', 'The name and version of this node; always 1.', () => {
    const own = nodes.seen().find(({ row }) => row.node === nodes.node)?.row;
    return own && [{ labels: { node: own.node, version: own.version }, count: 1 }];
  });
  gauge(
    'footlight_nodes',
    'Nodes that the database knows, this one too, by state; one that was killed is silent for a week.',
    () => {
      const states = nodes.seen().map(stateOfNode);
      const count = (state: string) => states.filter((one) => one === state).length;
      return labelled('state', Object.fromEntries(nodeStates.map((one) => [one, count(one)])));
    },
  );
  gauge(
    'footlight_clock_ahead_seconds',
    'How far the time of this node is ahead of the clock of the database, which it follows.',
    () => nodes.aheadMs / 1_000,
  );
}

function measureLinks({ gauge, counter }: Metrics, links: Links): void {
  const isAlone = !links.door;
  const now = () => links.counts;
  gauge('footlight_links', 'Other nodes that there is a link to.', () =>
    isAlone ? undefined : links.linked.length,
  );
  counter('footlight_links_opened_total', 'Links that were opened, again or anew.', () =>
    isAlone ? [] : now().opened,
  );
  counter('footlight_link_bytes_total', 'Bytes over links, by way.', () =>
    isAlone ? [] : labelled('way', { sent: now().sentBytes, received: now().receivedBytes }),
  );
  counter('footlight_link_messages_total', 'Messages over links, by way.', () =>
    isAlone ? [] : labelled('way', { sent: now().sentMessages, received: now().receivedMessages }),
  );
  counter(
    'footlight_link_gaps_total',
    'Messages that were left out because the other node did not take them in time.',
    () => (isAlone ? [] : now().gaps),
  );
  gauge('footlight_link_round_trip_seconds', 'The time to another node and back, by node.', () =>
    [...links.roundTrips].flatMap(([node, ms]) =>
      ms === undefined ? [] : [{ labels: { node }, count: ms / 1_000 }],
    ),
  );
}

function measurePushes(
  { gauge, counter }: Metrics,
  river: Pick<River, 'counts' | 'relayedCount'>,
): void {
  const leases = () => river.counts().leases;
  gauge('footlight_leases', 'Pushes that this node has the lease of.', () => leases()?.held);
  counter('footlight_lease_claims_total', 'Leases that were asked for, by what came of it.', () => {
    const { granted, refused } = leases() ?? {};
    return granted === undefined || refused === undefined
      ? []
      : labelled('result', { granted, refused });
  });
  counter(
    'footlight_leases_taken_over_total',
    'Leases of pushes that another node had before.',
    () => leases()?.takenOver ?? [],
  );
  counter(
    'footlight_leases_lost_total',
    'Pushes of this node that another node has taken.',
    () => leases()?.lost ?? [],
  );
  gauge(
    'footlight_followed_streams',
    'Streams of other nodes that are shown here.',
    () => leases() && river.counts().followed.streams,
  );
  gauge(
    'footlight_rtmp_relays',
    'Streams of other nodes that RTMP players of this one play.',
    () => (leases() ? river.relayedCount() : undefined),
  );
  gauge(
    'footlight_stream_followers',
    'Nodes that follow streams of this one, for pages and for RTMP players each, all streams together.',
    () => leases() && river.counts().followers,
  );
  gauge(
    'footlight_follower_lag_seconds',
    'How far the followed stream that is furthest behind is behind the newest part of its node.',
    () => {
      const { lagMs } = river.counts().followed;
      return lagMs === undefined ? undefined : lagMs / 1_000;
    },
  );
}
