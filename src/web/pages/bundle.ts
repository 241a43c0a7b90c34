// Makes scripts and styles for the browser into one small file each, and carries them to the process that serves them.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export interface BundledFile<Kind extends string> {
  kind: Kind;
  /** With a hash of its content. */
  name: string;
  type: string;
  gzip: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer>;
}

export interface Bundle<Kind extends string> {
  files: BundledFile<Kind>[];
}

/** What each file is made from. */
export type Entries<Kind extends string> = Readonly<Record<Kind, URL>>;

/** Bundles, and writes the line: to the file that is named, as `npm run build` does, or to the process that waits for it. */
export async function bundleTo<Kind extends string>(
  file: string | undefined,
  entries: Entries<Kind>,
): Promise<void> {
  if (file === undefined) {
    await Bun.write(Bun.stdout, toLine(await makeBundle(entries, quickQuality)));
    return;
  }
  const line = toLine(await makeBundle(entries, smallQuality));
  await mkdir(dirname(file), { recursive: true });
  // Whoever reads it meanwhile gets the whole of it or none.
  await writeFile(`${file}.new`, line);
  await rename(`${file}.new`, file);
}

/** Somebody waits for it: the two levels above take twenty times as long (1.2 s a script) to save 7 %. */
const quickQuality = 9;
/** Made once for everybody who installs the package. */
const smallQuality = 11;

async function makeBundle<Kind extends string>(
  entries: Entries<Kind>,
  brotliQuality: number,
): Promise<Bundle<Kind>> {
  const kinds = Object.keys(entries) as Kind[];
  const files = await Promise.all(kinds.map((kind) => bundled(kind, entries[kind], brotliQuality)));
  return { files };
}

/** One line of JSON. */
function toLine({ files }: Bundle<string>): string {
  const carried = files.map((file) => ({
    ...file,
    gzip: file.gzip.toBase64(),
    brotli: file.brotli.toBase64(),
  }));
  return `${JSON.stringify(carried)}\n`;
}

/** The line is our own program's. */
export function fromLine<Kind extends string>(line: string): Bundle<Kind> {
  const carried: (Omit<BundledFile<Kind>, 'gzip' | 'brotli'> & { gzip: string; brotli: string })[] =
    JSON.parse(line);
  const files = carried.map((file) => ({
    ...file,
    gzip: Uint8Array.fromBase64(file.gzip),
    brotli: Uint8Array.fromBase64(file.brotli),
  }));
  return { files };
}

async function bundled<Kind extends string>(
  kind: Kind,
  entry: URL,
  brotliQuality: number,
): Promise<BundledFile<Kind>> {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(entry)],
    target: 'browser',
    format: 'esm',
    minify: true,
    throw: true,
  });
  const [output] = built.outputs;
  if (!output) throw new Error(`${entry} bundled to nothing`);
  const bytes = new Uint8Array(await output.arrayBuffer());
  const hash = Bun.hash(bytes).toString(36);
  const isStyle = entry.pathname.endsWith('.css');
  return {
    kind,
    name: `${kind}-${hash}.${isStyle ? 'css' : 'js'}`,
    type: `text/${isStyle ? 'css' : 'javascript'}; charset=utf-8`,
    gzip: new Uint8Array(gzipSync(bytes, { level: 9 })),
    brotli: new Uint8Array(
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    ),
  };
}
