// Watches how much memory a process holds. The address space says nothing: the runtime alone reserves gigabytes of it.
import { readFile } from 'node:fs/promises';

/** A picture of the largest size takes longer than this to decode, and 100 MB. */
const lookEveryMs = 100;

/** `tooMuch` is called when it holds more than this; `clearInterval` ends it. */
export function watchMemory(pid: number, bytesMax: number, tooMuch: () => void): Timer {
  return setInterval(async () => {
    if ((await residentBytes(pid)) > bytesMax) tooMuch();
  }, lookEveryMs);
}

/** 0 where the process is gone, or the system is not Linux and does not tell. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return 1_024 * Number(kilobytes);
}
