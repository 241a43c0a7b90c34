// A live stream that another node has, as it comes over the link: it feeds this node's own window.
import type { LadderListing } from '../ladder/ladder.ts';
import type { Init, Part, Segment } from '../packaging/fragment.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import type { LiveWindow } from '../playback/live-window.ts';
import type {
  FollowAsked,
  FollowedHead,
  FollowedMedia,
  SegmentEnd,
  SentPart,
} from './followed-media.ts';

export interface FollowedStreamOptions {
  /** The window, from when its first words have come on. */
  open(given: { partTargetMs(): number; discontinuities: number }): LiveWindow;
  /** There is something to be shown, and all of what its holder shows: players who come from there find what they know. */
  onShown(): void;
  /** The sizes that its holder has of it now. */
  onLadder?(ladder: LadderListing): void;
  /** The clock that nodes share. */
  now(): number;
}

export class FollowedStream {
  private readonly options: FollowedStreamOptions;

  private window: LiveWindow | undefined;
  private partTargetMs = 0;
  /** How far its holder showed it when this began. */
  private caughtUpAt: FollowedHead['newest'];
  /** Of the newest segments. */
  private readonly inits = new Map<string, Init>();
  /** When its holder had the newest part that came as it was made, and when it was here. */
  private made: { at: number; hereAt: number } | undefined;
  /** The newest, whole or not. */
  private newest: GrowingSegment | undefined;

  constructor(options: FollowedStreamOptions) {
    this.options = options;
  }

  /** How far it has come, for whoever goes on with it. */
  get after(): FollowAsked['after'] {
    const { newest } = this;
    if (!newest) return undefined;
    const { epoch, sequence, parts, isSealed } = newest;
    // Of one that was cut short nothing more is taken.
    if (isSealed) return { epoch, sequence: sequence + 1, parts: 0 };
    return { epoch, sequence, parts: parts.length };
  }

  /**
   * How far behind its holder's newest part it is: while something can come, as far as the last part was when it
   * came; else it grows. Undefined before the first.
   */
  lagMs(isFed: boolean): number | undefined {
    const { made } = this;
    if (!made) return undefined;
    return Math.max(0, (isFed ? made.hereAt : this.options.now()) - made.at);
  }

  /** What comes of it, in order; `hasGap` where some before it was left out. */
  take({ head, bytes }: FollowedMedia, hasGap: boolean): void {
    if (hasGap) this.seal();
    if (head.kind === 'head') this.begin(head);
    else if (head.kind === 'init')
      this.addInit({ epoch: head.epoch, sequence: head.sequence }, bytes.slice());
    else if (head.kind === 'part') this.addPart(head, bytes.slice());
    else if (head.kind === 'segment') this.endSegment(head);
    else if (head.how === 'over') this.end();
  }

  /** Nothing more comes of what was being made. */
  seal(): void {
    const { newest, window } = this;
    if (!newest || newest.isComplete) return;
    newest.seal();
    window?.segmentEnded();
  }

  /** Nothing more comes of its push. */
  get isOver(): boolean {
    return this.window?.isOver ?? false;
  }

  /** The push is over, whoever says so. */
  end(): void {
    this.seal();
    this.window?.ended('over');
  }

  private begin({ partTargetMs, discontinuities, newest, ladder }: FollowedHead): void {
    this.caughtUpAt = newest;
    this.partTargetMs = Math.max(this.partTargetMs, partTargetMs);
    this.window ??= this.options.open({
      partTargetMs: () => this.partTargetMs,
      discontinuities,
    });
    if (ladder) this.options.onLadder?.(ladder);
  }

  private addInit(of: { epoch: number; sequence: number }, bytes: Uint8Array): void {
    // It comes with each segment, and is the same.
    if (this.inits.has(initKey(of))) return;
    this.inits.set(initKey(of), { sequence: of.sequence, bytes, tracks: [] });
    // Segments of the window hold theirs; here only those that come need one.
    for (const key of [...this.inits.keys()].slice(0, -initsMax)) this.inits.delete(key);
  }

  private addPart(head: SentPart, bytes: Uint8Array<ArrayBuffer>): void {
    const segment = this.segmentOf(head);
    if (!segment || !this.window || head.at !== segment.parts.length) return;
    const { durationMs, isIndependent } = head;
    const part: Part = { bytes, durationMs, isIndependent };
    segment.add(part);
    if (head.madeAt !== undefined) this.made = { at: head.madeAt, hereAt: this.options.now() };
    this.partTargetMs = Math.max(this.partTargetMs, head.partTargetMs);
    this.window.partAdded(segment, part);
    if (this.isCaughtUp(segment)) this.options.onShown();
  }

  private isCaughtUp({ sequence, parts }: GrowingSegment): boolean {
    const { caughtUpAt } = this;
    if (!caughtUpAt || sequence > caughtUpAt.sequence) return true;
    return sequence === caughtUpAt.sequence && parts.length >= caughtUpAt.parts;
  }

  /** The segment that a part is of; undefined where it is old, or its beginning was left out. */
  private segmentOf(head: SentPart): GrowingSegment | undefined {
    const { newest } = this;
    const { epoch, sequence, isDiscontinuity, startsAt, startMs } = head;
    if (newest?.sequence === sequence && newest.epoch === epoch && !newest.isComplete)
      return newest;
    const init = this.inits.get(initKey({ epoch, sequence: head.init }));
    const isOld = sequence <= (this.window?.shownTo ?? 0);
    if (!init || head.at > 0 || isOld) return undefined;
    this.seal();
    const place = { sequence, epoch, init, startsAt, startMs };
    this.newest = new GrowingSegment({
      ...place,
      isDiscontinuity: isDiscontinuity || this.isBroken({ sequence, epoch, init }),
    });
    return this.newest;
  }

  /** What began anew may have been left out: the first that is shown of it is not what goes on. */
  private isBroken({ sequence, epoch, init }: Pick<Segment, 'sequence' | 'epoch' | 'init'>) {
    const last = this.window?.listedSegments.at(-1);
    if (!last) return false;
    const isNext = sequence === last.sequence + 1;
    return last.epoch !== epoch || (!isNext && last.init.sequence !== init.sequence);
  }

  private endSegment(head: SegmentEnd): void {
    const { newest, window } = this;
    if (newest?.sequence !== head.sequence || newest.isComplete) return;
    // Another holder's by that number is another segment.
    if (head.epoch !== undefined && newest.epoch !== head.epoch) return;
    // Of what was cut short more may have come here than to whoever went on with it.
    newest.stretch(Math.max(0, head.durationMs - newest.durationMs));
    if (head.isSealed) newest.seal();
    else newest.complete();
    window?.segmentEnded();
  }
}

/** An encoder that changes its parameters all the time makes one a segment. */
const initsMax = 8;

function initKey({ epoch, sequence }: { epoch: number; sequence: number }): string {
  return `${epoch}-${sequence}`;
}
