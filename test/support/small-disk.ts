// A disk of a few megabytes that a trial fills and empties: a size-limited tmpfs, for root only.
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Takes all room but so many bytes. */
  fill(leaveBytes?: number): void;
  /** Gives the room back. */
  empty(): void;
  unmount(): void;
}

export function mountSmallDisk(bytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'footlight-disk-'));
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'none', folder]);
  if (!mounted.success) {
    rmdirSync(folder);
    throw new Error(`mount failed: ${mounted.stderr.toString().trim()}`);
  }
  const ballast = join(folder, 'ballast');
  const unmount = () => {
    process.off('exit', unmount);
    // Lazily: a process that is being ended may still hold a file.
    Bun.spawnSync(['umount', '-l', folder]);
    rmdirSync(folder);
  };
  process.on('exit', unmount);
  return {
    folder,
    fill: (leaveBytes = 0) => {
      const { bavail, bsize } = statfsSync(folder);
      const taken = Math.max(0, bavail * bsize - leaveBytes);
      try {
        writeFileSync(ballast, Buffer.alloc(taken), { flag: 'a' });
      } catch (error) {
        // The service was faster to the last room: full is full.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    unmount,
  };
}

/** Why no disk can be mounted here, or undefined where it can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return 'tmpfs needs Linux';
  if (process.getuid?.() !== 0) return 'mounting needs root';
  try {
    mountSmallDisk(1_048_576).unmount();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
