// A file that a command writes: whole or not at all, never over another unasked, and gone on with after a cut.
import {
  constants,
  type FileHandle,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { refused } from './exit-codes.ts';
import type { Output } from './output.ts';

export interface Target {
  path: string;
  /** It may take the place of one that is there. */
  force: boolean;
  /** All in it is the service's: no command writes its file there. */
  dataDir: string;
}

/** Where a command's output goes: a file, or standard output. */
export interface Destination extends Omit<Target, 'path'> {
  to: string | undefined;
  out: Output;
}

/** It grows under this name, and has its own when it is whole. */
const partEnding = '.part';
/** So much of the end of what is there is held against the source before it is gone on with. */
const comparedBytes = 65_536;

/** Throws where there is such a file and it is not to be replaced, or where it would be one of the service's. */
export async function checkTarget({ path, force, dataDir }: Target): Promise<void> {
  if (await liesIn(dataDir, path))
    throw refused(
      `${path} lies in the data folder ${dataDir}, which is the service’s: name another place`,
    );
  if (!force && (await isThere(path)))
    throw refused(`${path} is there already: --force replaces it`);
}

/** Text or bytes, piece by piece, to a file or to standard output. */
export async function writePieces(
  next: () => Promise<string | Uint8Array | undefined>,
  target: Destination,
): Promise<void> {
  await writeTo(target, async (write) => {
    for (let piece = await next(); piece !== undefined; piece = await next()) await write(piece);
  });
}

/** The same for who writes by itself. Where that fails there is no file. */
export async function writeTo<T>(
  { to, force, dataDir, out }: Destination,
  work: (write: (piece: string | Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (to === undefined || to === '-') return await work((piece) => out.raw(piece));
  const target = { path: to, force, dataDir };
  await checkTarget(target);
  const part = `${to}${partEnding}`;
  const file = await newPart(part);
  try {
    const made = await work((piece) => file.writeFile(piece));
    await finish(file, part, target);
    return made;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** What is downloaded. */
export interface Source {
  /** Undefined where nobody says. */
  size: number | undefined;
  /** From an offset on. */
  read(from: number): AsyncIterable<Uint8Array>;
}

/** A source as a file; what an earlier try has left of it is gone on with. How much there was of it. */
export async function download(
  source: Source,
  target: Target,
  onCame: (came: number) => void,
): Promise<{ bytes: number; resumedAt: number }> {
  await checkTarget(target);
  const part = `${target.path}${partEnding}`;
  const file = (await leftPart(part)) ?? (await newPart(part));
  try {
    const resumedAt = await knownBytes(file, source);
    await file.truncate(resumedAt);
    let came = resumedAt;
    onCame(came);
    for await (const piece of source.read(came)) {
      await writeAll(file, piece, came);
      came += piece.length;
      onCame(came);
    }
    if (source.size !== undefined && came !== source.size)
      throw new Error(`${came} bytes have come of ${source.size}: run it again to go on`);
    await finish(file, part, target);
    return { bytes: came, resumedAt };
  } finally {
    await file.close();
  }
}

/** Made anew: what lies there may be others' to read, or lead elsewhere. */
async function newPart(part: string): Promise<FileHandle> {
  await rm(part, { force: true });
  return await open(part, 'wx+', 0o600);
}

/** What an earlier try has left, where nobody else can have written it or reads it: a file of our own, under this name alone. */
async function leftPart(part: string): Promise<FileHandle | undefined> {
  // Without waiting: a pipe that somebody has put there would never be opened.
  const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(part, flags).catch(() => undefined);
  if (!file) return undefined;
  const found = await file.stat();
  const isOwn = found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (found.isFile() && isOwn && found.nlink === 1) return file;
  await file.close();
  return undefined;
}

/** How much of what is there is of this source: all, where its end is the same, else nothing. */
async function knownBytes(file: FileHandle, source: Source): Promise<number> {
  const { size: there } = await file.stat();
  if (there === 0 || (source.size !== undefined && there > source.size)) return 0;
  const from = Math.max(0, there - comparedBytes);
  const kept = new Uint8Array(there - from);
  await file.read(kept, 0, kept.length, from);
  let at = 0;
  for await (const piece of source.read(from)) {
    const compared = Math.min(piece.length, kept.length - at);
    if (Buffer.compare(piece.subarray(0, compared), kept.subarray(at, at + compared)) !== 0)
      return 0;
    at += compared;
    if (at === kept.length) return there;
  }
  return 0;
}

async function writeAll(file: FileHandle, piece: Uint8Array, from: number): Promise<void> {
  for (let done = 0; done < piece.length; )
    done += (await file.write(piece, done, piece.length - done, from + done)).bytesWritten;
}

/** On the disk before it has its name. */
async function finish(file: FileHandle, part: string, target: Target): Promise<void> {
  await file.datasync();
  await checkTarget(target);
  await rename(part, target.path);
  const folder = await open(dirname(target.path), 'r');
  await folder.sync().finally(() => folder.close());
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Whether a path leads into a folder, or into what that leads to by links. Compared is what lies there, not how it is
 * spelled: there are many ways to write one place.
 */
async function liesIn(dataDir: string, path: string): Promise<boolean> {
  const names = await readdir(dataDir).catch(() => []);
  const owned = new Set<string>();
  for (const one of [dataDir, ...names.map((name) => join(dataDir, name))]) {
    const id = await identityOf(one);
    if (id !== undefined) owned.add(id);
  }
  const isOwned = async (one: string) => owned.has((await identityOf(one)) ?? '');
  if (await isOwned(path)) return true;
  // One that is not there holds no file; whoever opens it is told so.
  let folder = await realpath(dirname(resolve(path))).catch(() => undefined);
  while (folder !== undefined) {
    if (await isOwned(folder)) return true;
    const above = dirname(folder);
    folder = above === folder ? undefined : above;
  }
  return false;
}

/** The same for every path that leads to the same file or folder. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev} ${found.ino}`;
}
