// Scripts and style of the pages: bundled once by a process of its own, kept compressed, named by their content.
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import type { Log } from '../../base/lib/log.ts';
import { type Bundle, type BundledFile, fromLine } from './bundle.ts';

/** Addresses of what a page loads; empty where it could not be made. */
export interface PageAssets {
  style: string;
  scripts: { watch: string; video: string };
}

export interface Assets {
  /** Waits for the bundle where it is not there yet; never rejects. */
  ofPages(): Promise<PageAssets>;
  /** The file under `/assets/`. */
  answer(file: string, header: (name: string) => string | null): Promise<PlainAnswer>;
}

/** It takes a second; a machine that needs longer than this serves pages without script, and tries again. */
const bundleMsMax = 30_000;
/** After a failure pages are sent as they are for so long before another try. */
const retryMs = 10_000;

/** Begins with the first page: whoever uses the interface alone never pays for it. */
export function startAssets({
  log,
  make = bundleInChild,
}: {
  log: Log;
  make?: MakeBundle;
}): Assets {
  let bundle: Promise<Bundle | undefined> | undefined;
  const made = () => {
    bundle ??= make().catch((error) => {
      log.error('the scripts of the pages could not be bundled', { error });
      setTimeout(() => {
        bundle = undefined;
      }, retryMs).unref();
      return undefined;
    });
    return bundle;
  };
  /** Each is copied once: a Blob is what answers share. */
  const bodies = new Map<string, Blob>();
  const bodyOf = (file: BundledFile, coding: Coding) => {
    const key = `${file.name} ${coding}`;
    const body = bodies.get(key) ?? new Blob([bytesOf(file, coding)]);
    bodies.set(key, body);
    return body;
  };
  return {
    ofPages: async () => addressesOf(await made()),
    answer: async (file, header) => {
      const found = (await made())?.files.find(({ name }) => name === file);
      if (!found) return noFile();
      const coding = codingOf(header('accept-encoding') ?? '');
      return fileAnswer(found.type, coding, bodyOf(found, coding));
    },
  };
}

export type MakeBundle = () => Promise<Bundle>;

/** In a process that ends: inside the service the bundler would keep its memory for good. */
export async function bundleInChild(): Promise<Bundle> {
  const program = fileURLToPath(new URL('./bundle-program.ts', import.meta.url));
  const child = Bun.spawn([process.execPath, '--no-install', program], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: {},
    timeout: bundleMsMax,
    killSignal: 'SIGKILL',
  });
  const [line, words, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`the bundler ended with ${code}: ${words.slice(0, 2_000)}`);
  return fromLine(line);
}

function addressesOf(bundle: Bundle | undefined): PageAssets {
  const address = (kind: BundledFile['kind']) => {
    const file = bundle?.files.find((one) => one.kind === kind);
    return file ? `/assets/${file.name}` : '';
  };
  return { style: address('style'), scripts: { watch: address('watch'), video: address('video') } };
}

type Coding = 'br' | 'gzip' | 'identity';

function fileAnswer(type: string, coding: Coding, body: Blob): PlainAnswer {
  return {
    headers: {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    },
    body,
  };
}

function bytesOf({ gzip, brotli }: BundledFile, coding: Coding): Uint8Array<ArrayBuffer> {
  // Nobody but a curious person asks for it plain.
  return coding === 'identity' ? new Uint8Array(gunzipSync(gzip)) : coding === 'br' ? brotli : gzip;
}

/** Browsers name brotli over HTTPS alone. */
function codingOf(accepted: string): Coding {
  const named = accepted
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
    .map((part) => part.replace(/;.*$/, '').trim());
  return (['br', 'gzip'] as const).find((coding) => named.includes(coding)) ?? 'identity';
}

function noFile(): PlainAnswer {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 404, headers, body: 'No such file\n' };
}
