// The database as a command has it: beside the service if it runs, with what it writes in the audit log.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { AnyOperation, Store } from '../../base/db/sql.ts';
import {
  openCommandStore,
  openReadingStore,
  type StoreSettings,
  sqliteFile,
} from '../../base/db/store.ts';
import { Trail, type TrailOptions } from '../../library/audit/audit.ts';
import { type AuditNote, commandNote } from '../../library/audit/audit-note.ts';
import { notedOperation } from '../../library/audit/audit-store.ts';
import { plainOperations } from '../../operations.ts';
import type { Run } from './command.ts';
import type { Column, Output } from './output.ts';

export interface StoreUse {
  /** Operations that are not the service's. */
  more?: readonly AnyOperation[];
  /** It only reads this time, whatever the command may do else. */
  isRead?: boolean;
  /** What the audit log is told, where the operation itself does not say. */
  note?: Partial<Pick<AuditNote, 'target' | 'fields' | 'told'>>;
}

/**
 * Runs work on the database the settings name. What a command writes is in the audit log, in the same transaction. One
 * that reads makes neither a folder nor a table.
 */
export async function withStore<T>(
  run: Run,
  work: (store: Store) => Promise<T>,
  { more = [], isRead = false, note = {} }: StoreUse = {},
): Promise<T> {
  const { config, running } = run;
  const known = [...plainOperations, ...more];
  const noted = notedOperation(known);
  const operations = [...known, noted];
  const settings = settingsOf(run);
  const isPlainRead = isRead || running.audit === 'nothing';
  const open = async () => {
    if (isPlainRead || running.isTaken)
      return await openReadingStore(settings, operations, { notes: !isPlainRead });
    if (config.databaseUrl === '' && !existsSync(sqliteFile(config)))
      await run.out.remark(
        `footlight: there was no database in ${config.dataDir}, so a new one is made`,
      );
    return await openCommandStore(settings, operations);
  };
  const store = await open();
  try {
    return await work(isPlainRead ? store : auditedStore(run, { store, noted }, note));
  } finally {
    await store.close();
  }
}

/** The database that a command works on. */
export function settingsOf({ config }: Run): StoreSettings {
  return {
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    deadlineMs: config.databaseDeadlineMs,
    connectionsMax: 1,
  };
}

function auditedStore(
  { running }: Run,
  options: Pick<TrailOptions, 'store' | 'noted'>,
  more: NonNullable<StoreUse['note']>,
): Store {
  if (running.audit === 'nothing') return options.store;
  const { isTaken = false } = running;
  return new Trail({ ...options, isRead: isTaken }, { ...noteOf(running), ...more }).store;
}

/** What the audit log has of a command that is run now. */
export function noteOf({ name, audit }: Run['running']): AuditNote {
  return commandNote({
    at: Date.now(),
    // What it is done to says whose it is.
    account_id: undefined,
    operation: name,
    group: audit === 'nothing' ? 'service' : audit,
    name: userName(),
  });
}

/** Of who runs the command on this machine; some containers have no name for it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

const listedAtOnce = 500;

/** A list of any length, read page by page; `count` bounds it. */
export async function printAll<Row, Shown extends object>(
  out: Output,
  given: {
    read(page: { limit: number; offset: number }): Promise<{ rows: Row[] }>;
    shown(row: Row): Shown;
    columns: readonly Column<Shown>[];
    count?: number;
  },
): Promise<void> {
  const { read, shown, columns, count = Number.POSITIVE_INFINITY } = given;
  const listing = out.list<Shown>(columns);
  for (let offset = 0; offset < count; offset += listedAtOnce) {
    const limit = Math.min(listedAtOnce, count - offset);
    const { rows } = await read({ limit, offset });
    await listing.add(rows.map(shown));
    if (rows.length < limit) break;
  }
  await listing.end();
}
