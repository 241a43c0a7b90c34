// Nodes as others run them: processes on one PostgreSQL and one store, an encoder, players on each node, pages with tabs.
import type pg from 'pg';
import { BeatingViewer, ticketSecret } from '../beating-viewers.ts';
import type { BucketStore } from '../bucket-store.ts';
import { newLiveChannel, until, videosOf } from '../live-channel.ts';
import { onDatabase, type TestPostgres } from '../postgres.ts';
import { ClusterEncoder } from './cluster-encoder.ts';
import { ClusterNode } from './cluster-node.ts';
import { ClusterPage } from './cluster-page.ts';
import { NodePlayer } from './node-player.ts';
import { notePushes, pushHistory } from './push-history.ts';
import { ShownHistory } from './shown-history.ts';

export interface ClusterOptions {
  nodes: number;
  postgres: TestPostgres;
  store: BucketStore;
  /** Beside what all have. */
  settingsOf?(name: string): Record<string, string>;
}

/** All that goes on under the faults. */
export interface ClusterShow {
  channel_id: number;
  playlistPath: string;
  encoder: ClusterEncoder;
  players: NodePlayer[];
  pages: ClusterPage[];
  shown: ShownHistory;
}

/** All viewers come from one address, and the faults are many. */
const settings = {
  MIN_FREE_DISK: '10M',
  LOG_LEVEL: 'info',
  RECONNECT_MS: '30000',
  PUSHES_PER_MINUTE: '1000',
  AUDIENCE_ENTRIES_PER_NETWORK: '100000',
  HTTP_CONNECTS_PER_NETWORK: '10000',
  RTMP_CONNECTS_PER_NETWORK: '10000',
  // A request of a node without its database is answered in time for the next.
  DATABASE_DEADLINE_MS: '4000',
};

const linkedWithinMs = 40_000;

export class Cluster {
  readonly nodes: ClusterNode[] = [];
  readonly store: BucketStore;
  readonly postgres: TestPostgres;
  /** Past every line. */
  readonly databaseUrl: string;

  static async start(options: ClusterOptions): Promise<Cluster> {
    const databaseUrl = await options.postgres.freshDatabase();
    const cluster = new Cluster(options, databaseUrl);
    const place = options.store.emptyPlace();
    try {
      for (let number = 1; number <= options.nodes; number += 1) {
        const name = `node-${number}`;
        const node = await ClusterNode.make({
          ...{ name, databaseUrl, storePort: options.store.port },
          settings: { ...settings, ...place, ...options.settingsOf?.(name) },
        });
        cluster.nodes.push(node);
        await node.start(cluster.nodes[0] === node ? undefined : cluster.token);
      }
      await cluster.asked((client) => notePushes(client));
      await cluster.whole();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  private constructor({ store, postgres }: ClusterOptions, databaseUrl: string) {
    this.store = store;
    this.postgres = postgres;
    this.databaseUrl = databaseUrl;
  }

  get token(): string {
    return this.nodes[0]?.service.token ?? '';
  }

  /** Those that run, are not frozen and have all their lines. */
  get up(): ClusterNode[] {
    return this.nodes.filter(({ isUp }) => isUp);
  }

  node(name: string): ClusterNode {
    const found = this.nodes.find((one) => one.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  }

  asked<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return onDatabase(this.databaseUrl, work);
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.asked((client) => client.query<Row>(text, values))).rows;
  }

  /** All nodes run, are ready and see each other. */
  async whole(): Promise<void> {
    for (const node of this.nodes) {
      const seesAll = async () => {
        const answer = await get(`${node.url}/metrics`);
        return Number(/^footlight_links (\d+)$/m.exec(answer)?.[1]) === this.nodes.length - 1;
      };
      await until(seesAll, {
        withinMs: linkedWithinMs,
        otherwise: `${node.name} is not linked with the others: ${node.log().slice(-1_000)}`,
      });
    }
  }

  /** The node that has the channel's push. */
  async holder(channel_id: number): Promise<ClusterNode> {
    const text = 'SELECT node FROM pushes WHERE channel_id = $1';
    const [row] = await this.rows<{ node: string }>(text, [channel_id]);
    return this.node(row?.node ?? '');
  }

  /** The epoch by which the channel is live; 0 where it is not. */
  async liveEpoch(channel_id: number): Promise<number> {
    const text = "SELECT epoch FROM pushes WHERE channel_id = $1 AND state = 'live'";
    const [row] = await this.rows<{ epoch: string }>(text, [channel_id]);
    return Number(row?.epoch ?? 0);
  }

  /** A channel that is pushed to, played on every node, and watched by viewers with as many tabs, each on another node. */
  async show(order: {
    viewers: number;
    tabs: number;
    targets?: readonly string[];
  }): Promise<ClusterShow> {
    const [first] = this.nodes;
    if (!first) throw new Error('there is no node');
    const { id, publishUrl, playlistUrl } = await newLiveChannel(first.service);
    const encoder = new ClusterEncoder({
      targets: order.targets ?? this.nodes.map(({ rtmpPort }) => `rtmp://127.0.0.1:${rtmpPort}`),
      path: new URL(publishUrl).pathname,
    });
    await until(() => encoder.isLetIn, { withinMs: 20_000, otherwise: 'nobody is let in' });
    const playlistPath = new URL(playlistUrl).pathname;
    const shown = new ShownHistory();
    const players = this.nodes.map((node) => new NodePlayer(node, playlistPath, shown));
    const secret = await ticketSecret({ DATA_DIR: '', DATABASE_URL: this.databaseUrl });
    const pages = Array.from({ length: order.viewers * order.tabs }, (_, at) => {
      const viewer_id = `viewer ${at % order.viewers}`;
      const viewer = new BeatingViewer(secret, { channel_id: id, viewer_id });
      return new ClusterPage(viewer, this.nodes, at + Math.floor(at / order.viewers));
    });
    return { channel_id: id, playlistPath, encoder, players, pages, shown };
  }

  history() {
    return this.asked((client) => pushHistory(client));
  }

  /** A call on a node that can answer. */
  async call(method: string, path: string, body?: unknown) {
    const node = this.up[0];
    if (!node) throw new Error('no node is up');
    return await node.service.call(method, path, body === undefined ? {} : { body });
  }

  videos(channel_id: number) {
    const node = this.up[0];
    if (!node) throw new Error('no node is up');
    return videosOf(node.service, channel_id);
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }
}

/** Whatever of it goes on yet. */
export async function stopShow({ encoder, players, pages }: ClusterShow): Promise<void> {
  const parts = [...players.map((player) => player.stop()), ...pages.map((page) => page.vanish())];
  encoder.cut();
  await Promise.all([...parts, encoder.end()]);
}

async function get(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  return (await answer?.text()) ?? '';
}
