// This node among those on its database: says every second that it is there, and watches who else is.
import { randomInt } from 'node:crypto';
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import type { ClockSample, DatabaseClock } from './database-clock.ts';
import { bucketClash, type NodeBucket, noBucket } from './node-bucket.ts';
import { silentMsMax } from './node-state.ts';
import {
  isInTheWay,
  type Joined,
  joinNodes,
  leaveNodes,
  type NodeRow,
  type NodesNow,
  nodesNow,
  renewNode,
  type StillRow,
} from './node-store.ts';
import { runSideBySide } from './node-versions.ts';
import { NameTaken, OtherBucket } from './refused-start.ts';

/** So often a node gives a sign of life. */
export const renewEveryMs = 1_000;
/** Runs have numbers, by chance: no two that share a database have the same. Sessions say by them whose they are. */
const runsMax = 2 ** 48 - 1;
/** Of a node that was cut off for so long nothing is waited for any more. */
const cutOffMsMax = 600_000;

/** Whoever else runs on the database, or has run lately. */
export interface OtherNode {
  readonly node: string;
  readonly run: string;
  /** Empty where it has none: then nothing leads to it. */
  readonly link_url: string;
  readonly version: string;
  readonly isDraining: boolean;
}

/** A run of another service, or the one before of this. */
export interface OtherRun {
  readonly run: string;
  /** What its viewers watched before is in the records. */
  readonly flushed_until: number;
}

/** A node as it was last heard of. */
export interface SeenNode {
  readonly row: NodeRow;
  /** For how long it has given no sign of life, by the clock of who watches. */
  readonly silentMs: number;
}

/** What others must know of the nodes. */
export interface Nodes {
  /** The name of this one. */
  readonly node: string;
  readonly run: string;
  /** Those that have given a sign of life lately. */
  others(): readonly OtherNode[];
  /** All that the database knows, those that are silent too, and this one; in the order of their names. */
  seen(): readonly SeenNode[];
  /** How far this node's time is ahead of the database's clock. */
  readonly aheadMs: number;
  /** For how long it has given none, by this node's clock; for ever where it is not known. */
  silentMs(node: string): number;
  /** For how long the database has answered this node without a break. */
  steadyMs(): number;
  /** Other runs that may still bring what they were told, or whose pages come back. */
  lately(): readonly OtherRun[];
  /** What the others are told of this node's records with each sign of life. */
  tellFlushed(until: () => number): void;
  /** `changed` is called when nodes came, went, or began to drain. */
  onChanged(changed: () => void): void;
  /** From now on the others know that it is about to go; resolves when they are told. */
  drain(): Promise<void>;
}

/** Those that may take what this one has: another that is about to go would only hand it on. */
export function heirsAmong(nodes: Pick<Nodes, 'others'>): readonly OtherNode[] {
  return nodes.others().filter(({ link_url, isDraining }) => link_url !== '' && !isDraining);
}

/** A service that has its database for itself. */
export function soleNode(
  node: string,
  { version = '', now = Date.now }: { version?: string; now?: () => number } = {},
): Nodes & { stop(): Promise<void> } {
  const run = newRun();
  const started_at = now();
  const still = { link_url: '', draining: 0, renewals: 0, clock_ahead_ms: 0, flushed_until: 0 };
  const row = { node, run, version, started_at, ...still, ...noBucket };
  return {
    node,
    run,
    others: () => [],
    seen: () => [{ row: { ...row, seen_at: now() }, silentMs: 0 }],
    aheadMs: 0,
    silentMs: () => Number.POSITIVE_INFINITY,
    steadyMs: () => Number.POSITIVE_INFINITY,
    lately: () => [],
    tellFlushed: () => {},
    onChanged: () => {},
    drain: async () => {},
    stop: async () => {},
  };
}

export interface MembershipOptions {
  store: Store;
  node: string;
  link_url: string;
  version: string;
  bucket: NodeBucket;
  clock: DatabaseClock;
  monotonicMs: () => number;
  everyMs?: number;
  log: Log;
  /** Somebody wants this node to drain. */
  onDrain?(): void;
  /** Another service runs under this node's name: it must end. */
  onReplaced(): void;
}

/** When a node's count was last seen to rise, by our clock. */
interface Watched {
  readonly row: NodeRow;
  readonly risenMs: number;
}

export class Membership implements Nodes {
  private readonly options: MembershipOptions;
  readonly node: string;
  readonly run = newRun();

  private readonly listeners: (() => void)[] = [];
  private flushedUntil = () => 0;
  /** The run before under this name, and since when it is known to be over. */
  private before: { row: NodeRow; sinceMs: number } | undefined;
  private watched = new Map<string, Watched>();
  /** Runs whose version was told of, by node. */
  private readonly strange = new Map<string, string>();
  /** Since when the database answers without a break; undefined while it does not. */
  private steadySinceMs: number | undefined;
  private answeredMs = 0;
  private isDraining = false;
  private isStopped = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private renewing: Promise<void> | undefined;

  private constructor(options: MembershipOptions) {
    this.options = options;
    this.node = options.node;
  }

  /**
   * Rejects with NameTaken where the name is in use, with OtherBucket where a node that runs keeps recordings
   * elsewhere; a row that is in the way is looked at for as long as a sign of life takes.
   */
  static async join(options: MembershipOptions): Promise<Membership> {
    const { clock } = options;
    const membership = new Membership(options);
    const still = await membership.lookAround();
    const { now, sample } = await membership.asked(() => membership.introduce(still));
    if (now.refusing) membership.refuse(now.refusing);
    membership.warnOfAddresses(now);
    if (now.before) membership.before = { row: now.before, sinceMs: options.monotonicMs() };
    membership.look(now);
    const aheadMs = membership.others().map((other) => membership.rowOf(other).clock_ahead_ms);
    clock.begin(sample, Math.max(0, ...aheadMs));
    membership.renewLater();
    return membership;
  }

  others(): readonly OtherNode[] {
    const isOther = ({ row }: Watched) =>
      row.node !== this.node && this.silentMs(row.node) < silentMsMax;
    return [...this.watched.values()].filter(isOther).map(({ row }) => otherNode(row));
  }

  seen(): readonly SeenNode[] {
    return [...this.watched.values()].map(({ row }) => {
      const silentMs = row.node === this.node ? 0 : this.silentMs(row.node);
      return { row, silentMs };
    });
  }

  get aheadMs(): number {
    return this.options.clock.aheadMs;
  }

  silentMs(node: string): number {
    const watched = this.watched.get(node);
    return watched ? this.options.monotonicMs() - watched.risenMs : Number.POSITIVE_INFINITY;
  }

  steadyMs(): number {
    const { steadySinceMs, answeredMs } = this;
    const now = this.options.monotonicMs();
    if (steadySinceMs === undefined || now - answeredMs > silentMsMax) return 0;
    return now - steadySinceMs;
  }

  lately(): readonly OtherRun[] {
    const { before, watched } = this;
    const others = [...watched.values()].filter(
      ({ row }) => row.node !== this.node && this.silentMs(row.node) < cutOffMsMax,
    );
    const isBefore = before && this.options.monotonicMs() - before.sinceMs < cutOffMsMax;
    return [...others, ...(isBefore ? [before] : [])].map(({ row }) => row);
  }

  tellFlushed(until: () => number): void {
    this.flushedUntil = until;
  }

  onChanged(changed: () => void): void {
    this.listeners.push(changed);
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    await this.renew();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.renewing;
    const { store, log } = this.options;
    const { node, run } = this;
    await store
      .perform(leaveNodes, { node, run })
      .catch((error) => log.warn('that this node is gone could not be written', { error }));
  }

  /** A row that rises is a running service's; one that a kill has left does not. Answers with those that stand. */
  private async lookAround(): Promise<StillRow[]> {
    const { store, monotonicMs } = this.options;
    const own = this.said();
    const { at, nodes } = await nodesNow(store);
    const ageOf = ({ seen_at }: NodeRow) => Math.max(0, at - seen_at);
    const watched = nodes.filter(
      (row) => (row.node === own.node || isInTheWay(own, row)) && ageOf(row) <= silentMsMax,
    );
    const until = monotonicMs() + silentMsMax - Math.min(...watched.map(ageOf));
    while (watched.length > 0 && monotonicMs() < until) {
      await Bun.sleep(nodeLookMs);
      const { nodes: rows } = await nodesNow(store);
      for (const { node, renewals } of watched) {
        const row = rows.find((one) => one.node === node);
        if (row && row.renewals !== renewals) this.refuse(row);
      }
    }
    return nodes.map(({ run, renewals }) => ({ run, renewals }));
  }

  /** The row is that of a running service. */
  private refuse(row: NodeRow): never {
    if (row.node === this.node) throw new NameTaken(this.node);
    throw new OtherBucket(bucketClash(this.options.bucket, row));
  }

  private warnOfAddresses({ nodes }: NodesNow): void {
    const { bucket, log } = this.options;
    for (const { node, bucket_url } of nodes)
      if (bucket_url && bucket.bucket_url && bucket_url !== bucket.bucket_url)
        log.warn('another node has another S3_URL: both must lead to the same store', {
          node,
          its_url: bucket_url,
        });
  }

  private introduce(still?: StillRow[]): Promise<Joined> {
    const joined = this.said();
    return this.options.store.perform(joinNodes, { joined, ...(still && { still }) });
  }

  private said() {
    const { link_url, version, bucket } = this.options;
    return { node: this.node, run: this.run, link_url, version, ...bucket };
  }

  private renewLater(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.renewing = this.renew().finally(() => this.renewLater());
    }, this.options.everyMs ?? renewEveryMs);
  }

  /** Says that this node is there, and looks who else is; it does so every second by itself. */
  async renew(): Promise<void> {
    const { store, clock, log } = this.options;
    const { node, run } = this;
    const said = {
      ...{ node, run },
      clock_ahead_ms: clock.aheadMs,
      draining: this.isDraining ? 1 : 0,
      flushed_until: this.flushedUntil(),
    };
    try {
      const { now, sample } = await this.asked(() => store.perform(renewNode, said));
      clock.heard(sample);
      const isKnown = now.nodes.some((row) => row.node === node);
      if (isKnown) this.look(now);
      // Somebody has removed the row, as who clears a database by hand; or this node has, which is gone then.
      else if (!this.isStopped) this.look(await this.introduce());
    } catch (error) {
      if (this.steadySinceMs !== undefined)
        log.warn('the other nodes cannot be told that this one is there', { error });
      this.steadySinceMs = undefined;
    }
  }

  private async asked<Now extends NodesNow>(
    ask: () => Promise<Now>,
  ): Promise<{ now: Now; sample: ClockSample }> {
    const { monotonicMs } = this.options;
    const askedMs = monotonicMs();
    const now = await ask();
    const answeredMs = monotonicMs();
    if (answeredMs - this.answeredMs > silentMsMax) this.steadySinceMs = undefined;
    this.answeredMs = answeredMs;
    this.steadySinceMs ??= answeredMs;
    return { now, sample: { askedMs, answeredMs, databaseAt: now.at } };
  }

  private look({ at, nodes }: NodesNow): void {
    const before = this.shown();
    const watched = nodes.map((row) => [row.node, this.watchedNow(row, at)] as const);
    this.watched = new Map(watched);
    const own = this.watched.get(this.node)?.row;
    if (own && own.run !== this.run) {
      this.isStopped = true;
      this.options.onReplaced();
      return;
    }
    if (own?.draining === 1 && !this.isDraining) {
      this.isDraining = true;
      this.options.onDrain?.();
    }
    if (before === this.shown()) return;
    this.tellVersions();
    for (const changed of this.listeners) changed();
  }

  /** Once for each run that is too far away. Whether the tables are, the start has looked at. */
  private tellVersions(): void {
    const { version, log } = this.options;
    for (const other of this.others()) {
      if (runSideBySide(version, other.version) || this.strange.get(other.node) === other.run)
        continue;
      this.strange.set(other.node, other.run);
      log.warn(
        'a node runs a version that is more than one minor step away: they may not understand each other, so update in steps',
        { node: other.node, version: other.version, own_version: version },
      );
    }
  }

  private watchedNow(row: NodeRow, at: number): Watched {
    const known = this.watched.get(row.node);
    const now = this.options.monotonicMs();
    if (known && known.row.renewals === row.renewals && known.row.run === row.run)
      return { row, risenMs: known.risenMs };
    // Of one that was not known before, the database says how long ago it was.
    return { row, risenMs: known ? now : now - Math.max(0, at - row.seen_at) };
  }

  private rowOf({ node }: OtherNode): NodeRow {
    const watched = this.watched.get(node);
    if (!watched) throw new Error(`the node ${node} is not known`);
    return watched.row;
  }

  private shown(): string {
    return JSON.stringify(this.others());
  }
}

/** How often it is looked whether a row that is in the way rises. */
const nodeLookMs = 250;

function otherNode({ node, run, link_url, version, draining }: NodeRow): OtherNode {
  return { node, run, link_url, version, isDraining: draining === 1 };
}

function newRun(): string {
  return String(randomInt(1, runsMax));
}
