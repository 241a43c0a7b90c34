// A file that appears whole or not at all: written under a temporary name, synced, then renamed.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../recording-folder.ts';

const temporaryMark = '.tmp-';

/** A name for what is to become `name`. */
export function temporaryName(name: string): string {
  return `${name}${temporaryMark}${randomBytes(6).toString('hex')}`;
}

/** Puts a finished temporary file in its place, so that a power cut leaves it whole or absent. */
export async function putInPlace(folder: string, temporary: string, name: string): Promise<void> {
  await syncPath(join(folder, temporary));
  await rename(join(folder, temporary), join(folder, name));
  await syncPath(folder);
}

/** Removes what a killed worker has left of these files. */
export async function removeTemporary(folder: string, names: readonly string[]): Promise<void> {
  const found = await readdir(folder).catch(() => []);
  const left = found.filter((file) => names.some((name) => file.startsWith(name + temporaryMark)));
  for (const file of left) await rm(join(folder, file), { force: true });
}

/** Small writes are gathered into ones of this size. */
const bufferBytes = 1_048_576;

/** Written from the front, in large pieces. */
export class SequentialFile {
  private readonly handle: FileHandle;
  private readonly buffer = Buffer.allocUnsafe(bufferBytes);
  private held = 0;
  size = 0;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  static async create(path: string): Promise<SequentialFile> {
    return new SequentialFile(await open(path, 'wx', 0o600));
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + this.buffer.length - this.held);
      this.buffer.set(piece, this.held);
      this.held += piece.length;
      at += piece.length;
      if (this.held === this.buffer.length) await this.flush();
    }
    this.size += bytes.length;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.handle.close();
    }
  }

  private async flush(): Promise<void> {
    for (let at = 0; at < this.held; ) {
      at += (await this.handle.write(this.buffer, at, this.held - at)).bytesWritten;
    }
    this.held = 0;
  }
}
