// The recordings of a data folder, as a backup takes them along.
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { orNothing, recordingFolder } from '../stream/recording/recording-folder.ts';
import { backupLimits, isRecordingFile } from './backup-format.ts';

/** Of one that still grows the indexes come first: what they name is in the media that is read after them. */
async function filesOf(folder: string): Promise<string[]> {
  const names = ((await orNothing(readdir(folder))) ?? []).filter(isRecordingFile).sort();
  const isIndex = (name: string) => !name.endsWith('.mp4');
  return [...names.filter(isIndex), ...names.filter((name) => !isIndex(name))];
}

/** What they take on the disk now. */
export async function bytesOfRecordings(
  dataDir: string,
  recordings: readonly string[],
): Promise<number> {
  let bytes = 0;
  for (const recording of recordings) {
    const folder = recordingFolder(dataDir, recording);
    for (const file of await filesOf(folder))
      bytes += (await orNothing(stat(join(folder, file))))?.size ?? 0;
  }
  return bytes;
}

export interface OpenedFile {
  recording: string;
  file: string;
  /** As long as it was when it was opened; what it grows by later is not read. */
  size: number;
  pieces: AsyncIterable<Uint8Array>;
}

/** Each file of a recording, opened when it is asked for; those that have gone meanwhile are passed by. */
export async function* openedFiles(dataDir: string, recording: string): AsyncGenerator<OpenedFile> {
  const folder = recordingFolder(dataDir, recording);
  for (const file of await filesOf(folder)) {
    const handle = await orNothing(open(join(folder, file), 'r'));
    if (!handle) continue;
    try {
      const found = await handle.stat();
      if (!found.isFile()) continue;
      const { size } = found;
      yield { recording, file, size, pieces: piecesOf(handle, { size, file }) };
    } finally {
      await handle.close();
    }
  }
}

/** Each piece is good until the next is asked for. */
async function* piecesOf(
  handle: FileHandle,
  { size, file }: Pick<OpenedFile, 'size' | 'file'>,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.alloc(Math.min(size, backupLimits.fileBytes));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(bytes, 0, Math.min(size - at, bytes.length), at);
    if (bytesRead === 0) throw new Error(`${file} of a recording became shorter while it was read`);
    at += bytesRead;
    yield bytes.subarray(0, bytesRead);
  }
}
