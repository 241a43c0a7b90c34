// A load process as its bench sees it: it drives clients of its own, so that their CPU is not counted.
import { join } from 'node:path';
import { onCoreOf } from './cores.ts';
import type { LoadCount } from './load-clients.ts';

export interface LoadProcess<Count = LoadCount> {
  /** Counts from here on. */
  begin(): Promise<void>;
  /** What its clients had since `begin`; throws where one of them had trouble. */
  end(): Promise<Count>;
  stop(): Promise<void>;
}

/** Runs a file of `bench/` with its order; resolves when every client of it is at work. */
export async function startLoad<Count extends { problem?: string } = LoadCount>(
  file: string,
  order: object,
): Promise<LoadProcess<Count>> {
  let answered = Promise.withResolvers<Count>();
  const child = Bun.spawn(
    onCoreOf('generator', [process.execPath, join(import.meta.dir, file), JSON.stringify(order)]),
    { ipc: (count: Count) => answered.resolve(count), stdout: 'inherit', stderr: 'inherit' },
  );
  const killed = () => child.kill('SIGKILL');
  process.on('exit', killed);
  const ended = child.exited.then((code) => {
    throw new Error(`${file} ended with ${code}`);
  });
  // Its end is only a failure while somebody waits for an answer.
  ended.catch(() => {});
  const answer = async () => {
    const count = await Promise.race([answered.promise, ended]);
    if (count.problem !== undefined) throw new Error(`${file}: ${count.problem}`);
    return count;
  };
  const ask = (word: 'begin' | 'end') => {
    answered = Promise.withResolvers();
    child.send(word);
    return answer();
  };
  await answer();
  return {
    begin: async () => void (await ask('begin')),
    end: () => ask('end'),
    stop: async () => {
      process.off('exit', killed);
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
