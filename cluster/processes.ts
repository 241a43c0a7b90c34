// The processes of a cluster: each in a group of its own, and all of them ended by a program that outlives whoever started them.
import { join } from 'node:path';

/** `serving`: ended first. `store`: what those that serve write to until they have ended. */
export type Role = 'serving' | 'store';

export interface Processes {
  /** From here on it is ended with all others; it is left out again when it has ended by itself. */
  add(role: Role, child: { pid: number; exited: Promise<number> }): void;
  /** Resolves when all have ended. */
  end(): Promise<void>;
}

/** `folder` is that of the cluster's data: nothing but a name that a list of processes shows. */
export function startProcesses(folder: string): Processes {
  const keeper = Bun.spawn([process.execPath, join(import.meta.dir, 'process-keeper.ts'), folder], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'inherit',
    // A terminal sends Ctrl-C to all of a group.
    detached: true,
  });
  let isEnding = false;
  const tell = (line: string) => {
    if (isEnding) return;
    keeper.stdin.write(`${line}\n`);
    keeper.stdin.flush();
  };
  return {
    add: (role, { pid, exited }) => {
      tell(`${role} ${pid}`);
      exited.then(() => tell(`gone ${pid}`));
    },
    end: async () => {
      isEnding = true;
      await keeper.stdin.end();
      await keeper.exited;
    },
  };
}
