// Whole files of a recording put into the bucket, fetched from it, and all of its objects removed.
import { randomBytes } from 'node:crypto';
import { mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bucket } from '../../base/objects/bucket.ts';
import { keyStart } from './bucket-recordings.ts';
import { bucketSpoolLimits } from './bucket-spool-limits.ts';
import type { RecordedObject } from './recorded-object-store.ts';
import { orNothing, syncPath } from './recording-folder.ts';
import { type StoredRecording, tagOf } from './stored-recording.ts';

/** One put after the other, each when it is its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export interface Putting {
  bucket: Bucket;
  inTurn: InTurn;
  signal: AbortSignal;
  /** Of one object. */
  pieceBytesMax?: number;
}

/** The file as objects that are not named yet; none where it is not there. No key is ever used twice. */
export async function putFile(
  { bucket, inTurn, signal, pieceBytesMax = bucketSpoolLimits.pieceBytesMax }: Putting,
  { recording, folder, file }: { recording: string; folder: string; file: string },
): Promise<RecordedObject[]> {
  const path = join(folder, file);
  const found = await orNothing(stat(path));
  if (!found?.isFile() || found.size === 0) return [];
  const { size, mtimeMs } = found;
  const tag = tagOf({ size, mtimeMs });
  const objects: RecordedObject[] = [];
  const start = newKeyStart(recording);
  for (let at = 0; at < size; at += pieceBytesMax) {
    const piece = { at, size: Math.min(pieceBytesMax, size - at) };
    const key = `${start}${objects.length}-${file}`;
    await inTurn(() => bucket.putFile(key, { path, ...piece }, signal));
    objects.push({ file, key, tag, ...piece });
  }
  return objects;
}

export function newKeyStart(recording: string): string {
  return `${keyStart(recording)}${randomBytes(8).toString('hex')}/`;
}

/** The files as they were on a disk, in a folder that is made for them; those that are not there are passed by. */
export async function fetchFiles(
  from: StoredRecording,
  { folder, files, signal }: { folder: string; files: readonly string[]; signal: AbortSignal },
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of files) {
    const found = await orNothing(from.find(file));
    if (!found) continue;
    const { size } = found;
    const handle = await open(join(folder, file), 'w', 0o600);
    try {
      // What names other files or segments is text, as it stood on the disk.
      if (isText(file)) await handle.writeFile(await from.text(file));
      else
        for await (const piece of found.pieces({ at: 0, size })) {
          signal.throwIfAborted();
          await handle.writeFile(piece);
        }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  await syncPath(folder);
}

function isText(file: string): boolean {
  return file.endsWith('.index') || file.endsWith('.json');
}

/** All that is under the name of a recording, named or not. */
export async function removeObjects(bucket: Bucket, recording: string): Promise<void> {
  for (;;) {
    const { objects } = await bucket.list(keyStart(recording));
    if (objects.length === 0) return;
    await bucket.remove(objects.map(({ key }) => key));
  }
}
