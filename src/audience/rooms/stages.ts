// The stage of each channel: whether it is live, since when, and the video that a push has become.
import type { Show } from '../../stream/live/show.ts';
import { OnAir } from '../counting/on-air.ts';
import type { AskedCurve, NotedCurve } from '../nodes/shared-curves.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import { ViewerCurve } from './viewer-curve.ts';

/** One channel's. */
export interface Stage {
  readonly onAir: OnAir;
  isLive: boolean;
  /** Of the show that is on; one that may go on elsewhere, or here again, is kept. */
  curve: ViewerCurve | undefined;
  /** The video of the last push, if it has become one. */
  video_id: number | null;
  changedAt: number;
}

/** Known from the first push on, also while nobody watches: a viewer who comes late is counted by the same times. */
export class Stages {
  private readonly stages = new Map<number, Stage>();

  find(channel_id: number): Stage | undefined {
    return this.stages.get(channel_id);
  }

  of(channel_id: number, at: number): Stage {
    const known = this.stages.get(channel_id);
    if (known) return known;
    const onAir = new OnAir(undefined, at);
    const stage = { onAir, isLive: false, curve: undefined, video_id: null, changedAt: at };
    this.stages.set(channel_id, stage);
    return stage;
  }

  /** The show that is on, or none any more. */
  live(channel_id: number, show: Show | undefined, at: number, viewers = 0): void {
    const stage = this.of(channel_id, at);
    stage.onAir.live(show, at);
    stage.isLive = show !== undefined;
    if (show && stage.curve?.begin !== show.begin)
      stage.curve = new ViewerCurve(show.begin, viewers, at);
    else stage.curve?.note(at, show ? viewers : 0);
    stage.changedAt = at;
    if (show) stage.video_id = null;
  }

  /** What was noted here of a show, up to now while it is on. */
  curveOf({ channel_id, begin }: AskedCurve, at: number): NotedCurve | undefined {
    const { curve, isLive } = this.stages.get(channel_id) ?? {};
    if (curve?.begin !== begin) return undefined;
    const steps = isLive ? curve.until(at) : curve.steps;
    return { stepMs: curve.stepMs, peak: curve.peak, steps };
  }

  /** What other nodes have noted of it. */
  joinCurve({ channel_id, begin }: AskedCurve, noted: NotedCurve): void {
    const curve = this.stages.get(channel_id)?.curve;
    if (curve?.begin === begin) curve.join(noted);
  }

  /** It was on air when a service was killed: what players showed then still counts. */
  wasLive(channel_id: number, show: Show, endAt: number): void {
    this.live(channel_id, show, show.begin);
    this.live(channel_id, undefined, endAt);
  }

  videoMade(channel_id: number, video_id: number, at: number): void {
    const stage = this.of(channel_id, at);
    stage.video_id = video_id;
    stage.changedAt = at;
  }

  /** Forgets channels that have been off air for long and have nobody in front of them. */
  sweep(at: number, isWatched: (channel_id: number) => boolean): void {
    for (const [channel_id, { isLive, changedAt }] of this.stages) {
      const isOld = !isLive && at - changedAt > presenceLimits.stageKeptMs;
      if (isOld && !isWatched(channel_id)) this.stages.delete(channel_id);
    }
  }
}
