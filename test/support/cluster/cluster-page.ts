// A page that watches on one node of a cluster, and on another when that is gone or says nothing.
import { presenceLimits } from '../../../src/audience/protocol/page-limits.ts';
import type { BeatingViewer } from '../beating-viewers.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { PageHistory } from './watched-union.ts';

const beatMs = 2_000;
/** Who hears nothing for so long goes elsewhere. */
const silentMsMax = 6_000;
const letInWithinMs = 6_000;
const againMs = 300;
/** Beyond this a page may be given another session. */
const awayMsMax = presenceLimits.resumeWithinMs - 5_000;
/** What a page and the service may differ by each time that it is let in, and plays from then on. */
const perEntryMs = 300;

export class ClusterPage {
  /** Where it is, or tries to be. */
  node: ClusterNode;

  private readonly viewer: BeatingViewer;
  private readonly nodes: readonly ClusterNode[];
  private readonly records = new Set<number>();
  private readonly running: Promise<void>;
  private lost = Promise.withResolvers<void>();
  private isLeaving = false;
  private isIn = false;
  private entries = 0;
  private longAways = 0;
  /** When it was last heard. */
  private heardAt = performance.now();
  /** Why it was not let in. */
  readonly refusals: string[] = [];

  constructor(viewer: BeatingViewer, nodes: readonly ClusterNode[], at: number) {
    this.viewer = viewer;
    this.nodes = nodes;
    this.node = nodes[at % nodes.length] as ClusterNode;
    viewer.onLost = () => this.lost.resolve();
    this.running = this.run();
  }

  get isWatching(): boolean {
    return this.isIn;
  }

  get playedMs(): number {
    return this.viewer.playedMs;
  }

  /** Says goodbye, so that all it has said is heard. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    await this.viewer.leave();
    this.lost.resolve();
    await this.running;
  }

  /** Without a word. */
  async vanish(): Promise<void> {
    this.isLeaving = true;
    this.viewer.cut();
    this.lost.resolve();
    await this.running;
  }

  history(): PageHistory {
    const { viewer, entries, longAways } = this;
    const played = viewer.reports
      .filter(({ played_ms }) => played_ms > 0)
      .map(({ at, played_ms }) => ({ from: Math.floor(at - played_ms), to: Math.floor(at) }));
    return {
      viewer_id: viewer.viewer_id,
      records: [...this.records],
      mayHave: 1 + longAways,
      played,
      mayLoseMs: Math.ceil(viewer.echoMs) + perEntryMs * entries + this.unsaidMs(),
    };
  }

  /** What it can have said to nobody again. */
  private unsaidMs(): number {
    return this.longAways * presenceLimits.saidAgainMs;
  }

  private async run(): Promise<void> {
    while (!this.isLeaving) {
      if (await this.enter()) {
        await this.stay();
        this.isIn = false;
      }
      if (this.isLeaving) return;
      const next = (this.nodes.indexOf(this.node) + 1) % this.nodes.length;
      this.node = this.nodes[next] as ClusterNode;
      await Bun.sleep(againMs);
    }
  }

  private async enter(): Promise<boolean> {
    this.lost = Promise.withResolvers<void>();
    const late = setTimeout(() => this.viewer.cut(), letInWithinMs);
    try {
      await this.viewer.connect(this.node.url);
      if (this.entries > 0 && performance.now() - this.heardAt > awayMsMax) this.longAways += 1;
      this.entries += 1;
      this.records.add(Number(this.viewer.session));
      this.isIn = true;
      return true;
    } catch (error) {
      this.refusals.push(`${this.node.name}: ${(error as Error).message}`);
      this.viewer.cut();
      return false;
    } finally {
      clearTimeout(late);
    }
  }

  private async stay(): Promise<void> {
    const timer = setInterval(() => {
      if (this.viewer.unheardMs < silentMsMax) {
        this.heardAt = performance.now() - this.viewer.unheardMs;
        this.viewer.beat();
      } else this.viewer.cut();
    }, beatMs);
    await this.lost.promise;
    clearInterval(timer);
  }
}
