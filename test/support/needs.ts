// Tests that need what not every machine grants: root, strace, Linux.
import { test } from 'bun:test';

/** Skipped where something is lacking, and says what; in CI nothing may be skipped, so it runs and fails there. */
export function testWith(
  lacking: string | undefined,
  name: string,
  run: () => Promise<void>,
  timeoutMs?: number,
): void {
  if (lacking === undefined || process.env['CI'] === 'true') test(name, run, timeoutMs);
  else test.skip(`${name} (skipped: ${lacking})`, run);
}

export const notLinux =
  process.platform === 'linux' ? undefined : 'it reads /proc and needs prlimit, so Linux';
