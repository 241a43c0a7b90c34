// What lies in a backup file: its entries by name and order, its head, and its bounds.
import { z } from 'zod';
import type { Value } from '../base/db/sql.ts';
import type { ColumnKind } from '../base/db/table-shape.ts';
import { isPlainName } from '../base/lib/plain-name.ts';

/** Rises when an older program could not read it. */
export const backupFormat = 1;

export const backupLimits = {
  /** Rows of a table are written in pieces of so many bytes: one is in memory at a time. */
  pieceBytes: 4_194_304,
  /** A piece ends with a whole row, and the largest is a picture of 4 MB as text. */
  pieceBytesMax: 33_554_432,
  /** Of the head: some 30 tables with their columns. */
  headBytesMax: 1_048_576,
  /** A file is read and written in pieces of so many bytes. */
  fileBytes: 1_048_576,
  /** So many checksums make a piece: some 1.2 MB. */
  checksumsMax: 10_000,
} as const;

/** Why a backup is not made, not read or not restored. */
export class BackupProblem extends Error {
  readonly isDamage: boolean;

  constructor(message: string, { isDamage = false } = {}) {
    super(message);
    this.isDamage = isDamage;
  }
}

export function damaged(what: string): BackupProblem {
  return new BackupProblem(`the backup is damaged: ${what}`, { isDamage: true });
}

const whole = z.int().nonnegative();

export const backupHead = z.object({
  footlight: z.literal('backup'),
  format: whole,
  /** Of the program that made it. */
  version: z.string(),
  /** Of the migrations: which tables it is of. */
  step: whole,
  engine: z.enum(['sqlite', 'postgres']),
  /** The moment that it is of. */
  at: z.iso.datetime(),
  /** As IANA spells them, or by hours, as +08:00. Whether this machine knows it matters not: nothing is read by it. */
  time_zone: z
    .string()
    .max(64)
    .regex(/^[\w+:-]+(\/[\w+-]+)*$/),
  recordings: z.boolean(),
  /** The name of the service whose recordings lie in it; empty where it had none. */
  node: z.string().regex(/^[\w-]{0,64}$/),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type BackupHead = z.infer<typeof backupHead>;

export const sequences = z.record(z.string(), whole);

/** What the last entry says of all others. */
export interface BackupSums {
  entries: number;
  /** By table. */
  rows: Record<string, number>;
  recordings: number;
  files: number;
  bytes: number;
}

/** An entry by what it is; undefined for a name that none has. */
export type EntryKind =
  | { kind: 'head' | 'sequences' | 'end' }
  | { kind: 'rows'; table: string; piece: number }
  | { kind: 'file'; recording: string; file: string }
  | { kind: 'checksums'; piece: number };

export const entryNames = {
  head: 'backup.json',
  sequences: 'sequences.json',
  end: 'end.json',
  rows: (table: string, piece: number) => `tables/${table}/${six(piece)}.ndjson`,
  file: (recording: string, file: string) => `recordings/${recording}/${file}`,
  checksums: (piece: number) => `checksums/${six(piece)}.txt`,
};

/** Of files of recordings, as this program names them; others are neither taken along nor taken in. */
const filePattern = /^[0-9a-z]{1,20}\.(json|index|mp4|jpg|vtt)$/;

export function isRecordingFile(name: string): boolean {
  return filePattern.test(name);
}

export function kindOfEntry(name: string): EntryKind | undefined {
  for (const kind of ['head', 'sequences', 'end'] as const)
    if (name === entryNames[kind]) return { kind };
  const [, table, piece] = /^tables\/([a-z_]{1,60})\/(\d{6})\.ndjson$/.exec(name) ?? [];
  if (table !== undefined) return { kind: 'rows', table, piece: Number(piece) };
  const [, sums] = /^checksums\/(\d{6})\.txt$/.exec(name) ?? [];
  if (sums !== undefined) return { kind: 'checksums', piece: Number(sums) };
  const [folder, recording = '', file = '', ...more] = name.split('/');
  const isFile = isPlainName(recording) && isRecordingFile(file) && more.length === 0;
  return folder === 'recordings' && isFile ? { kind: 'file', recording, file } : undefined;
}

function six(piece: number): string {
  return String(piece).padStart(6, '0');
}

/** A row as a line: bytes in a form of their own, as JSON has none. */
export function rowLine(row: readonly Value[]): string {
  const values = row.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
  return `${JSON.stringify(values)}\n`;
}

/** Its values; throws where it is no row at all. */
export function readRowLine(line: string): unknown[] {
  const values: unknown = JSON.parse(line);
  if (!Array.isArray(values)) throw new Error('a list of values is wanted');
  return values;
}

/** Throws where they are no row of such columns. */
export function rowValues(values: readonly unknown[], kinds: readonly ColumnKind[]): Value[] {
  if (values.length !== kinds.length) throw new Error(`${kinds.length} values are wanted`);
  return values.map((value, at) => (value === null ? null : read[kinds[at] ?? 'text'](value)));
}

const read: Record<ColumnKind, (value: unknown) => Value> = {
  int: (value) => {
    if (!Number.isSafeInteger(value)) throw new Error('a whole number is wanted');
    return value as number;
  },
  text: (value) => {
    if (typeof value !== 'string') throw new Error('text is wanted');
    return value;
  },
  bytes: (value) => {
    const { base64 } = value as { base64?: unknown };
    if (typeof base64 !== 'string') throw new Error('bytes are wanted');
    return Buffer.from(base64, 'base64');
  },
};
