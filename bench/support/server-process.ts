// A server as a process of its own on a free port: started, waited for, ended with the benchmark.
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';

export interface ServerProcess {
  pid: number;
  port: number;
  /** Milliseconds from exec to the first 200. */
  readyMs: number;
  /** What it prints in the place of the pattern's first group; waits for it. */
  printed(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

export interface ServerOrder {
  command: string[];
  /** `PORT` is added. */
  env: Record<string, string>;
  /** Answered 200 from when the server is ready. */
  readyPath: string;
  /** Absent: what it writes to stderr is shown. */
  logFile?: string;
}

export async function startServerProcess(order: ServerOrder): Promise<ServerProcess> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = Bun.spawn(order.command, {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), RTMP_PORT: '0', ...order.env },
    stdout: 'pipe',
    stderr: order.logFile === undefined ? 'inherit' : Bun.file(order.logFile),
  });
  const killed = () => child.kill('SIGKILL');
  process.on('exit', killed);
  await answering(`http://127.0.0.1:${port}${order.readyPath}`, child);
  return {
    pid: child.pid,
    port,
    readyMs: performance.now() - startedAt,
    printed: (pattern) => foundIn(child.stdout, pattern),
    stop: async () => {
      process.off('exit', killed);
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

const thisCheckout = join(import.meta.dir, '../..');

/** Footlight as `npm start` runs it, with its log in a file; `wrap` may bind the command to a core. */
export function startFootlightProcess(options: {
  settings: Record<string, string>;
  logFile: string;
  wrap?: (command: string[]) => string[];
  /** This one where it is absent. */
  checkout?: string | undefined;
}): Promise<ServerProcess> {
  const { checkout = thisCheckout } = options;
  const command = [process.execPath, join(checkout, 'src/cli/footlight.ts'), 'serve'];
  return startServerProcess({
    command: options.wrap?.(command) ?? command,
    env: options.settings,
    readyPath: '/readyz',
    logFile: options.logFile,
  });
}

/** Asks often, because the waiting is part of what is measured. */
async function answering(url: string, child: Bun.Subprocess): Promise<void> {
  for (;;) {
    try {
      if ((await fetch(url)).status === 200) return;
    } catch {
      // Not listening yet.
    }
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${url}`);
    await Bun.sleep(1);
  }
}

async function foundIn(output: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  const reader = output.getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server ended without printing ${pattern}`);
    text += decoder.decode(value, { stream: true });
    const [, found] = pattern.exec(text) ?? [];
    if (found === undefined) continue;
    // Not closed: the server may print more.
    reader.releaseLock();
    return found;
  }
}
