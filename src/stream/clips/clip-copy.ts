// Copies the segments of a clip into a recording of its own: bytes as they are, in a folder that appears whole.
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createFolder,
  type RecordingNote,
  sourceFile,
  sourceIndex,
  syncPath,
} from '../recording/recording-folder.ts';
import { type ByteRange, indexLine } from '../recording/recording-index.ts';
import type { StoredFile } from '../recording/stored-recording.ts';
import type { ChosenSegment } from './clip.ts';

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
  const sources = new Map<string, StoredFile>();
  const data = await open(join(making, sourceFile), 'wx', 0o600);
  try {
    const lines: string[] = [];
    let end = 0;
    const append = async (from: StoredFile, range: ByteRange) => {
      const at = end;
      for await (const piece of from.pieces(range)) {
        await data.writeFile(piece);
        end += piece.length;
      }
      return at;
    };
    let last: ChosenSegment | undefined;
    for (const segment of segments) {
      const { recording, init, ...kept } = segment;
      const { name } = recording;
      const from = sources.get(name) ?? (await recording.find(sourceFile));
      sources.set(name, from);
      const isSameInit = last?.recording.name === name && last.init.at === init.at;
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
    await data.close();
  }
  await syncPath(making);
  await rename(making, folder);
  await syncPath(dirname(folder));
}
