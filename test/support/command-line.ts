// The command line as people type it, in a process of its own.
import { join } from 'node:path';

export const program = join(import.meta.dir, '../../src/cli/footlight.ts');

export interface Ran {
  code: number;
  out: string;
  err: string;
  /** The lines of standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each command prints what it prints
  lines(): any[];
}

export async function run(settings: Record<string, string>, ...words: string[]): Promise<Ran> {
  const child = Bun.spawn([process.execPath, program, ...words], {
    env: { PATH: process.env['PATH'] ?? '', RTMP_PORT: '0', ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return {
    code,
    out,
    err,
    lines: () =>
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}
