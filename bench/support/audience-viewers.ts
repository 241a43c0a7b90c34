// A load process of viewers: each a WebSocket with a ticket of its own, which beats as a page does.
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import { BeatingViewer, startBeats } from '../../test/support/beating-viewers.ts';
import { answerBench } from './load-answers.ts';

export interface ViewersOrder {
  serviceUrl: string;
  /** What the service signs tickets with. */
  secret: string;
  channel_id: number;
  count: number;
}

export interface ViewersCount {
  /** Beats that were sent since `begin`, in so many seconds. */
  beats: number;
  seconds: number;
  /** User and system time of this process. */
  cpuSeconds: number;
  /** By viewer: from its welcome to its leaving, by the clock on this side. */
  owedMs: Record<string, number>;
  problem?: string;
}

/** Who comes together; the next ones wait until these are in, so the service sets the pace. */
const togetherMax = 500;

class Crowd {
  private readonly order: ViewersOrder;

  private readonly viewers: BeatingViewer[];
  private readonly welcomedAt = new Map<BeatingViewer, number>();
  private readonly stops: (() => void)[] = [];
  private begun = { at: 0, beats: 0, cpuSeconds: 0 };

  constructor(order: ViewersOrder) {
    this.order = order;
    const { secret, channel_id, count } = order;
    this.viewers = Array.from(
      { length: count },
      (_, n) => new BeatingViewer(secret, { channel_id, viewer_id: `viewer ${n}` }),
    );
  }

  /** Those who are in beat already while the others come. */
  async come(): Promise<void> {
    for (let from = 0; from < this.viewers.length; from += togetherMax) {
      const some = this.viewers.slice(from, from + togetherMax);
      await Promise.all(some.map((viewer) => this.enter(viewer)));
      this.stops.push(startBeats(some, presenceLimits.beatMs));
    }
  }

  begin(): void {
    this.begun = this.now();
  }

  /** The show is over: all say what they have played, and leave together. */
  async end(): Promise<ViewersCount> {
    const { at, beats, cpuSeconds } = this.now();
    for (const stop of this.stops) stop();
    const owedMs: Record<string, number> = {};
    for (const [viewer, welcomedAt] of this.welcomedAt) {
      viewer.beat();
      // It may have begun to play a moment before we looked at the clock.
      const saidMs = viewer.saidMs();
      owedMs[viewer.viewer_id] = Math.max(saidMs, Math.ceil(performance.now() - welcomedAt));
    }
    await Promise.all(this.viewers.map((viewer) => viewer.leave()));
    return {
      beats: beats - this.begun.beats,
      seconds: (at - this.begun.at) / 1_000,
      cpuSeconds: cpuSeconds - this.begun.cpuSeconds,
      owedMs,
    };
  }

  private async enter(viewer: BeatingViewer): Promise<void> {
    await viewer.connect(this.order.serviceUrl);
    this.welcomedAt.set(viewer, performance.now());
  }

  private now() {
    const beats = this.viewers.reduce((sum, { reports }) => sum + reports.length, 0);
    const { user, system } = process.cpuUsage();
    return { at: performance.now(), beats, cpuSeconds: (user + system) / 1e6 };
  }
}

await answerBench(async () => {
  const crowd = new Crowd(JSON.parse(process.argv[2] ?? '') as ViewersOrder);
  await crowd.come();
  return crowd;
});
