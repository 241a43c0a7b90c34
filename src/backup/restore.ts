// Restores a backup into an empty place, or only reads it through; where anything is wrong nothing is left behind.
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backedUp } from '../base/db/backup-tables.ts';
import { databaseThere, newDatabase } from '../base/db/database-copy.ts';
import { goOnBehind } from '../base/db/last-ids.ts';
import { migrations } from '../base/db/migrations.ts';
import { takeServiceLock } from '../base/db/service-lock.ts';
import type { Sql } from '../base/db/sql.ts';
import type { StoreSettings } from '../base/db/store.ts';
import { addRows, isContradiction } from '../base/db/table-rows.ts';
import { type TableShape, tableShapes } from '../base/db/table-shape.ts';
import { pathIn } from '../base/lib/plain-name.ts';
import { keepNodeName } from '../base/nodes/node-name.ts';
import {
  orNothing,
  recordingFolder,
  recordingsFolder,
  syncPath,
} from '../stream/recording/recording-folder.ts';
import {
  type BackupHead,
  BackupProblem,
  type BackupSums,
  damaged,
  rowValues,
} from './backup-format.ts';
import { BackupReader, type BackupTaker, eachRow } from './backup-reader.ts';

export interface ReadBackup extends BackupSums {
  head: BackupHead;
}

interface Source {
  file: string;
  /** How far it is. */
  onRead(done: number, total: number): void;
}

export interface RestoreOrder extends Source {
  settings: StoreSettings;
  /** The last that is written: that it was restored. */
  note(sql: Sql): Promise<void>;
}

/** Reads all of it; throws where it is not whole. */
export async function verifyBackup(source: Source): Promise<ReadBackup> {
  return await reading(source, async (reader) => {
    const head = await reader.readHead();
    const sums = await reader.readRest({
      rows: async () => {},
      sequences: async () => {},
      file: async (_, pieces) => {
        for await (const _piece of pieces);
      },
    });
    return { head, ...sums };
  });
}

export async function restoreBackup(order: RestoreOrder): Promise<ReadBackup> {
  return await reading(order, async (reader) => {
    const head = await reader.readHead();
    checkKnown(head);
    const sums = await inEmptyPlace(order.settings, head, async (place) => {
      let sums: BackupSums | undefined;
      await newDatabase(
        { ...order.settings, folder: place.folder },
        {
          step: head.step,
          fill: async (sql) => {
            sums = await fill(sql, { head, reader, place });
          },
          end: order.note,
          place: () => place.put(),
        },
      );
      return sums as BackupSums;
    });
    return { head, ...sums };
  });
}

/** In words, by what the system calls it. */
const unreadable: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
};

async function reading<T>(
  { file, onRead }: Source,
  work: (reader: BackupReader) => Promise<T>,
): Promise<T> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    const problem = unreadable[error.code ?? ''];
    throw problem === undefined ? error : new BackupProblem(problem);
  });
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new BackupProblem('this is a folder, and no backup');
    const { size } = stat;
    return await work(new BackupReader(handle, (done) => onRead(done, size)));
  } finally {
    await handle.close();
  }
}

function checkKnown({ step, version }: BackupHead): void {
  if (step > migrations.length)
    throw new BackupProblem(
      `the backup was made by a newer Footlight (${version}; its tables are at step ${step}, this program knows ${migrations.length}): restore it with that version`,
    );
}

async function fill(
  sql: Sql,
  { head, reader, place }: { head: BackupHead; reader: BackupReader; place: EmptyPlace },
): Promise<BackupSums> {
  const shapes = await tableShapes(sql);
  for (const { name, columns } of head.tables) {
    const there = shapes.get(name)?.columns.map((column) => column.name);
    if (!(name in backedUp) || JSON.stringify(there) !== JSON.stringify(columns))
      throw damaged(`its table ${name} is not as it was at step ${head.step}`);
  }
  let ids: Record<string, number> = {};
  const sums = await reader.readRest({
    rows: async (table, rows, from) => {
      const shape = shapes.get(table) as TableShape;
      const kinds = shape.columns.map(({ kind }) => kind);
      const values = eachRow(rows, { table, from }, (row) => rowValues(row, kinds));
      await addRows(sql, shape, values).catch((error) => {
        if (!isContradiction(error)) throw error;
        throw damaged(`rows of ${table} contradict others: ${(error as Error).message}`);
      });
    },
    sequences: async (given) => {
      const unknown = Object.keys(given).find(
        (name) => name !== 'record_ids' && !shapes.get(name)?.hasIds,
      );
      if (unknown !== undefined) throw damaged(`${unknown} gives out no ids`);
      ids = given;
    },
    file: (named, pieces) => place.add(named, pieces),
  });
  await goOnBehind(sql, ids);
  return sums;
}

/** Where files lie until all is known to be right, and then where they belong. */
interface EmptyPlace {
  folder: string;
  add: BackupTaker['file'];
  put(): Promise<void>;
}

const begunFolder = 'restoring';
/** Among the recordings, as they may lie on a disk of their own. */
const begunRecordings = '.restoring';

async function inEmptyPlace<T>(
  settings: StoreSettings,
  head: BackupHead,
  work: (place: EmptyPlace) => Promise<T>,
): Promise<T> {
  const { dataDir } = settings;
  const isNew = !existsSync(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lockFile = join(dataDir, 'service.lock');
  const hadLockFile = existsSync(lockFile);
  const lock = takeServiceLock(lockFile);
  if (!lock)
    throw new BackupProblem(
      `a Footlight is running on the data folder ${dataDir}: stop it, or restore into another DATA_DIR`,
    );
  const recordings = recordingsFolder(dataDir);
  const hadRecordings = existsSync(recordings);
  const folder = join(dataDir, begunFolder);
  const begun = join(recordings, begunRecordings);
  const removeBegun = async () => {
    for (const path of [folder, begun]) await rm(path, { recursive: true, force: true });
  };
  let undo = async () => {};
  try {
    await removeBegun();
    await checkEmpty(settings, head);
    const made = await work({
      folder,
      add: (named, pieces) => addFile(pathIn(begun, named.recording), named.file, pieces),
      put: async () => {
        const placed = await putRecordings(begun, dataDir);
        const undoName = await keepNodeName(dataDir, head.node);
        undo = async () => {
          await undoName();
          for (const path of placed) await rm(path, { recursive: true, force: true });
        };
      },
    });
    await removeBegun();
    return made;
  } catch (error) {
    await undo();
    await removeBegun();
    if (!hadRecordings) await rm(recordings, { recursive: true, force: true });
    if (!hadLockFile) await rm(lockFile, { force: true });
    if (isNew) await rm(dataDir, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

async function checkEmpty(settings: StoreSettings, { recordings }: BackupHead): Promise<void> {
  const there = await databaseThere(settings);
  if (there !== undefined)
    throw new BackupProblem(`${there}: a backup is restored where there is none`);
  const found = (await orNothing(readdir(recordingsFolder(settings.dataDir)))) ?? [];
  if (recordings && found.length > 0)
    throw new BackupProblem(
      `there are recordings in ${settings.dataDir} already: restore into another DATA_DIR, or move them away`,
    );
}

async function addFile(
  folder: string,
  file: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(join(folder, file), 'wx', 0o600).catch((error) => {
    if (error.code === 'EEXIST') throw damaged(`it holds ${file} of a recording twice`);
    throw error;
  });
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The folders that are now there. */
async function putRecordings(begun: string, dataDir: string): Promise<string[]> {
  const recordings = recordingsFolder(dataDir);
  const names = (await orNothing(readdir(begun))) ?? [];
  const placed: string[] = [];
  try {
    for (const name of names) {
      await syncPath(join(begun, name));
      const folder = recordingFolder(dataDir, name);
      await rename(join(begun, name), folder);
      placed.push(folder);
    }
    if (names.length > 0)
      for (const path of [recordings, dirname(recordings)]) await syncPath(path);
    return placed;
  } catch (error) {
    for (const path of placed) await rm(path, { recursive: true, force: true });
    throw error;
  }
}
