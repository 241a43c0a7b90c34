#!/usr/bin/env node
// `npx footlight …`: hands the command line to the Bun that npm installed beside this package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const bun = bunFile();
if (!bun) {
  console.error('footlight: Bun is not installed; run `npm ci` in the folder of Footlight first');
  process.exit(1);
}
const child = spawn(bun, [join(here, '../src/cli/footlight.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// The terminal sends SIGINT to the child itself; what is sent to this process alone is passed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGTERM' ? 143 : 1)));

function bunFile() {
  try {
    const file = join(
      dirname(createRequire(import.meta.url).resolve('bun/package.json')),
      'bin/bun.exe',
    );
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
