// Scripts and styles for the browser: bundled when the package was made, or once by a process of its own; named by their content.
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import type { Log } from '../../base/lib/log.ts';
import { ownProgram } from '../../base/lib/own-program.ts';
import { type Bundle, type BundledFile, fromLine } from './bundle.ts';

export interface BundledFiles<Kind extends string> {
  /** Their paths; none where they could not be made. Waits for the bundle where it is not there yet; never rejects. */
  addresses(): Promise<Partial<Record<Kind, string>>>;
  /** The file of that name. */
  answer(file: string, header: (name: string) => string | null): Promise<PlainAnswer>;
}

export type MakeBundle<Kind extends string> = () => Promise<Bundle<Kind>>;

/** It takes a second; a machine that needs longer than this serves pages without script, and tries again. */
const bundleMsMax = 30_000;
/** After a failure pages are sent as they are for so long before another try. */
const retryMs = 10_000;

/** Begins with the first page: whoever uses the interface alone never pays for it. */
export function startBundledFiles<Kind extends string>({
  path,
  make,
  log,
}: {
  /** Below which they are served. */
  path: string;
  make: MakeBundle<Kind>;
  log: Log;
}): BundledFiles<Kind> {
  let bundle: Promise<Bundle<Kind> | undefined> | undefined;
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
  const bodyOf = (file: BundledFile<Kind>, coding: Coding) => {
    const key = `${file.name} ${coding}`;
    const body = bodies.get(key) ?? new Blob([bytesOf(file, coding)]);
    bodies.set(key, body);
    return body;
  };
  return {
    addresses: async () => {
      const files = (await made())?.files ?? [];
      const addresses: Partial<Record<Kind, string>> = {};
      for (const { kind, name } of files) addresses[kind] = `${path}/${name}`;
      return addresses;
    },
    answer: async (file, header) => {
      const found = (await made())?.files.find(({ name }) => name === file);
      if (!found) return noFile();
      const coding = codingOf(header('accept-encoding') ?? '');
      return fileAnswer(found.type, coding, bodyOf(found, coding));
    },
  };
}

/** What `npm run build` has made, which a package has and a checkout has not; where it is not there, `program` makes it now. */
export async function builtOrBundled<Kind extends string>({
  built,
  program,
}: {
  built: URL;
  program: URL;
}): Promise<Bundle<Kind>> {
  let line: string;
  try {
    line = await readFile(built, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return await bundleInChild(program);
    throw error;
  }
  return fromLine(line);
}

/** In a process that ends: inside the service the bundler would keep its memory for good. */
async function bundleInChild<Kind extends string>(program: URL): Promise<Bundle<Kind>> {
  const child = Bun.spawn(ownProgram(program), {
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

function bytesOf({ gzip, brotli }: BundledFile<string>, coding: Coding): Uint8Array<ArrayBuffer> {
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
