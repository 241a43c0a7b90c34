// Where a recording lies: a folder of its own with the source, its index and what is made of it.
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What must be known of a recording should the service die before its video is made. */
export interface RecordingNote {
  channel_id: number;
  account_id: number;
}

export const sourceFile = 'source.mp4';
export const sourceIndex = 'source.index';
const noteFile = 'recording.json';

export function recordingsFolder(dataDir: string): string {
  return join(dataDir, 'recordings');
}

/** Made before the first byte is recorded; owner only, as all of the data folder. */
export async function createFolder(folder: string, note: RecordingNote): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // On the disk before any media is: a recording without its note would belong to nobody.
  await writeFile(join(folder, noteFile), JSON.stringify(note), { mode: 0o600, flush: true });
  for (const path of [folder, dirname(folder)]) await syncFolder(path);
}

/** Undefined where the note is missing or broken: then nobody can know whose recording it was. */
export async function readNote(folder: string): Promise<RecordingNote | undefined> {
  try {
    const note = JSON.parse(await readFile(join(folder, noteFile), 'utf8')) as RecordingNote;
    const isWhole = Number.isSafeInteger(note.channel_id) && Number.isSafeInteger(note.account_id);
    return isWhole ? note : undefined;
  } catch {
    return undefined;
  }
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
