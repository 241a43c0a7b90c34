// Makes the pages' scripts and style into one small file each, and carries them from process to process.
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export interface BundledFile {
  kind: keyof typeof entries;
  /** With a hash of its content. */
  name: string;
  type: string;
  gzip: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer>;
}

export interface Bundle {
  files: BundledFile[];
}

const entries = {
  watch: './client/watch-script.ts',
  video: './client/video-script.ts',
  style: './style/page.css',
} as const;

const script = 'text/javascript; charset=utf-8';
const types = { watch: script, video: script, style: 'text/css; charset=utf-8' } as const;

export async function makeBundle(): Promise<Bundle> {
  const kinds = Object.keys(entries) as (keyof typeof entries)[];
  return { files: await Promise.all(kinds.map(bundled)) };
}

/** One line of JSON. */
export function toLine({ files }: Bundle): string {
  const carried = files.map((file) => ({
    ...file,
    gzip: file.gzip.toBase64(),
    brotli: file.brotli.toBase64(),
  }));
  return `${JSON.stringify(carried)}\n`;
}

/** The line is our own program's. */
export function fromLine(line: string): Bundle {
  const carried: (Omit<BundledFile, 'gzip' | 'brotli'> & { gzip: string; brotli: string })[] =
    JSON.parse(line);
  const files = carried.map((file) => ({
    ...file,
    gzip: Uint8Array.fromBase64(file.gzip),
    brotli: Uint8Array.fromBase64(file.brotli),
  }));
  return { files };
}

async function bundled(kind: keyof typeof entries): Promise<BundledFile> {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL(entries[kind], import.meta.url))],
    target: 'browser',
    format: 'esm',
    minify: true,
    throw: true,
  });
  const [output] = built.outputs;
  if (!output) throw new Error(`${entries[kind]} bundled to nothing`);
  const bytes = new Uint8Array(await output.arrayBuffer());
  const hash = Bun.hash(bytes).toString(36);
  return {
    kind,
    name: `${kind}-${hash}.${kind === 'style' ? 'css' : 'js'}`,
    type: types[kind],
    gzip: new Uint8Array(gzipSync(bytes, { level: 9 })),
    brotli: new Uint8Array(
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    ),
  };
}

/** The two levels above it take twenty times as long (1.2 s a script) to save 7 %. */
const brotliQuality = 9;
