// How the service runs a program of its own as a process: with this Bun, and with nothing from where it happens to stand.
import { fileURLToPath } from 'node:url';

const bunSettings = fileURLToPath(new URL('../../../bin/bunfig.toml', import.meta.url));

/**
 * The words of the command. Bun would read a bunfig.toml and a .env of the folder that the service was started in, and
 * would fetch a package that is missing from the network, unasked.
 */
export function ownProgram(program: URL): string[] {
  return [
    process.execPath,
    `--config=${bunSettings}`,
    '--no-env-file',
    '--no-install',
    fileURLToPath(program),
  ];
}
