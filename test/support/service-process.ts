// The service as people run it, a process of its own: started, watched, stopped and killed by its id.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processPatience } from './machine-pace.ts';
import { type Asked, type Answer as HttpAnswer, HttpConnection } from './rude/http-connection.ts';

export interface ServiceProcess {
  pid: number;
  url: string;
  /** The token given, or the first one that the service printed. */
  token: string;
  /** From the start of the process to its greeting. */
  startedInMs: number;
  /** The link that makes the first person; empty where the start printed none. */
  consoleLink: string;
  exited: Promise<number>;
  isAlive(): boolean;
  /** How many files and sockets it has open. */
  descriptors(): number;
  /** Processor time it has used, of all its threads. */
  cpuMs(): number;
  /** Memory it holds now, and the most it ever held. */
  memory(): { residentBytes: number; peakBytes: number };
  /** Everything it wrote to stderr up to now. */
  log(): string;
  /** Resolves when the log holds the text. */
  logged(text: string): Promise<void>;
  /** One call on a connection of its own. */
  call(method: string, path: string, asked?: Asked): Promise<HttpAnswer>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number>;
}

export interface StartOptions {
  /** A later start prints no token. */
  token?: string;
  /** Words before the command, such as `prlimit --nofile=64:64`; they must end in an exec. */
  wrapper?: readonly string[];
  /** For Bun itself, such as `--cpu-prof`. */
  flags?: readonly string[];
  /** Another checkout, whose service is to be compared with this one. */
  checkout?: string | undefined;
  /** Another way to the command line, such as that of an installed package. */
  command?: readonly string[];
  /** Where it is started; the usual is where the tests are. */
  cwd?: string;
}

/** The process ended before it greeted. */
export class StartFailure extends Error {
  readonly exitCode: number;
  readonly stderr: string;

  constructor(exitCode: number, stderr: string) {
    super(`the service did not start (exit code ${exitCode}): ${stderr}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

const ownCheckout = join(import.meta.dir, '../..');

export const footlight = footlightOf({});

/** The command line of a checkout. */
export function footlightOf({ flags = [], checkout = ownCheckout }: StartOptions): string[] {
  return [process.execPath, ...flags, join(checkout, 'src/cli/footlight.ts')];
}

/** Starts `footlight serve` on loopback and resolves when it greets. */
export async function startProcess(
  settings: Record<string, string>,
  options: StartOptions = {},
): Promise<ServiceProcess> {
  const startedAt = performance.now();
  const child = spawnServe(settings, options);
  const stdout = collected(child.stdout);
  const stderr = collected(child.stderr);
  const exited = child.exited.then(async (code) => {
    await stderr.ended;
    return code;
  });
  const greeted = await Promise.race([stdout.holds('npx footlight token create'), exited]);
  if (typeof greeted === 'number') throw new StartFailure(greeted, stderr.text());
  const startedInMs = performance.now() - startedAt;
  const printed = (pattern: RegExp) => pattern.exec(stdout.text())?.[1] ?? '';
  const url = printed(/address +(\S+)/);
  const token = options.token ?? printed(/token +(footlight_\w+)/);
  return {
    pid: child.pid,
    url,
    token,
    startedInMs,
    consoleLink: printed(/(\S+\/console\/link#\S+)/),
    exited,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    cpuMs: () => cpuMsOf(child.pid),
    memory: () => memoryOf(child.pid),
    log: stderr.text,
    logged: async (text) => {
      await stderr.holds(text);
    },
    call: async (method, path, asked = {}) => {
      const connection = await HttpConnection.open(url);
      try {
        return await connection.request(method, path, { token, ...asked });
      } finally {
        connection.close();
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      return await exited;
    },
  };
}

/** Linux counts in ticks of 10 ms. */
const tickMs = 10;

function cpuMsOf(pid: number): number {
  // The second field is the program's name in brackets and may hold spaces: count from behind it.
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * tickMs;
}

function memoryOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  return { residentBytes: bytes('VmRSS'), peakBytes: bytes('VmHWM') };
}

/** A process of `footlight serve`; it ends with this one at the latest. */
export function spawnServe(settings: Record<string, string>, options: StartOptions = {}) {
  const { wrapper = [], command = footlightOf(options), cwd = process.cwd() } = options;
  const child = Bun.spawn([...wrapper, ...command, 'serve'], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      RTMP_PORT: '0',
      ...processPatience,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.exited.then(() => process.off('exit', end));
  return child;
}

/** Runs a service that is expected to refuse to start: its exit code and what it said. */
export async function refusedStart(
  settings: Record<string, string>,
): Promise<{ exitCode: number; stderr: string }> {
  try {
    const service = await startProcess(settings);
    await service.kill();
  } catch (error) {
    if (error instanceof StartFailure) return error;
    throw error;
  }
  throw new Error('the service started, and should not have');
}

/** The text of a stream as it comes in. */
export function collected(stream: ReadableStream<Uint8Array>) {
  let text = '';
  const waiting = new Set<{ wanted: string; resolve(): void }>();
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      text += decoder.decode(bytes, { stream: true });
      for (const one of waiting) {
        if (!text.includes(one.wanted)) continue;
        waiting.delete(one);
        one.resolve();
      }
    }
  })();
  return {
    text: () => text,
    ended,
    /** Resolves when the text holds the words; never where the stream ends without them. */
    holds: (wanted: string): Promise<void> => {
      if (text.includes(wanted)) return Promise.resolve();
      return new Promise((resolve) => waiting.add({ wanted, resolve }));
    },
  };
}
