// The index beside a recording: which bytes of its file are which segment, one JSON line each.
import { MediaError } from '../formats/packet.ts';

/** A range of the recording's file. */
export interface ByteRange {
  at: number;
  size: number;
}

export interface RecordedInit extends ByteRange {
  /** 0 for both where there is no picture. */
  width: number;
  height: number;
}

export interface RecordedSegment extends ByteRange {
  init: RecordedInit;
  durationMs: number;
  /** Decoding can start with it. */
  isIndependent: boolean;
  /** It does not go on from the segment before. */
  isDiscontinuity: boolean;
  /** Wall time of its first packet, epoch milliseconds. */
  startsAt: number;
}

export type IndexLine = ({ kind: 'init' } & RecordedInit) | IndexSegment;
export type IndexSegment = { kind: 'segment' } & Segment;
type Segment = Omit<RecordedSegment, 'init'>;

export function indexLine(line: IndexLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The whole index of these segments. */
export function indexText(segments: readonly RecordedSegment[]): string {
  let init: RecordedInit | undefined;
  let text = '';
  for (const { init: of, ...segment } of segments) {
    if (of !== init) text += indexLine({ kind: 'init', ...of });
    text += indexLine({ kind: 'segment', ...segment });
    init = of;
  }
  return text;
}

/** The segments of an index. A last line that a crash has cut is left out; any other damage is an error. */
export function readIndex(text: string): RecordedSegment[] {
  return [...segmentsIn(text)];
}

/** The same one by one: a day of segments takes longer than others should wait. */
export function segmentsIn(text: string): Generator<RecordedSegment> {
  return new IndexReading().read(text);
}

/** An index that grows while it is read: what came since is read on its own. */
export class IndexReading {
  private init: RecordedInit | undefined;
  private mediaEnd = 0;
  /** How much of it was read; a last line that is not whole is none of it. */
  at = 0;

  /** `text` is what stands in it from `at` on. */
  *read(text: string): Generator<RecordedSegment> {
    for (let from = 0, to = 0; ; from = to + 1) {
      to = text.indexOf('\n', from);
      if (to < 0) return;
      this.at += to + 1 - from;
      const { kind, ...line } = lineOf(text.slice(from, to));
      if (line.at < this.mediaEnd)
        throw new MediaError('The index of the recording overlaps itself');
      this.mediaEnd = line.at + line.size;
      if (kind === 'init') this.init = line as RecordedInit;
      else if (this.init) yield { ...(line as Segment), init: this.init };
      else throw new MediaError('The index of the recording lacks its first init');
    }
  }
}

/** Where the size changes on the way, the largest is what the video is said to have. */
export function largestPicture(
  segments: readonly RecordedSegment[],
): Pick<RecordedInit, 'width' | 'height'> {
  let best = { width: 0, height: 0 };
  for (const { init } of segments)
    if (init.width * init.height > best.width * best.height) best = init;
  return best;
}

/** Throws where it is none. */
export function lineOf(text: string): IndexLine {
  try {
    const line = JSON.parse(text) as Partial<IndexLine>;
    const isRange = isCount(line.at) && isCount(line.size);
    if (isRange && line.kind === 'init' && isCount(line.width) && isCount(line.height))
      return line as IndexLine;
    if (isRange && line.kind === 'segment' && isCount(line.durationMs) && isCount(line.startsAt))
      return line as IndexLine;
  } catch {
    // Not JSON: told below.
  }
  throw new MediaError('The index of the recording is damaged');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
