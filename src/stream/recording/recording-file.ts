// One recording while it is written: fragments appended to a file, lines to its index, off the main thread.
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import { shownSize } from '../formats/packet.ts';
import { pushLimits } from '../live/push-limits.ts';
import { type HeldBytes, uncounted } from '../live/push-memory.ts';
import type { HeldSegment, Segment } from '../packaging/fragment.ts';
import { createFolder, type RecordingNote, sourceFile, sourceIndex } from './recording-folder.ts';
import { indexLine } from './recording-index.ts';

/** What is done to the files, in order. */
type Step = { data: Uint8Array } | { line: string; written?: HeldSegment };

export class RecordingFile {
  readonly folder: string;
  /** Undefined of a smaller size: it lies beside the source. */
  private readonly note: RecordingNote | undefined;
  private readonly held: HeldBytes;
  private readonly names: { file: string; index: string };

  private steps: Step[] = [];
  private waitingBytes = 0;
  private readonly writing = new UntilEmpty({
    isEmpty: () => this.steps.length === 0,
    work: () => this.writeSteps(),
  });
  private files: { data: FileHandle; index: FileHandle } | undefined;
  private end = 0;
  private segmentAt = 0;
  /** The segment that grows. */
  private segment: HeldSegment | undefined;
  private initSequence: number | undefined;
  private isClosed = false;
  /** Recorded so far. */
  durationMs = 0;
  segmentCount = 0;
  /** Why nothing more can be written. */
  problem: unknown;
  /** Told when a segment is on the disk and named in the index. */
  onSegment: (() => void) | undefined;

  constructor(
    folder: string,
    note: RecordingNote | undefined,
    held = uncounted,
    names = { file: sourceFile, index: sourceIndex },
  ) {
    this.folder = folder;
    this.note = note;
    this.held = held;
    this.names = names;
  }

  /** What another node has recorded of it counts, too. */
  goesOn(before: { durationMs: number; segments: number } | undefined): void {
    this.durationMs += before?.durationMs ?? 0;
    this.segmentCount += before?.segments ?? 0;
  }

  /** Given to it so far. */
  get bytes(): number {
    return this.end;
  }

  /** Given to it and not written yet: beyond `pushLimits.recordingQueueBytes` it gives up. */
  get unwrittenBytes(): number {
    return this.waitingBytes;
  }

  /** For whoever can wait: resolves when all that was given to it is written, or cannot be. */
  async written(): Promise<void> {
    await this.writing.settled();
  }

  /** The segment's last part is new. */
  partAdded(segment: Segment): void {
    if (segment.parts.length === 1) this.startSegment(segment);
    const part = this.segment?.parts.at(-1);
    if (!part) return;
    this.append(part.bytes);
    this.durationMs += part.durationMs;
  }

  segmentEnded(segment: Segment): void {
    const { durationMs, startsAt, isDiscontinuity, parts } = segment;
    const line = indexLine({
      kind: 'segment',
      at: this.segmentAt,
      size: this.end - this.segmentAt,
      durationMs,
      isIndependent: parts[0]?.isIndependent ?? false,
      isDiscontinuity,
      startsAt,
    });
    this.step({ line, ...(this.segment && { written: this.segment }) });
    this.segment = undefined;
  }

  /** Resolves when all that could be written is on the disk. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.writing.settled();
    const { files } = this;
    this.files = undefined;
    if (!files) return;
    await syncAll(files).catch((error) => this.fail(error));
    await Promise.allSettled([files.data.close(), files.index.close()]);
  }

  private startSegment(segment: Segment): void {
    this.segment = segment.hold();
    this.segmentCount += 1;
    const { init } = segment;
    if (init.sequence !== this.initSequence) {
      this.initSequence = init.sequence;
      const at = this.end;
      const picture = init.tracks.find((track) => track.kind === 'video');
      const { width, height } = picture ? shownSize(picture) : { width: 0, height: 0 };
      this.append(init.bytes);
      this.step({ line: indexLine({ kind: 'init', at, size: init.bytes.length, width, height }) });
    }
    this.segmentAt = this.end;
  }

  private append(data: Uint8Array): void {
    this.end += data.length;
    if (this.problem !== undefined || this.isClosed) return;
    this.wait(data.length);
    if (this.waitingBytes > pushLimits.recordingQueueBytes)
      this.fail(new Error('the disk is too slow'));
    else this.step({ data });
  }

  private step(step: Step): void {
    if (this.problem !== undefined || this.isClosed) return;
    this.steps.push(step);
    this.writing.begin();
  }

  private async openFiles() {
    const { folder, note, names } = this;
    if (note) await createFolder(folder, note);
    else await mkdir(folder, { recursive: true, mode: 0o700 });
    const data = await open(join(folder, names.file), 'ax', 0o600);
    try {
      return { data, index: await open(join(folder, names.index), 'ax', 0o600) };
    } catch (error) {
      await data.close();
      throw error;
    }
  }

  private async writeSteps(): Promise<void> {
    try {
      this.files ??= await this.openFiles();
      const steps = this.steps;
      this.steps = [];
      await writeSteps(this.files, steps, { isSafe: this.note !== undefined });
      for (const step of steps) this.stepDone(step);
    } catch (error) {
      this.fail(error);
    }
  }

  private stepDone(step: Step): void {
    if (this.problem === undefined && 'data' in step) this.wait(-step.data.length);
    if ('data' in step) return;
    step.written?.release();
    if (step.written) this.onSegment?.();
  }

  private wait(bytes: number): void {
    this.waitingBytes += bytes;
    this.held.set(this.waitingBytes);
  }

  private fail(error: unknown): void {
    this.problem ??= error;
    this.steps = [];
    this.wait(-this.waitingBytes);
  }
}

/**
 * Fragments before the line that names them; where it must be safe a segment is on the disk before the index says so.
 * What lies beside the source is worth nothing before it is whole: it is synced once, at its end.
 */
async function writeSteps(
  files: { data: FileHandle; index: FileHandle },
  steps: readonly Step[],
  { isSafe }: { isSafe: boolean },
) {
  let data: Uint8Array[] = [];
  for (const step of steps) {
    if ('data' in step) {
      data.push(step.data);
      continue;
    }
    await writeAll(files.data, data);
    data = [];
    if (isSafe) await files.data.datasync();
    await writeAll(files.index, [Buffer.from(step.line)]);
  }
  await writeAll(files.data, data);
}

/** A disk that fills up takes a part of the bytes: the rest is then refused with its reason. */
async function writeAll(file: FileHandle, buffers: Uint8Array[]): Promise<void> {
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length; ) {
      const { bytesWritten } = await file.write(buffer, at);
      at += bytesWritten;
    }
  }
}

async function syncAll({ data, index }: { data: FileHandle; index: FileHandle }): Promise<void> {
  await data.sync();
  await index.sync();
}
