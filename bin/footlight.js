#!/usr/bin/env node
// `footlight …`: hands the command line to the Bun that npm installed with this package.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBun, isMuslHere } from './bun-program.js';

const self = fileURLToPath(import.meta.url);
const here = dirname(self);
const { platform, arch } = process;
const { file, problem } = findBun({ from: self, platform, arch, isMusl: isMuslHere() });
if (file === undefined) {
  console.error(`footlight: ${problem}`);
  process.exit(1);
}
// Settings of Bun are the package's own: a bunfig.toml where somebody happens to stand may name any program.
const words = [
  `--config=${join(here, 'bunfig.toml')}`,
  '--no-install',
  join(here, '../src/cli/footlight.ts'),
  ...process.argv.slice(2),
];
if (typeof process.execve === 'function' && platform !== 'win32') takeItsPlace();
else runBeside();

/** Newer Nodes hand over the process itself: its signals, its exit code and its memory are the service's then. */
function takeItsPlace() {
  // It warns that this is experimental.
  process.removeAllListeners('warning');
  process.execve(file, [file, ...words], process.env);
}

/** What ends this process is passed on, and what ends the other one ends this. */
function runBeside() {
  const child = spawn(file, words, { stdio: 'inherit' });
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  const passOn = (signal) => child.kill(signal);
  process.on('SIGTERM', passOn);
  process.on('SIGHUP', passOn);
  // A terminal sends Ctrl-C to both, and a second one would end the service at once.
  process.on('SIGINT', hasTerminal ? () => {} : passOn);
  child.on('error', (error) => {
    console.error(`footlight: ${file} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
