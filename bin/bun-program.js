// Finds the program of Bun among what npm has installed, whether or not its install script was run.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Smaller is the text that the package `bun` has in the program's place until its install script is run. */
const programBytesMin = 1_000_000;

/**
 * The program's file, or a sentence that says what is lacking. `from` is a file of the package that depends on `bun`.
 * npm brings the program as one of the optional packages `@oven/bun-…`; Bun's install script, where npm runs it, moves
 * it into the package `bun`.
 */
export function findBun({ from, platform, arch, isMusl }) {
  const names = platformPackages({ platform, arch, isMusl });
  if (names.length === 0)
    return {
      problem: `Bun has no program for ${platform} on ${arch}, so Footlight cannot run here`,
    };
  const bun = packageFolder('bun', [from]);
  if (bun === undefined)
    return { problem: 'the package bun is not installed; install Footlight again: npm install' };
  const program = platform === 'win32' ? 'bin/bun.exe' : 'bin/bun';
  const folders = names.map((name) => packageFolder(name, [join(bun, 'package.json'), from]));
  const files = [
    ...folders.flatMap((folder) => (folder === undefined ? [] : [join(folder, program)])),
    join(bun, 'bin/bun.exe'),
  ];
  const file = files.find(isProgram);
  if (file !== undefined) return { file };
  const unusable = files.find((one) => existsSync(one) && statSync(one).size >= programBytesMin);
  if (unusable !== undefined)
    return {
      problem: `${unusable} may not be run by this user; give it the right to (chmod a+rx)`,
    };
  const { version } = JSON.parse(readFileSync(join(bun, 'package.json'), 'utf8'));
  return {
    problem:
      `Bun's program for this machine is not installed (${names[0]}). It is an optional package: ` +
      `install Footlight again without --omit=optional, or add it: npm install ${names[0]}@${version}`,
  };
}

/** Linux's C library, as Node itself says it: musl has no version of glibc. */
export function isMuslHere() {
  if (process.platform !== 'linux') return false;
  const { header } = /** @type {{ header: Record<string, unknown> }} */ (reportWithoutNetwork());
  return header['glibcVersionRuntime'] === undefined;
}

/** With the network it would look up a name for every connection. */
function reportWithoutNetwork() {
  const before = process.report.excludeNetwork;
  process.report.excludeNetwork = true;
  const report = process.report.getReport();
  process.report.excludeNetwork = before;
  return report;
}

const systems = {
  linux: 'linux',
  android: 'linux',
  darwin: 'darwin',
  freebsd: 'freebsd',
  win32: 'windows',
};
const machines = { x64: 'x64', arm64: 'aarch64' };

/** Best first. A system of musl may also run what is made for glibc, where that is installed beside it. */
function platformPackages({ platform, arch, isMusl }) {
  const system = systems[platform];
  const machine = machines[arch];
  if (system === undefined || machine === undefined) return [];
  const plain = `@oven/bun-${system}-${machine}`;
  if (platform === 'android') return [`${plain}-android`];
  return isMusl ? [`${plain}-musl`, plain] : [plain];
}

function packageFolder(name, lookedForBy) {
  for (const file of lookedForBy) {
    try {
      return dirname(createRequire(file).resolve(`${name}/package.json`));
    } catch {
      // Maybe the next one has it.
    }
  }
  return undefined;
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).size >= programBytesMin;
  } catch {
    return false;
  }
}
