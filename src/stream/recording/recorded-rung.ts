// Records a smaller size of a push beside its source: where nothing of it is missing it is a size of the video.
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PushMemory } from '../live/push-memory.ts';
import type { FragmentReader, LentPart, Segment } from '../packaging/fragment.ts';
import type { Growing } from './account-room.ts';
import { RecordingFile } from './recording-file.ts';
import { ladderFiles } from './recording-folder.ts';
import type { GrowingRecording } from './recordings.ts';
import type { SizeName } from './variants.ts';
import type { WrittenSizes } from './written-sizes.ts';

export interface RecordedRungOptions {
  name: SizeName;
  /** The recording of the source that is being written now. */
  growing(): GrowingRecording | undefined;
  /** It takes room of its account's, until it is called what this answers. */
  counts(growing: Growing): () => void;
  /** Who makes something of its recording waits until it is whole. */
  written: WrittenSizes;
  memory: Pick<PushMemory, 'holder'>;
}

/** More of them would be of what is not recorded any more: a rung is behind by less than a segment, and the last may be short. */
const behindMax = 2;

/** What is written beside one recording. */
interface Beside {
  readonly file: RecordingFile;
  /** It is whole, or gone. */
  over(): void;
}

export class RecordedRung implements FragmentReader {
  private readonly options: RecordedRungOptions;

  /** The recording that was looked at last, whether or not this is written beside it. */
  private folder: string | undefined;
  private beside: Beside | undefined;
  /** Segments that began since the source's recording has ended. */
  private behind = 0;

  constructor(options: RecordedRungOptions) {
    this.options = options;
  }

  partAdded(segment: Segment, part: LentPart): void {
    if (segment.parts.length === 1) this.beforeSegment(segment);
    // Of the sound alone nothing is missing: there was none.
    if (part.bytes.length === 0 && this.options.name !== 'sound') this.giveUp();
    this.beside?.file.partAdded(segment);
  }

  segmentEnded(segment: Segment): void {
    const { beside } = this;
    if (beside?.file.problem !== undefined) this.giveUp();
    else beside?.file.segmentEnded(segment);
  }

  ended(): void {
    this.close();
  }

  /** It comes a little behind the source, and by less than a segment: the recording that grows is the one it is of. */
  private beforeSegment({ sequence }: Segment): void {
    const { name, counts, written, memory } = this.options;
    const source = this.options.growing();
    // The source's has ended, and what is left of this still comes.
    if (!source) {
      this.behind += 1;
      if (this.behind > behindMax) this.close();
      return;
    }
    this.behind = 0;
    // What is left of the recording before it still comes.
    if (source.folder === this.folder || sequence < source.sequence) return;
    this.close();
    this.folder = source.folder;
    // Of one that began before it, here or on another node, there would be a piece alone.
    const recording = basename(source.folder);
    const isBegun = source.stint && source.stint.recording !== recording;
    if (source.sequence !== sequence || isBegun) return;
    const { file: media, growing: index } = ladderFiles(name);
    const names = { file: media, index };
    const file = new RecordingFile(source.folder, undefined, memory.holder(), names);
    const uncount = counts(file);
    const isOver = written.begun(recording);
    const over = () => {
      uncount();
      isOver();
    };
    this.beside = { file, over };
  }

  private close(): void {
    const { beside } = this;
    this.beside = undefined;
    if (beside) void this.keep(beside.file).finally(beside.over);
  }

  /** Where it could not be written it stays as it is, which is not whole. */
  private async keep(file: RecordingFile): Promise<void> {
    await file.close();
    const { folder, problem } = file;
    if (problem !== undefined) return;
    const { growing, index } = ladderFiles(this.options.name);
    // Of a recording that was dropped nothing is left.
    await rename(join(folder, growing), join(folder, index)).catch(() => {});
  }

  /** Something is missing: all of it is made when the push is over. */
  private giveUp(): void {
    const { beside } = this;
    this.beside = undefined;
    if (!beside) return;
    const names = Object.values(ladderFiles(this.options.name));
    const { folder } = beside.file;
    void beside.file
      .close()
      .then(() => Promise.all(names.map((one) => rm(join(folder, one), { force: true }))))
      .finally(beside.over);
  }
}
