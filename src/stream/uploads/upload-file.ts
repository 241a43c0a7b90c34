// The file of one upload: what comes is written to its end, by one request at a time; who comes later ends the one before.
import { type FileHandle, open } from 'node:fs/promises';
import { type BodyStream, broken } from '../../base/api/body-stream.ts';
import { ApiError, unavailable } from '../../base/api/errors.ts';
import { orNothing } from '../recording/recording-folder.ts';
import { uploadLimits } from './upload-limits.ts';

export interface UploadFileOptions {
  path: string;
  size: number;
}

/** A body as it is written, whichever way it comes. */
export type BodyPieces = Pick<BodyStream, 'declaredBytes' | 'next' | 'end'>;

export interface AppendOptions {
  /** How much has come before. */
  offset: number;
  /** So much has come, as it comes. */
  onCame(came: number): void;
  /** Throws where no more may be written now. */
  checkRoom(): void;
}

/** Who has the file, or waits for it. */
interface Turn {
  body: BodyPieces | undefined;
}

export class UploadFile {
  private readonly options: UploadFileOptions;

  private newest: Turn | undefined;
  /** Resolves when the turn before the next has ended. */
  private before: Promise<void> = Promise.resolve();
  private isRemoved = false;

  constructor(options: UploadFileOptions) {
    this.options = options;
  }

  /** Whether a request brings bytes now. */
  get isWritten(): boolean {
    return this.newest !== undefined;
  }

  /** How long it is, on the disk and not only in the system's memory. Undefined where there is no file. */
  settled(): Promise<number | undefined> {
    return this.inTurn(undefined, async () => {
      const file = await orNothing(open(this.options.path, 'r+'));
      if (!file) return undefined;
      try {
        await file.datasync();
        return (await file.stat()).size;
      } finally {
        await file.close();
      }
    });
  }

  /** Writes what comes behind `offset`, which must be the end; resolves when it is on the disk. */
  append(body: BodyPieces, { offset, onCame, checkRoom }: AppendOptions): Promise<number> {
    return this.inTurn(body, async () => {
      const file = await orNothing(open(this.options.path, 'r+'));
      if (!file) throw new ApiError('uploadLost');
      try {
        const { size: length } = await file.stat();
        if (length !== offset) throw wrongOffset(length, offset);
        this.checkLength(body.declaredBytes, length);
        const written = new SyncedFile(file, length);
        try {
          for (let piece = await body.next(); piece; piece = await body.next()) {
            this.checkLength(piece.length, written.length);
            checkRoom();
            await written.add(piece);
            onCame(written.length);
          }
        } finally {
          // Also of a body that broke off: what has come is kept, and counts.
          await written.sync();
          onCame(written.length);
        }
        return written.length;
      } catch (error) {
        throw error instanceof ApiError ? error : unavailable('The disk did not take it', error);
      } finally {
        await file.close();
      }
    });
  }

  /** Whoever writes is told why no more is taken; resolves when nobody writes. */
  async end(problem: ApiError): Promise<void> {
    this.newest?.body?.end(problem);
    await this.before;
  }

  /** The same for good. */
  async remove(): Promise<void> {
    this.isRemoved = true;
    await this.end(new ApiError('noUpload'));
  }

  /** Never beyond what was announced; where that is not known before, no byte of the piece that would be. */
  private checkLength(more: number, length: number): void {
    const { size } = this.options;
    if (!(more > size - length)) return;
    throw new ApiError('tooLarge', {
      message: `Upload-Length was ${size}, of which ${length} have come: ${more} more are too many`,
    });
  }

  private async inTurn<T>(body: BodyPieces | undefined, work: () => Promise<T>): Promise<T> {
    const turn: Turn = { body };
    const older = this.newest;
    this.newest = turn;
    older?.body?.end(broken('Another request goes on with this upload'));
    const { before } = this;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.before = promise;
    try {
      await before;
      if (this.isRemoved) throw new ApiError('noUpload');
      // While it waited a newer one has come.
      if (body && this.newest !== turn) throw broken('Another request goes on with this upload');
      return await work();
    } finally {
      if (this.newest === turn) this.newest = undefined;
      resolve();
    }
  }
}

/** A file that grows, and how much of it is on the disk. */
class SyncedFile {
  private readonly file: FileHandle;

  length: number;
  private syncedLength: number;

  constructor(file: FileHandle, length: number) {
    this.file = file;
    this.length = length;
    this.syncedLength = length;
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let done = 0; done < piece.length; ) {
      const wanted = Math.min(piece.length - done, uploadLimits.writeBytes);
      const { bytesWritten } = await this.file.write(piece, done, wanted, this.length);
      done += bytesWritten;
      this.length += bytesWritten;
    }
    if (this.length - this.syncedLength >= uploadLimits.syncBytes) await this.sync();
  }

  /** Where the disk says that it failed, nothing counts that it has not said before: it may have lost it. */
  async sync(): Promise<void> {
    try {
      await this.file.datasync();
      this.syncedLength = this.length;
    } catch (error) {
      await this.file.truncate(this.syncedLength);
      this.length = this.syncedLength;
      throw error;
    }
  }
}

function wrongOffset(length: number, offset: number): ApiError {
  return new ApiError('wrongOffset', {
    message: `Upload-Offset must be ${length}, for so much has come (got ${offset})`,
  });
}
