// The package as npm makes and installs it: in a folder of its own, without install scripts, where nothing may be written.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { copyFile, link, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = join(import.meta.dir, '../..');

/** What a checkout has beside its sources. */
const notSources = ['node_modules', '.git', 'data', 'built'];

/** `npm pack` in a copy of the sources, so that nothing of the checkout is touched; the tarball. */
export async function packed(folder: string): Promise<string> {
  const copy = join(folder, 'sources');
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(root)) {
    if (notSources.includes(name)) continue;
    const filter = (from: string) => !from.includes('/node_modules');
    cpSync(join(root, name), join(copy, name), { recursive: true, filter });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const made = await ran(['npm', 'pack', '--json', '--pack-destination', folder], { cwd: copy });
  const [{ filename }] = JSON.parse(made.slice(made.indexOf('['))) as [{ filename: string }];
  return join(folder, filename);
}

/** The names of the files of a tarball, from the package's root on. */
export async function filesOf(tarball: string): Promise<string[]> {
  const names = await ran(['tar', '-tzf', tarball]);
  return names
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
}

/** By npm, from the registry, in an empty folder. `more` are words of npm's, or other packages. */
export async function installByNpm(
  folder: string,
  tarball: string,
  more: readonly string[] = [],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{}');
  const words = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...more];
  await ran(['npm', 'install', ...words, tarball], { cwd: folder });
}

/** As npm does it without install scripts, but of what the checkout has installed already: the network is not asked. */
export async function installOfCheckout(folder: string, tarball: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const path of productionPackages()) {
    const to = join(folder, path);
    await mkdir(dirname(to), { recursive: true });
    // Links where both are on one disk; otherwise copies.
    await ran(['cp', '-al', join(root, path), to]).catch(() =>
      ran(['cp', '-a', join(root, path), to]),
    );
  }
  await withoutInstallScript(modules);
  const own = join(modules, 'footlight');
  await mkdir(own);
  await ran(['tar', '-xzf', tarball, '-C', own, '--strip-components=1']);
  await symlink('../footlight/bin/footlight.js', join(modules, '.bin/footlight'));
}

/** Those of the lock file that are not for developers, and are there: the platform's own. */
function productionPackages(): string[] {
  const { packages } = require(join(root, 'package-lock.json')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const all = Object.keys(packages).filter((path) => path !== '' && !packages[path]?.dev);
  // One within another comes along with it.
  const outer = all.filter((path) => !all.some((other) => path.startsWith(`${other}/`)));
  return outer.filter((path) => existsSync(join(root, path)));
}

/** Bun's install script has moved its program; here it is where npm puts it, with a text in its place. */
async function withoutInstallScript(modules: string): Promise<void> {
  const [platform] = readdirSync(join(modules, '@oven'));
  const program = join(modules, '@oven', platform ?? '', 'bin/bun');
  if (existsSync(program)) return;
  const bin = join(modules, 'bun/bin');
  await link(join(bin, 'bun.exe'), program).catch(() => copyFile(join(bin, 'bun.exe'), program));
  for (const name of ['bun.exe', 'bunx.exe']) {
    // A name of its own: a file that is linked must not be written to.
    await writeFile(join(bin, `${name}.text`), 'the install script was not run\n', { mode: 0o755 });
    await rename(join(bin, `${name}.text`), join(bin, name));
  }
}

/** A folder with Node and nothing else, for PATH; a copy, as another user may not reach where Node lies. */
export async function onlyNode(folder: string): Promise<string> {
  const node = Bun.which('node');
  if (node === null) throw new Error('there is no node');
  mkdirSync(folder, { recursive: true });
  await copyFile(node, join(folder, 'node'));
  chmodSync(join(folder, 'node'), 0o755);
  return folder;
}

/** What a process has started, and that, and so on: behind Node or strace, the service. */
export function innermost(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return child === undefined || child === '' ? pid : innermost(Number(child));
}

/** What the files of a folder take, a file that has several names once. */
export function sizeOf(folder: string, seen = new Set<number>()): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += sizeOf(path, seen);
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(path);
    if (!seen.has(ino)) bytes += size;
    seen.add(ino);
  }
  return bytes;
}

/** What it printed; throws with what it said where it failed. */
export async function ran(
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const child = Bun.spawn([...words], { ...options, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0)
    throw new Error(`${words.slice(0, 3).join(' ')} ended with ${code}: ${err}${out}`);
  return out;
}
