// One rung of a push: its segments are the source's, part for part, and what was not made in time is missing.

import type { PushEnding } from '../live/stream-reader.ts';
import type { FragmentReader, Init, Part, Segment } from '../packaging/fragment.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import type { PartPlace } from './ladder-messages.ts';

/** What the source says of a segment. */
type Plan = Pick<Segment, 'sequence' | 'epoch' | 'isDiscontinuity' | 'startsAt' | 'startMs'>;

/** What the rung must do next, in the source's order. */
type Step =
  | { kind: 'part'; plan: Plan; at: number; durationMs: number }
  | { kind: 'end'; durationMs: number };

export interface MadePart extends PartPlace {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isIndependent: boolean;
}

/** One without bytes can be had from nobody. */
const missing = { isIndependent: false } as const;

export class MirroredRung {
  private readonly readers: readonly FragmentReader[];
  /** Told of each part that was not made in time. */
  private readonly onMissing: () => void;

  private steps: Step[] = [];
  private segment: GrowingSegment | undefined;
  /** How it is decoded from the next segment on, where that is another way. */
  private decodedBy: Omit<Init, 'sequence'> | undefined;
  private init: Init | undefined;
  /** Its first part was made: before, it has nothing to be missing. */
  private hasBegun = false;

  constructor(readers: readonly FragmentReader[], onMissing: () => void = () => {}) {
    this.readers = readers;
    this.onMissing = onMissing;
  }

  /** A part of the source has come; one of this rung will, or is missing. */
  expect(
    { sequence, epoch, isDiscontinuity, startsAt, startMs, parts }: Segment,
    part: Pick<Part, 'durationMs'>,
  ) {
    const plan = { sequence, epoch, isDiscontinuity, startsAt, startMs };
    const { durationMs } = part;
    this.steps.push({ kind: 'part', plan, at: parts.length - 1, durationMs });
  }

  /** The source's segment is whole. */
  expectEnd({ durationMs }: Segment): void {
    this.steps.push({ kind: 'end', durationMs });
    this.settle();
  }

  /** What follows is decoded so. */
  decode(by: Omit<Init, 'sequence'>): void {
    this.decodedBy = by;
  }

  /** A part was made; one that came too late is not taken. */
  made({ sequence, at, bytes, isIndependent }: MadePart): void {
    const [step] = this.steps;
    if (step?.kind !== 'part' || step.plan.sequence !== sequence || step.at !== at) return;
    this.takePart(step, { bytes, isIndependent });
  }

  /** What waits will not be made. */
  miss(): void {
    for (let [step] = this.steps; step?.kind === 'part'; [step] = this.steps)
      this.takePart(step, { bytes: new Uint8Array(), ...missing });
  }

  /** Nothing follows. */
  end(how: PushEnding): void {
    this.miss();
    for (const reader of this.readers) reader.ended(how);
  }

  private takePart(step: Extract<Step, { kind: 'part' }>, made: Omit<Part, 'durationMs'>): void {
    this.steps.shift();
    const { plan, at, durationMs } = step;
    const isMissing = made.bytes.length === 0;
    if (isMissing && this.hasBegun) this.onMissing();
    if (at === 0) this.beginSegment(plan, !isMissing);
    const part: Part = { ...made, durationMs };
    if (this.segment) {
      this.segment.add(part);
      for (const reader of this.readers) reader.partAdded(this.segment, part);
    }
    this.settle();
  }

  private beginSegment(plan: Plan, isMade: boolean): void {
    this.hasBegun ||= isMade;
    if (!this.hasBegun) return;
    const { sequence } = plan;
    if (this.decodedBy && isMade) {
      const { bytes, tracks } = this.decodedBy;
      const isSame = this.init && Buffer.compare(this.init.bytes, bytes) === 0;
      if (!isSame) this.init = { sequence, bytes, tracks };
      this.decodedBy = undefined;
    }
    if (this.init) this.segment = new GrowingSegment({ ...plan, init: this.init });
  }

  /** A segment ends with its last part. */
  private settle(): void {
    for (let [step] = this.steps; step?.kind === 'end'; [step] = this.steps) {
      this.steps.shift();
      const { segment } = this;
      this.segment = undefined;
      if (!segment) continue;
      segment.stretch(step.durationMs - segment.durationMs);
      segment.complete();
      for (const reader of this.readers) reader.segmentEnded(segment);
    }
  }
}
