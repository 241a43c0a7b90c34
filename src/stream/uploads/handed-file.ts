// A file of this machine becomes an upload without HTTP: one process hands it over, the service on that folder takes it.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { pathIn } from '../../base/lib/plain-name.ts';
import { AccountRoom } from '../recording/account-room.ts';
import { freeBytes } from '../recording/disk-room.ts';
import { orNothing, syncPath } from '../recording/recording-folder.ts';
import { recordingName } from '../recording/recordings.ts';
import { nameOf, type UploadRow } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';
import { addUpload, heldUploads, noteUpload, removeUpload } from './upload-store.ts';

/**
 * A file grows as `ID.coming` and is `ID` when all of it is on the disk. It is not made among the uploads: what no row
 * names is removed there, and between a file and its row there is always a moment.
 */
const comingEnding = '.coming';
/** One that no row names is given so long: then who made it is not about to add the row. */
const orphanMs = 3_600_000;

function handedFolder(dataDir: string): string {
  return join(dataDir, 'handed');
}

export interface HandOverOptions {
  dataDir: string;
  /** The name of the service on that folder. */
  node: string;
  store: Store;
  freeBytesMin: number;
  accountBytesMax: number;
  sizeMax: number;
  now: () => number;
  log: Log;
  /** So much is copied. */
  onCame(came: number): void;
  signal: AbortSignal;
}

export interface HandedOrder {
  /** The file; it stays as it is. */
  source: string;
  account_id: number;
  channel_id: number;
  /** Empty: as the file is called. */
  name: string;
}

/** Copies a file to where the service takes it; the upload that it is. Where that fails nothing of it is left. */
export async function handOver(order: HandedOrder, options: HandOverOptions): Promise<UploadRow> {
  const { source, account_id, channel_id } = order;
  const { dataDir, node, store, now } = options;
  const found = await stat(source);
  if (!found.isFile()) throw new Error(`${source} is no file`);
  const { size } = found;
  if (size === 0) throw new Error(`${source} is empty`);
  await checkRoom(order, size, options);
  const id = randomBytes(16).toString('hex');
  const folder = handedFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const coming = join(folder, `${id}${comingEnding}`);
  await (await open(coming, 'wx', 0o600)).close();
  let row: UploadRow | undefined;
  try {
    const filename = basename(source);
    row = await store.perform(addUpload, {
      ...{ id, channel_id, node, filename, size, now: now() },
      owner: { account_id, manager_id: 0 },
      recording: recordingName(now()),
      name: nameOf({ name: order.name, filename }),
    });
    await copyWhole({ source, coming, row }, options);
    await rename(coming, join(folder, id));
    await syncPath(folder);
    return row;
  } catch (error) {
    await rm(coming, { force: true });
    if (row) await store.perform(removeUpload, { id, account_id, channel_id });
    throw error;
  }
}

async function copyWhole(
  { source, coming, row }: { source: string; coming: string; row: UploadRow },
  { store, now, onCame, signal }: HandOverOptions,
): Promise<void> {
  const { id, account_id, size } = row;
  const from = await open(source, 'r');
  const to = await open(coming, 'r+');
  try {
    const piece = new Uint8Array(uploadLimits.writeBytes);
    let notedAt = now();
    let unsynced = 0;
    for (let came = 0; came < size; ) {
      if (signal.aborted) throw new Error('it was broken off');
      const { bytesRead } = await from.read(piece, 0, Math.min(piece.length, size - came), came);
      if (bytesRead === 0) throw new Error(`${source} has become shorter while it was read`);
      for (let done = 0; done < bytesRead; )
        done += (await to.write(piece, done, bytesRead - done, came + done)).bytesWritten;
      came += bytesRead;
      unsynced += bytesRead;
      onCame(came);
      if (unsynced >= uploadLimits.syncBytes) {
        await to.datasync();
        unsynced = 0;
      }
      if (now() - notedAt < uploadLimits.noteEveryMs) continue;
      notedAt = now();
      if (!(await store.perform(noteUpload, { id, account_id, came, now: notedAt })))
        throw new ApiError('noUpload', { message: 'Somebody has ended the upload meanwhile' });
    }
    await to.datasync();
  } finally {
    await from.close();
    await to.close();
  }
}

/**
 * Beside all that was promised on this disk, as an upload over HTTP. An account's share of the promises is not asked: who
 * owns the machine decides.
 */
async function checkRoom(
  { account_id }: HandedOrder,
  size: number,
  options: HandOverOptions,
): Promise<void> {
  const { dataDir, node, store, freeBytesMin, accountBytesMax, sizeMax, now, log } = options;
  if (size > sizeMax)
    throw new ApiError('tooLarge', {
      message: `The file has ${size} bytes; UPLOAD_SIZE_MAX allows ${sizeMax}`,
    });
  const promised = await store.perform(heldUploads, { node });
  const own = promised.filter((row) => row.account_id === account_id);
  const sum = (rows: readonly UploadRow[], of: (row: UploadRow) => number) =>
    rows.reduce((bytes, row) => bytes + of(row), 0);
  const room = new AccountRoom({ bytesMax: accountBytesMax, node, store, now, log });
  if (!(await room.hasRoomFor(account_id, sum(own, (row) => row.size) + size)))
    throw new ApiError('noRoom');
  const disk = uploadLimits.diskTimes * size;
  const others = sum(promised, (row) => uploadLimits.diskTimes * row.size - row.came);
  const free = ((await freeBytes(dataDir)) ?? 0) - freeBytesMin;
  if (disk + others > free)
    throw new ApiError('noRoom', {
      message: `The disk has too little room: the file needs ${disk} bytes, three times its own, beside ${others} that were promised to others, and ${Math.max(0, free)} are free above MIN_FREE_DISK`,
    });
}

/** Puts a whole one among the uploads, as `path`; how much of one that still grows has come; undefined where there is none. */
export async function takeHanded(
  dataDir: string,
  { id, path }: { id: string; path: string },
): Promise<{ came: number; isTaken: boolean } | undefined> {
  const whole = pathIn(handedFolder(dataDir), id);
  // First, as it is renamed to the other when it is whole: so it is found as one of the two.
  const growing = await orNothing(stat(`${whole}${comingEnding}`));
  if (growing) return { came: growing.size, isTaken: false };
  const found = await orNothing(stat(whole));
  if (!found) return undefined;
  await rename(whole, path);
  return { came: found.size, isTaken: true };
}

/** The ids of those that are whole; none where the folder cannot be read, as somebody else's. */
export async function wholeHanded(dataDir: string): Promise<string[]> {
  const names = await readdir(handedFolder(dataDir)).catch(() => []);
  return names.filter((name) => !name.endsWith(comingEnding));
}

/** Nothing is left of one. */
export async function removeHanded(dataDir: string, id: string): Promise<void> {
  const whole = pathIn(handedFolder(dataDir), id);
  for (const path of [whole, `${whole}${comingEnding}`]) await rm(path, { force: true });
}

/** Those that no row names go, where nobody is about to add one. */
export async function sweepHanded(
  dataDir: string,
  { isNamed, now }: { isNamed(id: string): boolean; now: number },
): Promise<void> {
  const folder = handedFolder(dataDir);
  for (const name of await readdir(folder).catch(() => [])) {
    if (isNamed(name.replace(comingEnding, ''))) continue;
    const found = await orNothing(stat(join(folder, name)));
    if (found && now - found.mtimeMs >= orphanMs) await rm(join(folder, name), { force: true });
  }
}
