// An encoder of a cluster: it pushes numbered pictures for as long as it lives, and comes back elsewhere when it is cut.
import { type Clip, pushClip } from '../../../src/stream/rtmp/paced-push.ts';
import { publishTo, type RtmpPublisher } from '../../../src/stream/rtmp/rtmp-client.ts';
import { testClip } from '../clip-push.ts';
import { taken } from '../live-channel.ts';
import { heldUpMs } from '../machine-pace.ts';
import { isPicture, numbered } from './numbered-pictures.ts';
import type { MayLack, Numbers } from './recorded-numbers.ts';

/** One connection that was let in. */
interface Pushed extends Numbers {
  target: string;
}

export interface EncoderOptions {
  /** Where it may push, without the key: one after another is tried. */
  targets: readonly string[];
  path: string;
  /** The number of its first picture. */
  from?: number;
}

/** A node that is frozen takes a connection and says nothing; a claim waits for one hold. */
const letInWithinMs = 6_000;
const againMs = 200;

export class ClusterEncoder {
  readonly pushed: Pushed[] = [];
  /** Pictures that may be missing from the recording, as faults have it. */
  readonly mayLack: MayLack[] = [];
  /** Whoever changes its key tells it. */
  path: string;
  /** Said by a service that did not let it in. */
  readonly refusals: string[] = [];

  private readonly clip: Clip = testClip();
  private readonly targets: readonly string[];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private number: number;
  private at = 0;
  private publisher: RtmpPublisher | undefined;

  constructor({ targets, path, from = 0 }: EncoderOptions) {
    this.targets = targets;
    this.path = path;
    this.number = from;
    this.running = this.run();
  }

  /** Of the picture that was sent last. */
  get last(): number {
    return this.number;
  }

  get isLetIn(): boolean {
    return this.publisher !== undefined;
  }

  /** As many pictures as come in so long. */
  pictures(ms: number): number {
    const count = this.clip.tags.filter(isPicture).length;
    return Math.ceil((count * ms) / this.clip.durationMs);
  }

  /** Its line breaks; it comes back at another address, should there be one. */
  cut(): void {
    this.publisher?.cut();
  }

  /** The last `ms` of what was sent, and all that this connection sends yet, may be missing. */
  allowLoss(ms: number, why: string): void {
    const now = this.pushed.at(-1);
    if (!now) return;
    const allowed = { from: Math.max(now.from, this.last - this.pictures(ms)), to: this.last, why };
    this.mayLack.push(allowed);
    this.open.push({ of: now, allowed });
  }

  /** Allowances that last as long as their connection. */
  private readonly open: { of: Pushed; allowed: MayLack }[] = [];

  /** Ends its push in good order. */
  async end(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const target = this.targets[this.at % this.targets.length] as string;
      const publisher = await this.letIn(target);
      if (signal.aborted) publisher?.cut();
      else if (publisher) await this.push(publisher, target);
      if (!signal.aborted) await Bun.sleep(againMs);
    }
  }

  private async letIn(target: string): Promise<RtmpPublisher | undefined> {
    try {
      return await publishTo(target + this.path, { timeoutMs: letInWithinMs });
    } catch (error) {
      const { message } = error as Error;
      this.refusals.push(message);
      // Who has it now may be about to lose it: whichever node is asked, it waits a while.
      if (message !== taken || this.targets.length > 1) this.at += 1;
      return undefined;
    }
  }

  private async push(publisher: RtmpPublisher, target: string): Promise<void> {
    const { signal } = this.stopping;
    const pushed = { target, from: this.number + 1, to: this.number };
    this.pushed.push(pushed);
    this.publisher = publisher;
    try {
      await pushClip(publisher, this.clip, {
        loop: true,
        signal,
        onTag: (tag) => {
          if (!isPicture(tag)) return;
          this.number += 1;
          tag.body = numbered(tag.body, this.number);
          pushed.to = this.number;
        },
      });
    } catch (error) {
      this.refusals.push((error as Error).message);
      this.at += 1;
      // What was on its way when the line broke.
      this.allowLoss(inFlightMs, 'it was on its way');
    } finally {
      this.publisher = undefined;
      for (const { allowed } of this.open.splice(0)) allowed.to = pushed.to;
    }
  }
}

/** A busy machine reads its sockets so late. */
const inFlightMs = 1_500 + heldUpMs;
