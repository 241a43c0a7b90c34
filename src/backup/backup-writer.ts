// Writes a backup file: entry by entry, each with its checksum, to whoever takes the bytes.
import { type BackupSums, backupLimits, entryNames, kindOfEntry } from './backup-format.ts';
import { endBytes, entryHead, fillBytes } from './tar.ts';

export interface BackupWriterOptions {
  /** Resolves when it is taken. */
  write(bytes: Uint8Array): Promise<void>;
  /** The moment that the backup is of, epoch milliseconds: every entry has its date. */
  at: number;
}

export class BackupWriter {
  private readonly options: BackupWriterOptions;

  readonly sums: BackupSums = { entries: 0, rows: {}, recordings: 0, files: 0, bytes: 0 };
  private checksums: string[] = [];
  private checksumPieces = 0;

  constructor(options: BackupWriterOptions) {
    this.options = options;
  }

  async entry(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.file(name, bytes.length, [bytes]);
  }

  /** Exactly `size` bytes must come. */
  async file(
    name: string,
    size: number,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    if (!kindOfEntry(name)) throw new Error(`no backup has an entry ${name}`);
    const { write, at } = this.options;
    await write(entryHead({ name, size, changedAt: Math.floor(at / 1000) }));
    const hash = new Bun.CryptoHasher('sha256');
    let came = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      came += piece.length;
      await write(piece);
    }
    if (came !== size) throw new Error(`${came} bytes have come for ${name}, not ${size}`);
    if (fillBytes(size) > 0) await write(new Uint8Array(fillBytes(size)));
    this.sums.entries += 1;
    this.sums.bytes += size;
    this.checksums.push(checksumLine(hash.digest('hex'), name));
    if (this.checksums.length >= backupLimits.checksumsMax) await this.writeChecksums();
  }

  async end(): Promise<void> {
    await this.writeChecksums();
    const text = Buffer.from(JSON.stringify(this.sums));
    const { write, at } = this.options;
    const changedAt = Math.floor(at / 1000);
    await write(entryHead({ name: entryNames.end, size: text.length, changedAt }));
    await write(text);
    await write(new Uint8Array(fillBytes(text.length) + endBytes));
  }

  /** Of all entries since the last ones. `sha256sum --check` reads them, too. */
  private async writeChecksums(): Promise<void> {
    const lines = this.checksums.join('');
    this.checksums = [];
    this.checksumPieces += 1;
    const bytes = Buffer.from(lines);
    const { write, at } = this.options;
    const name = entryNames.checksums(this.checksumPieces);
    await write(entryHead({ name, size: bytes.length, changedAt: Math.floor(at / 1000) }));
    await write(bytes);
    await write(new Uint8Array(fillBytes(bytes.length)));
  }
}

export function checksumLine(sha256: string, name: string): string {
  return `${sha256}  ${name}\n`;
}
