// System calls of a running process that fail as a broken disk makes them fail, or take as long as a slow one, by strace.
import { collected } from './service-process.ts';

export interface Injection {
  /** Lets the calls succeed again; resolves when strace has let go of the process. */
  end(): Promise<void>;
}

export interface InjectionOptions {
  pid: number;
  calls: readonly string[];
  /** Only calls on these files fail. */
  files: readonly string[];
  /** Which calls of each thread fail, as strace writes it: `3+5` is the third and every fifth after. */
  when?: string;
}

/** Resolves once every thread of the process is under it. */
export async function injectEio(options: InjectionOptions): Promise<Injection> {
  const { pid, calls, files, when = '1+' } = options;
  const names = calls.join(',');
  return await underStrace(pid, [
    ...['-e', `trace=${names}`],
    ...['-e', `inject=${names}:error=EIO:when=${when}`],
    ...files.flatMap((file) => ['-P', file]),
  ]);
}

/** Every write to a file takes so much longer, as on a disk that is slow. */
export async function slowWrites({
  pid,
  delayMs,
}: {
  pid: number;
  delayMs: number;
}): Promise<Injection> {
  return await underStrace(pid, [
    ...['-e', 'trace=pwrite64'],
    ...['-e', `inject=pwrite64:delay_enter=${1_000 * delayMs}`],
  ]);
}

async function underStrace(pid: number, what: readonly string[]): Promise<Injection> {
  const child = Bun.spawn(
    ['strace', '-f', ...['-p', String(pid)], ...['-o', '/dev/null'], ...what],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  // An end by SIGKILL would leave the process stopped; SIGTERM makes strace detach.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const said = collected(child.stderr);
  const failed = child.exited.then((code) => {
    throw new Error(`strace ended (${code}): ${said.text()}`);
  });
  failed.catch(() => {});
  await Promise.race([said.holds(' attached'), failed]);
  return {
    end: async () => {
      process.off('exit', end);
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

/** Why no call can be made to fail here, or undefined where it can. */
export async function whyNoInjection(): Promise<string | undefined> {
  if (Bun.which('strace') === null) return 'strace is not installed';
  const child = Bun.spawn(['cat'], { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' });
  try {
    const options = { pid: child.pid, calls: ['fsync'], files: ['/dev/null'] };
    await (await injectEio(options)).end();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}
