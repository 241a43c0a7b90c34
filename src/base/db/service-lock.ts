// Only one service runs on a data folder: it holds a lock that ends with the process, even by kill -9.
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite.ts';

export interface ServiceLock {
  release(): void;
}

/** Undefined where another process holds it. SQLite's own file lock does it: Bun offers no flock. */
export function takeServiceLock(file: string): ServiceLock | undefined {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => db.close() };
}
