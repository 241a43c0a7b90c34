// The ladders of all pushes here: who has one, and what they take together.
import type { Log } from '../../base/lib/log.ts';
import { isDoneWithin } from '../../base/turns/within.ts';
import type { LiveStream } from '../live/live-stream.ts';
import { isTranscoderInstalled } from '../recording/worker/transcoder.ts';
import { Ladder, type LadderCounts, type LadderOptions } from './ladder.ts';
import { LadderBudget } from './ladder-budget.ts';
import { ladderLimits } from './ladder-limits.ts';

export interface LaddersOptions extends Pick<LadderOptions, 'memoryBytesMax' | 'workerUrl'> {
  /** Of the machine's processors, for all of them. */
  cores: number;
  monotonicMs(): number;
  log: Log;
  hasTranscoder?: boolean;
}

export class Ladders {
  private readonly options: LaddersOptions;
  private readonly budget: LadderBudget;

  private readonly ladders = new Set<Ladder>();
  /** Told when one is over. */
  private onOver = () => {};
  readonly counts: LadderCounts = { restarts: 0, behind: 0, missing: 0, refused: 0, cpuMs: 0 };

  constructor(options: LaddersOptions) {
    this.options = options;
    this.budget = new LadderBudget(options.cores);
  }

  /** Pictures are encoded for so many pushes now, and that takes so much of the processors, as it was reckoned. */
  get now(): { ladders: number; cores: number } {
    const ladders = [...this.ladders].filter(({ pid }) => pid !== undefined).length;
    return { ladders, cores: this.budget.takenCores };
  }

  /** That of a push, where its account wants one. */
  begin(stream: LiveStream, open: LadderOptions['open']): Ladder | undefined {
    const { channel, meter } = stream;
    const { memoryBytesMax, workerUrl, monotonicMs, log } = this.options;
    const { hasTranscoder = isTranscoderInstalled() } = this.options;
    if (channel.live_ladder !== 1) return undefined;
    if (!hasTranscoder)
      log.warn('a push has no smaller sizes: the transcoder (node-av) is not installed', {
        channel_id: channel.id,
      });
    const ladder = new Ladder({
      ...{
        channel,
        counts: this.counts,
        budget: this.budget,
        open,
        memoryBytesMax,
        monotonicMs,
        log,
      },
      ...(workerUrl && { workerUrl }),
      held: meter.memory.holder(),
      hasTranscoder,
      onOver: () => {
        this.ladders.delete(ladder);
        this.onOver();
      },
    });
    this.ladders.add(ladder);
    return ladder;
  }

  /** Behind the pushes: what is still to be made of them has its moment, and what is not made then will not be. */
  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onOver = () => {
      if (this.ladders.size === 0) resolve();
    };
    this.onOver();
    await isDoneWithin(promise, ladderLimits.endMsMax);
    for (const ladder of this.ladders) ladder.stop();
  }
}
