// A disk in a file, for root only: what a power cut would leave of it can be looked at while it is still in use.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LoopDisk {
  folder: string;
  /** Mounts another disk that holds what this one has got of its system up to now. */
  afterPowerCut(): Promise<LoopDisk>;
  unmount(): void;
}

/**
 * Ext4 must not write by itself what nobody has synced: its journal is committed at the latest after this many
 * seconds, and the pages of a file are left alone for 30 s (vm.dirty_expire_centisecs).
 */
const commitSeconds = 600;

export function makeLoopDisk(bytes: number): LoopDisk {
  const home = mkdtempSync(join(tmpdir(), 'footlight-power-'));
  const image = join(home, 'disk.img');
  try {
    // Inode tables at once: nothing shall be written behind the trial's back.
    const lazy = 'lazy_itable_init=0,lazy_journal_init=0';
    run(['truncate', '-s', String(bytes), image]);
    run(['mkfs.ext4', '-q', '-E', lazy, image]);
    return mountImage(home, image);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

function mountImage(home: string, image: string): LoopDisk {
  const folder = join(home, 'mounted');
  mkdirSync(folder);
  run(['mount', '-o', `loop,commit=${commitSeconds}`, image, folder]);
  const device = run(['findmnt', '-n', '-o', 'SOURCE', '--target', folder]).trim();
  const unmount = () => {
    process.off('exit', unmount);
    // Lazily: a process that is being ended may still hold a file.
    Bun.spawnSync(['umount', '-l', folder]);
    rmSync(home, { recursive: true, force: true });
  };
  process.on('exit', unmount);
  return {
    folder,
    afterPowerCut: async () => {
      await untilStill(device);
      const other = mkdtempSync(join(tmpdir(), 'footlight-power-'));
      const copy = join(other, 'disk.img');
      const before = writesTo(device);
      // What the loop device has written is in the file, whether or not the machine below has it on its own disk.
      copyFileSync(image, copy);
      if (writesTo(device) !== before)
        throw new Error('the disk was written to while it was copied');
      return mountImage(other, copy);
    },
    unmount,
  };
}

/** Why no such disk can be had here, or undefined where it can. */
export function whyNoLoopDisk(): string | undefined {
  if (process.platform !== 'linux') return 'loop devices need Linux';
  if (process.getuid?.() !== 0) return 'mounting needs root';
  try {
    makeLoopDisk(8 * 1_048_576).unmount();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Resolves when every thread of a process that was sent SIGSTOP stands: a system call under way ends first. */
export async function untilStopped(pid: number): Promise<void> {
  const stands = (thread: string) => {
    const [, fields = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ');
    return fields.startsWith('T');
  };
  while (!readdirSync(`/proc/${pid}/task`).every(stands)) await Bun.sleep(1);
}

/** Two looks without a write between them: the last system call may still have had one under way. */
async function untilStill(device: string): Promise<void> {
  for (let before = -1; before !== writesTo(device); ) {
    before = writesTo(device);
    await Bun.sleep(5);
  }
}

/** Requests to write that the device has done, and those under way. */
function writesTo(device: string): number {
  const name = device.replace('/dev/', '');
  const fields = readFileSync(`/sys/block/${name}/stat`, 'utf8').trim().split(/\s+/).map(Number);
  return (fields[4] ?? 0) + (fields[8] ?? 0);
}

function run(command: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(command);
  if (!success) throw new Error(`${command[0]} failed: ${stderr.toString().trim()}`);
  return stdout.toString();
}
