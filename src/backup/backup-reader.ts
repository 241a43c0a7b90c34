// Reads a backup file from its beginning to its end: every byte of it is held against what a backup is made of.
import type { FileHandle } from 'node:fs/promises';
import {
  type BackupHead,
  BackupProblem,
  type BackupSums,
  backupFormat,
  backupHead,
  backupLimits,
  damaged,
  type EntryKind,
  kindOfEntry,
  readRowLine,
  sequences,
} from './backup-format.ts';
import { checksumLine } from './backup-writer.ts';
import { rowCheck } from './row-checks.ts';
import {
  blockBytes,
  endBytes,
  fillBytes,
  isZero,
  readHead,
  StrangeEntry,
  type TarEntry,
} from './tar.ts';

/** Who takes what is read, in this order. Nothing of it is known to be right before the last byte is read. */
export interface BackupTaker {
  /** `from` is the number of the first of them in the table. */
  rows(table: string, rows: readonly unknown[][], from: number): Promise<void>;
  sequences(ids: Record<string, number>): Promise<void>;
  /** Must take all pieces; each is good until the next is asked for. */
  file(file: { recording: string; file: string }, pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

export class BackupReader {
  private readonly source: Source;

  private readonly sums: BackupSums = { entries: 0, rows: {}, recordings: 0, files: 0, bytes: 0 };
  private checksums = '';
  private checksumPieces = 0;
  private changedAt: number | undefined;
  private head: BackupHead | undefined;
  /** All of the entry that was last begun was read. */
  private isTaken = false;
  /** Where in the order of entries it is. */
  private place = { stage: 0, table: -1, piece: 0, recording: '' };

  /** `onRead` is told how many bytes were read so far. */
  constructor(handle: FileHandle, onRead: (bytes: number) => void = () => {}) {
    this.source = new Source(handle, onRead);
  }

  /** The first entry. */
  async readHead(): Promise<BackupHead> {
    const entry = await this.nextEntry().catch((error) => {
      throw error instanceof BackupProblem
        ? new BackupProblem('it is no backup of Footlight')
        : error;
    });
    if (entry?.kind.kind !== 'head') throw new BackupProblem('it is no backup of Footlight');
    const text = await this.text(entry, backupLimits.headBytesMax);
    const { format } = readJson(text) as { format?: unknown };
    if (typeof format === 'number' && format > backupFormat)
      throw new BackupProblem(
        `the backup was made by a newer Footlight (its format is ${format}, this program knows ${backupFormat}): restore it with that version`,
      );
    const read = backupHead.safeParse(readJson(text));
    if (!read.success) throw damaged('its head cannot be read');
    this.head = read.data;
    return read.data;
  }

  /** All that follows the head; what it came to. */
  async readRest(taker: BackupTaker): Promise<BackupSums> {
    for (;;) {
      const entry = await this.nextEntry();
      if (!entry) throw damaged('it ends before its last entry');
      const { kind } = entry;
      if (kind.kind === 'checksums') await this.compareChecksums(entry, kind.piece);
      else if (kind.kind === 'end') return await this.readEnd(entry);
      else await this.readEntry(entry, kind, taker);
    }
  }

  private async readEntry(entry: Entry, kind: EntryKind, taker: BackupTaker): Promise<void> {
    this.goOn(kind, entry.name);
    if (kind.kind === 'rows') {
      const text = await this.text(entry, backupLimits.pieceBytesMax);
      const lines = text.split('\n');
      if (lines.pop() !== '') throw damaged(`${entry.name} ends within a row`);
      const before = this.sums.rows[kind.table] ?? 0;
      this.sums.rows[kind.table] = before + lines.length;
      const check = rowCheck(kind.table, this.columnsOf(kind.table));
      const rows = eachRow(lines, { table: kind.table, from: before + 1 }, (line) => {
        const row = readRowLine(line);
        check(row);
        return row;
      });
      await taker.rows(kind.table, rows, before + 1);
    } else if (kind.kind === 'sequences') {
      const read = sequences.safeParse(readJson(await this.text(entry, backupLimits.headBytesMax)));
      if (!read.success) throw damaged(`${entry.name} cannot be read`);
      await taker.sequences(read.data);
    } else if (kind.kind === 'file') {
      this.sums.files += 1;
      if (kind.recording !== this.place.recording) this.sums.recordings += 1;
      this.place.recording = kind.recording;
      await taker.file(kind, this.pieces(entry));
      if (!this.isTaken) throw new Error(`nobody took all of ${entry.name}`);
    }
  }

  /** Throws where an entry does not follow the one before: tables as the head lists them, their pieces by number. */
  private goOn(kind: EntryKind, name: string): void {
    const stage = stages.indexOf(kind.kind);
    const isLate = stage < this.place.stage || (stage === this.place.stage && !isMany(kind));
    if (stage < 0 || isLate) throw damaged(`${name} is not in its place`);
    if (kind.kind === 'rows') {
      const table = this.head?.tables.findIndex((one) => one.name === kind.table) ?? -1;
      const isNext = table > this.place.table && kind.piece === 1;
      const isSame = table === this.place.table && kind.piece === this.place.piece + 1;
      if (table < 0 || !(isNext || isSame)) throw damaged(`${name} is not in its place`);
      this.place = { ...this.place, table, piece: kind.piece };
    }
    if (kind.kind === 'file' && !this.head?.recordings)
      throw damaged('it holds a recording, and its head says that it has none');
    this.place.stage = stage;
  }

  private columnsOf(table: string): readonly string[] {
    return this.head?.tables.find(({ name }) => name === table)?.columns ?? [];
  }

  private async compareChecksums(entry: Entry, piece: number): Promise<void> {
    const wanted = Buffer.from(this.checksums);
    this.checksums = '';
    this.checksumPieces += 1;
    const isOwn = piece === this.checksumPieces && entry.size === wanted.length;
    // No more is read than is wanted: a size is the word of the file alone.
    if (!isOwn || Buffer.compare(await this.source.exactly(entry.size), wanted) !== 0)
      throw damaged(`${entry.name} does not tell of what stands before it`);
    await this.readFill(entry);
  }

  private async readEnd(entry: Entry): Promise<BackupSums> {
    if (this.checksums !== '') throw damaged('its last entries have no checksums');
    if (this.place.stage < stages.indexOf('sequences')) throw damaged('it lacks its sequences');
    const wanted = Buffer.from(JSON.stringify(this.sums));
    const isOwn =
      entry.size === wanted.length &&
      Buffer.compare(await this.source.exactly(entry.size), wanted) === 0;
    if (!isOwn) throw damaged('it holds more or less than its end says');
    await this.readFill(entry);
    if (!isZero(await this.source.exactly(endBytes)) || !(await this.source.isAtEnd()))
      throw damaged('something follows its end');
    return this.sums;
  }

  private async nextEntry(): Promise<Entry | undefined> {
    const next = () => this.source.exactly(blockBytes);
    const entry = await readHead(await next(), next).catch((error) => {
      if (error instanceof StrangeEntry) throw damaged('it holds something that no backup holds');
      throw error;
    });
    if (!entry) return undefined;
    const kind = kindOfEntry(entry.name);
    this.changedAt ??= entry.changedAt;
    if (!kind || entry.changedAt !== this.changedAt)
      throw damaged('it holds something that no backup holds');
    return { ...entry, kind };
  }

  private async text(entry: Entry, bytesMax: number): Promise<string> {
    if (entry.size > bytesMax) throw damaged(`${entry.name} is larger than it may be`);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let text = '';
    try {
      for await (const piece of this.pieces(entry)) text += decoder.decode(piece, { stream: true });
      return text + decoder.decode();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw damaged(`${entry.name} is no text`);
    }
  }

  private async *pieces(entry: Entry): AsyncGenerator<Uint8Array> {
    this.isTaken = false;
    const hash = new Bun.CryptoHasher('sha256');
    const bytes = Buffer.alloc(Math.min(entry.size, backupLimits.fileBytes));
    for (let left = entry.size; left > 0; ) {
      const piece = bytes.subarray(0, Math.min(left, bytes.length));
      await this.source.fill(piece);
      left -= piece.length;
      hash.update(piece);
      yield piece;
    }
    await this.readFill(entry);
    this.sums.entries += 1;
    this.sums.bytes += entry.size;
    this.checksums += checksumLine(hash.digest('hex'), entry.name);
    if (this.checksums.length > backupLimits.checksumsMax * checksumBytesMax)
      throw damaged('its checksums are missing');
    this.isTaken = true;
  }

  private async readFill({ size, name }: Entry): Promise<void> {
    if (!isZero(await this.source.exactly(fillBytes(size))))
      throw damaged(`there is something behind ${name}`);
  }
}

interface Entry extends TarEntry {
  kind: EntryKind;
}

const stages: readonly EntryKind['kind'][] = ['head', 'rows', 'sequences', 'file'];
/** Of a checksum with the longest name. */
const checksumBytesMax = 170;

function isMany({ kind }: EntryKind): boolean {
  return kind === 'rows' || kind === 'file';
}

/** What is made of each; where that throws, the row is named by its number in its table. */
export function eachRow<From, To>(
  rows: readonly From[],
  { table, from }: { table: string; from: number },
  make: (row: From) => To,
): To[] {
  return rows.map((row, at) => {
    try {
      return make(row);
    } catch (error) {
      throw damaged(`row ${from + at} of ${table} cannot be read: ${(error as Error).message}`);
    }
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** A file from its beginning to its end. */
class Source {
  private readonly handle: FileHandle;
  private readonly onRead: (bytes: number) => void;

  private at = 0;

  constructor(handle: FileHandle, onRead: (bytes: number) => void) {
    this.handle = handle;
    this.onRead = onRead;
  }

  async exactly(count: number): Promise<Uint8Array> {
    const bytes = Buffer.alloc(count);
    await this.fill(bytes);
    return bytes;
  }

  async fill(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await this.handle.read(bytes, done, bytes.length - done, this.at);
      if (bytesRead === 0) throw damaged('it is cut');
      done += bytesRead;
      this.at += bytesRead;
    }
    this.onRead(this.at);
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.handle.read(Buffer.alloc(1), 0, 1, this.at)).bytesRead === 0;
  }
}
