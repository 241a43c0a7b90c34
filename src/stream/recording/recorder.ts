// Follows one push and writes it into recordings: usually one, more where the disk fails or the hours run out.
import type { PushEnding } from '../live/stream-reader.ts';
import type { FragmentReader, LentPart, Segment } from '../packaging/fragment.ts';
import type { RecordingFile } from './recording-file.ts';

export interface RecorderOptions {
  /** A recording this long is ended and another begun. */
  durationMsMax: number;
  /** One of so many segments too: its index and its playlist must not grow without end. */
  segmentsMax: number;
  /** While there is none, nothing is recorded. */
  hasRoom(): boolean;
  /** Media of the push before it came here. */
  pushedMs?: number;
  /** `pushedMs`: media of the push so far; `sequence`: of the segment it begins with. */
  open(pushedMs: number, sequence: number): RecordingFile;
  /** Nothing more will be added here: makes a video of it, or another node goes on with it. */
  finish(file: RecordingFile, how: PushEnding): void;
}

export class Recorder implements FragmentReader {
  private readonly options: RecorderOptions;

  private file: RecordingFile | undefined;
  /** Media of the push, recorded or not. */
  private pushedMs: number;

  constructor(options: RecorderOptions) {
    this.options = options;
    this.pushedMs = options.pushedMs ?? 0;
  }

  partAdded(segment: Segment, part: LentPart): void {
    if (segment.parts.length === 1) this.beforeSegment(segment, part);
    this.file?.partAdded(segment);
    this.pushedMs += part.durationMs;
  }

  segmentEnded(segment: Segment): void {
    this.file?.segmentEnded(segment);
  }

  ended(how: PushEnding): void {
    this.finish(how);
  }

  /** Recordings begin with a segment that can be played by itself. */
  private beforeSegment({ sequence }: Segment, { isIndependent }: LentPart): void {
    const { durationMsMax, segmentsMax, open } = this.options;
    const { file } = this;
    const hasRoom = this.options.hasRoom();
    const isFull = (file?.segmentCount ?? 0) >= segmentsMax;
    const isLong = isIndependent && file && file.durationMs >= durationMsMax;
    if (file?.problem !== undefined || !hasRoom || isFull || isLong) this.finish('over');
    if (isIndependent && hasRoom) this.file ??= open(this.pushedMs, sequence);
  }

  private finish(how: PushEnding): void {
    const { file } = this;
    this.file = undefined;
    if (file) this.options.finish(file, how);
  }
}
