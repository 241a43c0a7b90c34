// Copies the segments of a clip into a recording of its own: bytes as they are, in a folder that appears whole.
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createFolder,
  type RecordingNote,
  sourceFile,
  sourceIndex,
  syncPath,
} from '../recording/recording-folder.ts';
import { type ByteRange, indexLine } from '../recording/recording-index.ts';
import type { ChosenSegment } from './clip.ts';
import { clipLimits } from './clip-limits.ts';

export interface ClipCopy {
  segments: readonly ChosenSegment[];
  note: RecordingNote;
  /** Where it is made; whatever is left there by a kill is removed by the next start. */
  making: string;
  /** Where it lies when it is whole. */
  folder: string;
}

export async function copyClip({ segments, note, making, folder }: ClipCopy): Promise<void> {
  await createFolder(making, note);
  const sources = new Map<string, FileHandle>();
  const data = await open(join(making, sourceFile), 'wx', 0o600);
  try {
    const lines: string[] = [];
    let end = 0;
    const append = async (from: FileHandle, range: ByteRange) => {
      await copyRange(from, data, { ...range, to: end });
      const at = end;
      end += range.size;
      return at;
    };
    let last: ChosenSegment | undefined;
    for (const segment of segments) {
      const { folder: of, init, ...kept } = segment;
      const from = sources.get(of) ?? (await open(join(of, sourceFile), 'r'));
      sources.set(of, from);
      const isSameInit = last?.folder === of && last.init.at === init.at;
      if (!isSameInit)
        lines.push(indexLine({ kind: 'init', ...init, at: await append(from, init) }));
      const joins = last === undefined || (isSameInit && !kept.isDiscontinuity);
      const at = await append(from, kept);
      lines.push(indexLine({ kind: 'segment', ...kept, at, isDiscontinuity: !joins }));
      last = segment;
    }
    await data.sync();
    const index = await open(join(making, sourceIndex), 'wx', 0o600);
    try {
      await index.writeFile(lines.join(''));
      await index.sync();
    } finally {
      await index.close();
    }
  } finally {
    await Promise.allSettled([data, ...sources.values()].map((file) => file.close()));
  }
  await syncPath(making);
  await rename(making, folder);
  await syncPath(dirname(folder));
}

async function copyRange(
  from: FileHandle,
  into: FileHandle,
  { at, size, to }: ByteRange & { to: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(size, clipLimits.copyBytes));
  for (let done = 0; done < size; ) {
    const wanted = Math.min(buffer.length, size - done);
    const { bytesRead } = await from.read(buffer, 0, wanted, at + done);
    if (bytesRead === 0) throw new Error('the recording is shorter than its index says');
    for (let written = 0; written < bytesRead; ) {
      const { bytesWritten } = await into.write(
        buffer,
        written,
        bytesRead - written,
        to + done + written,
      );
      written += bytesWritten;
    }
    done += bytesRead;
  }
}
