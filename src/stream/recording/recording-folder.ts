// Where a recording lies: a folder of its own with the source, its index and what is made of it.
import { mkdir, open, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isPlainName, pathIn } from '../../base/lib/plain-name.ts';
import type { KeptCaptions } from '../../library/captions/captions-store.ts';
import { sheetFiles, storyboardFile } from './storyboard.ts';
import { ladderSizeNames, type SizeName, variantNames } from './variants.ts';

/** A video that somebody asked for, beside those that pushes become. */
export type AskedVideo = 'clip' | 'upload';

/** What must be known of a recording should the service die before its video is made. */
export interface RecordingNote {
  channel_id: number;
  account_id: number;
  /** Media of its push before it, in milliseconds; absent where it is the first. */
  pushed_ms?: number;
  /** The show that it is of, by its beginning; absent in recordings from before there were any. */
  show_at?: number;
  /** Where nodes share the recordings of pushes: what this folder is of one. */
  stint?: NotedStint;
  /** What its video is called, where somebody asked for it: then it is kept whatever the account keeps of pushes. */
  name?: string;
  /** Which it then is; absent in those from before it was noted. */
  asked?: AskedVideo;
  /** The video whose own word says who may watch it, too; absent where it goes by its channel. */
  guarded?: number;
  /** Of a clip: its captions, until its video has them. */
  captions?: KeptCaptions[];
}

/** A holder's share in a recording, by the epoch that it had the push by. */
export interface NotedStint {
  recording: string;
  push: string;
  epoch: number;
  /** Of its first segment; those behind it follow without a gap. */
  sequence: number;
}

export const sourceFile = 'source.mp4';
export const sourceIndex = 'source.index';
export const mp4File = 'video.mp4';
export const coverFile = 'cover.jpg';
export const noteFile = 'recording.json';

/** A smaller size's own file and its index. */
export function sizeFiles(name: SizeName): { file: string; index: string } {
  return { file: `${name}.mp4`, index: `${name}.index` };
}

/**
 * A size that was made while the push was on, until a job takes it or removes it. Its index is called `growing` until all
 * of it is on the disk: after a power cut it would say more than there is.
 */
export function ladderFiles(name: SizeName): { file: string; index: string; growing: string } {
  const start = `${name}.ladder`;
  return { file: `${start}.mp4`, index: `${start}.index`, growing: `${start}.growing` };
}

/** All that a whole recording may have in its folder. */
export const recordingFileNames: readonly string[] = [
  noteFile,
  sourceFile,
  sourceIndex,
  mp4File,
  coverFile,
  ...sheetFiles,
  storyboardFile,
  ...[...variantNames, ...ladderSizeNames]
    .map(sizeFiles)
    .flatMap(({ file, index }) => [file, index]),
];

/** Of one recording: the only way from its name, which a row may hold, to a path. Throws where it is no name of ours. */
export function recordingFolder(dataDir: string, recording: string): string {
  return pathIn(recordingsFolder(dataDir), recording);
}

/** The folder of a stint: that of who begins a push is the recording's own, as it may become the video. */
export function stintFolderName(
  { recording, epoch }: Pick<NotedStint, 'recording' | 'epoch'>,
  goesOn: boolean,
): string {
  return goesOn ? `${recording}-e${epoch}` : recording;
}

/** Of all recordings. What lies in it is found by `recordingFolder`; a test says who else may ask. */
export function recordingsFolder(dataDir: string): string {
  return join(dataDir, 'recordings');
}

/** Where a recording that is fetched grows, or all of them: among the others, as those may be a disk of their own; none is called so. */
export function comingFolder(dataDir: string, recording?: string): string {
  const coming = join(recordingsFolder(dataDir), '.coming');
  return recording === undefined ? coming : pathIn(coming, recording);
}

export async function makeRecordingsFolder(dataDir: string): Promise<void> {
  await mkdir(recordingsFolder(dataDir), { recursive: true, mode: 0o700 });
}

/** Of those that lie there now; anything else, such as `lost+found`, is none. */
export async function recordingsIn(dataDir: string): Promise<string[]> {
  const names = (await orNothing(readdir(recordingsFolder(dataDir)))) ?? [];
  return names.filter(isPlainName).sort();
}

/** Made before the first byte is recorded; owner only, as all of the data folder. */
export async function createFolder(folder: string, note: RecordingNote): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // On the disk before any media is: a recording without its note would belong to nobody.
  await writeFile(join(folder, noteFile), JSON.stringify(note), { mode: 0o600, flush: true });
  for (const path of [folder, dirname(folder)]) await syncPath(path);
}

/** Undefined where the note is missing or broken: then nobody can know whose recording it was. */
export async function readNote(folder: string): Promise<RecordingNote | undefined> {
  const text = await orNothing(readFile(join(folder, noteFile), 'utf8'));
  try {
    const note = JSON.parse(text ?? '') as RecordingNote;
    const isWhole = Number.isSafeInteger(note.channel_id) && Number.isSafeInteger(note.account_id);
    return isWhole ? note : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where the file is not there. That it cannot be read now is something else, and is thrown. */
export async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Whether it held nothing, and is gone. */
export async function removeEmptyFolder(folder: string): Promise<boolean> {
  return await rmdir(folder).then(
    () => true,
    () => false,
  );
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Resolves when the file's bytes, or the folder's names, are on the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
