// Follows one push and writes it into recordings: usually one, more where the disk fails or the hours run out.
import type { FragmentReader, LentPart, Segment } from '../packaging/fragment.ts';
import type { RecordingFile } from './recording-file.ts';

export interface RecorderOptions {
  /** A recording this long is ended and another begun. */
  durationMsMax: number;
  /** One of so many segments too: its index and its playlist must not grow without end. */
  segmentsMax: number;
  /** While there is none, nothing is recorded. */
  hasRoom(): boolean;
  /** `pushedMs`: media of the push so far. */
  open(pushedMs: number): RecordingFile;
  /** Nothing more will be added: makes a video of it. */
  finish(file: RecordingFile): void;
}

export class Recorder implements FragmentReader {
  private readonly options: RecorderOptions;

  private file: RecordingFile | undefined;
  /** Media of the push, recorded or not. */
  private pushedMs = 0;

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  partAdded(segment: Segment, part: LentPart): void {
    if (segment.parts.length === 1) this.beforeSegment(part);
    this.file?.partAdded(segment);
    this.pushedMs += part.durationMs;
  }

  segmentEnded(segment: Segment): void {
    this.file?.segmentEnded(segment);
  }

  ended(): void {
    this.finish();
  }

  /** Recordings begin with a segment that can be played by itself. */
  private beforeSegment({ isIndependent }: LentPart): void {
    const { durationMsMax, segmentsMax, open } = this.options;
    const { file } = this;
    const hasRoom = this.options.hasRoom();
    const isFull = (file?.segmentCount ?? 0) >= segmentsMax;
    const isLong = isIndependent && file && file.durationMs >= durationMsMax;
    if (file?.problem !== undefined || !hasRoom || isFull || isLong) this.finish();
    if (isIndependent && hasRoom) this.file ??= open(this.pushedMs);
  }

  private finish(): void {
    const { file } = this;
    this.file = undefined;
    if (file) this.options.finish(file);
  }
}
