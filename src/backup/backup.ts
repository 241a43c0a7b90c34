// Makes a backup: the database at one moment while the service runs, then the recordings, as one stream of bytes.
import { backedUp } from '../base/db/backup-tables.ts';
import { atOneMoment, databaseBytes } from '../base/db/database-copy.ts';
import { doneSteps } from '../base/db/database-state.ts';
import { lastIds } from '../base/db/last-ids.ts';
import type { Sql } from '../base/db/sql.ts';
import type { StoreSettings } from '../base/db/store.ts';
import { rowsOf } from '../base/db/table-rows.ts';
import { type TableShape, tableShapes } from '../base/db/table-shape.ts';
import { knownNodeName } from '../base/nodes/node-name.ts';
import { recordingsIn } from '../stream/recording/recording-folder.ts';
import { bytesOfRecordings, openedFiles } from './backed-recordings.ts';
import {
  type BackupHead,
  type BackupSums,
  backupFormat,
  backupLimits,
  entryNames,
  rowLine,
} from './backup-format.ts';
import { BackupWriter } from './backup-writer.ts';

export interface BackupOrder {
  settings: StoreSettings;
  /** Of this program. */
  version: string;
  timeZone: string;
  withRecordings: boolean;
  now: () => number;
  write(bytes: Uint8Array): Promise<void>;
  /** How far it is: `total` is what is thought to come of this part. */
  onPart(part: 'database' | 'recordings', total: number): (done: number) => void;
}

export interface MadeBackup extends BackupSums {
  /** The moment that its rows are of, epoch milliseconds. */
  at: number;
}

export async function makeBackup(order: BackupOrder): Promise<MadeBackup> {
  const { settings, withRecordings } = order;
  const { dataDir } = settings;
  const node = await knownNodeName(dataDir);
  const { writer, at, recordings } = await atOneMoment(settings, async (sql) => {
    const at = order.now();
    // Listed just behind the moment: whatever has a row then has its folder.
    const recordings = withRecordings ? await recordingsIn(dataDir) : [];
    const shapes = backedShapes(await tableShapes(sql));
    const writer = new BackupWriter({ write: order.write, at });
    const head = await headOf(sql, { order, at, node, shapes });
    await writer.entry(entryNames.head, JSON.stringify(head));
    const onDone = order.onPart('database', await databaseBytes(sql));
    for (const shape of shapes) await writeTable(sql, { shape, writer, onDone });
    const ids = await lastIds(sql, shapes);
    await writer.entry(entryNames.sequences, JSON.stringify(ids));
    return { writer, at, recordings };
  });
  if (withRecordings) await writeRecordings(order, { writer, recordings });
  await writer.end();
  return { ...writer.sums, at };
}

/** In the order in which they can be filled. */
export function backedShapes(shapes: ReadonlyMap<string, TableShape>): TableShape[] {
  return Object.keys(backedUp).flatMap((name) => shapes.get(name) ?? []);
}

async function headOf(
  sql: Sql,
  given: { order: BackupOrder; at: number; node: string; shapes: readonly TableShape[] },
): Promise<BackupHead> {
  const { order, at, node, shapes } = given;
  return {
    footlight: 'backup',
    format: backupFormat,
    version: order.version,
    step: await doneSteps(sql),
    engine: sql.dialect,
    at: new Date(at).toISOString(),
    time_zone: order.timeZone,
    recordings: order.withRecordings,
    node,
    tables: shapes.map(({ name, columns }) => ({
      name,
      columns: columns.map((column) => column.name),
    })),
  };
}

async function writeTable(
  sql: Sql,
  given: { shape: TableShape; writer: BackupWriter; onDone: (bytes: number) => void },
): Promise<void> {
  const { shape, writer, onDone } = given;
  const { name } = shape;
  let lines: string[] = [];
  let length = 0;
  let piece = 0;
  const flush = async () => {
    if (lines.length === 0) return;
    piece += 1;
    await writer.entry(entryNames.rows(name, piece), lines.join(''));
    writer.sums.rows[name] = (writer.sums.rows[name] ?? 0) + lines.length;
    onDone(writer.sums.bytes);
    lines = [];
    length = 0;
  };
  for await (const rows of rowsOf(sql, shape, backedUp[name]))
    for (const row of rows) {
      const line = rowLine(row);
      lines.push(line);
      length += line.length;
      if (length >= backupLimits.pieceBytes) await flush();
    }
  await flush();
}

async function writeRecordings(
  { settings: { dataDir }, onPart }: BackupOrder,
  { writer, recordings }: { writer: BackupWriter; recordings: readonly string[] },
): Promise<void> {
  const onDone = onPart('recordings', await bytesOfRecordings(dataDir, recordings));
  const before = writer.sums.bytes;
  const counted = async function* (pieces: AsyncIterable<Uint8Array>) {
    let done = writer.sums.bytes - before;
    for await (const piece of pieces) {
      yield piece;
      done += piece.length;
      onDone(done);
    }
  };
  for (const recording of recordings) {
    let files = 0;
    for await (const { file, size, pieces } of openedFiles(dataDir, recording)) {
      await writer.file(entryNames.file(recording, file), size, counted(pieces));
      files += 1;
    }
    writer.sums.files += files;
    if (files > 0) writer.sums.recordings += 1;
  }
}
