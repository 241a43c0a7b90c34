// The program of the SQLite workers: one thread each, with every operation at hand.
import { serveSqliteWorker } from './base/db/sqlite-worker.ts';
import { operations } from './operations.ts';

serveSqliteWorker(operations);
