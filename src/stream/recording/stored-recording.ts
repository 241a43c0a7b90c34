// The files of one recording as they are read, wherever they lie: in a folder, or in the bucket.
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MediaError } from '../formats/packet.ts';
import type { ByteRange } from './recording-index.ts';

/** Where the files of a video are; `spool` and `leaving` are on their way from the one to the other. */
export const storages = ['disk', 'spool', 'bucket', 'leaving'] as const;
export type Storage = (typeof storages)[number];

/** What the database says of where a recording lies. */
export interface RecordingPlace {
  /** Name of its folder, or of what stands in its keys. */
  recording: string;
  storage: Storage;
}

/** The same, and whose disk it lies on. */
export interface KeptPlace extends RecordingPlace {
  recording_node: string;
}

export interface StoredRecording {
  /** Of no two places the same. */
  readonly name: string;
  /** Throws with the code ENOENT where there is no such file, and a MediaError where there is nothing in it. */
  find(file: string): Promise<StoredFile>;
  /** All that an index or a note holds; throws as `find` does. */
  text(file: string): Promise<string>;
}

export interface StoredFile {
  readonly size: number;
  /** Another where its bytes are others. */
  readonly tag: string;
  /** Where players may read it without us. */
  readonly address?: string;
  /** A stretch of it, as an answer carries it. */
  body(range: ByteRange, type: string): Blob | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The same for ourselves; each piece is good until the next. */
  pieces(range: ByteRange): AsyncIterable<Uint8Array>;
}

export function storedInFolder(folder: string): StoredRecording {
  return {
    name: folder,
    find: (file) => fileAt(join(folder, file)),
    text: (file) => readFile(join(folder, file), 'utf8'),
  };
}

export async function fileAt(path: string): Promise<StoredFile> {
  const found = await stat(path);
  if (!found.isFile() || found.size === 0) throw new MediaError('A file of the recording is empty');
  const { size, mtimeMs } = found;
  const stretch = ({ at, size: of }: ByteRange) => Bun.file(path).slice(at, at + of);
  return {
    size,
    tag: tagOf({ size, mtimeMs }),
    body: ({ at, size: of }, type) =>
      of === size ? Bun.file(path, { type }) : Bun.file(path).slice(at, at + of, type),
    pieces: (range) => wholePieces(stretch(range).stream(), range, basename(path)),
  };
}

/** By its length and its last change, which are kept where it goes. */
export function tagOf({ size, mtimeMs }: { size: number; mtimeMs: number }): string {
  return `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
}

async function* wholePieces(
  pieces: AsyncIterable<Uint8Array>,
  { size }: ByteRange,
  file: string,
): AsyncGenerator<Uint8Array> {
  let given = 0;
  for await (const piece of pieces) {
    given += piece.length;
    yield piece;
  }
  if (given !== size) throw new Error(`${file} of a recording is shorter than its index says`);
}

/** Of a file that is not there, as the disk says it. */
export function notThere(file: string): Error {
  return Object.assign(new Error(`there is no ${file}`), { code: 'ENOENT' });
}

/** Asked for piece by piece: whoever does not read on asks for none. */
export function pulled(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch {
          // The head has gone out: all that is left is to break off. Without a reason: Bun would print it beside the log.
          controller.error();
        }
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}
