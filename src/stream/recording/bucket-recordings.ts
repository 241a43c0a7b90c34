// Recordings that lie in the bucket: which objects each file is, and its bytes read from them.

import type { Store } from '../../base/db/sql.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import type { Bucket } from '../../base/objects/bucket.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { bucketSpoolLimits } from './bucket-spool-limits.ts';
import { objectsOfFile, type RecordedObject } from './recorded-object-store.ts';
import { sourceFile, sourceIndex } from './recording-folder.ts';
import { type ByteRange, segmentsIn } from './recording-index.ts';
import { notThere, pulled, type StoredFile, type StoredRecording } from './stored-recording.ts';

/** A stretch of a file that is an object. */
interface Piece extends ByteRange {
  key: string;
}

export interface BucketRecordingsOptions {
  store: Store;
  bucket: Bucket;
  /** Whether players are sent to the store where a file is one object. */
  redirects: boolean;
}

/** Under which all objects of a recording are. */
export function keyStart(recording: string): string {
  return `rec/${recording}/`;
}

export class BucketRecordings {
  private readonly options: BucketRecordingsOptions;

  /** Of sources, which are as many objects as they have segments. */
  private readonly sources = new RecentMap<string, readonly Piece[]>({
    max: bucketSpoolLimits.keptPieces,
    weigh: (pieces) => pieces.length,
  });

  constructor(options: BucketRecordingsOptions) {
    this.options = options;
  }

  of(recording: string): StoredRecording {
    return {
      name: `s3 ${recording}`,
      find: (file) => this.find(recording, file),
      text: (file) => this.text(recording, file),
    };
  }

  /** One that is no video yet, by an index of what is named of it. */
  unsealed(recording: string, index: string): StoredRecording {
    return {
      name: `s3 ${recording} unsealed`,
      find: async (file) => {
        const pieces = file === sourceFile ? await inTurns(piecesIn(index)) : [];
        const last = pieces.at(-1);
        if (!last) throw notThere(file);
        const read = (range: ByteRange) => this.read(async () => pieces, range);
        const body = (range: ByteRange) => pulled(read(range));
        return { size: last.at + last.size, tag: '', body, pieces: read };
      },
      text: async (file) => {
        if (file !== sourceIndex) throw notThere(file);
        return withoutKeys(index);
      },
    };
  }

  /** Of the objects that its source is; none where it does not lie in the bucket. */
  async sourceKeys(recording: string): Promise<string[]> {
    const { store } = this.options;
    const [source] = await objectsOfFile(store, { recording, file: sourceFile });
    return source ? (await this.sourcePieces(source)).map(({ key }) => key) : [];
  }

  private async find(recording: string, file: string): Promise<StoredFile> {
    const { store, bucket, redirects } = this.options;
    const objects = await objectsOfFile(store, { recording, file });
    const [first] = objects;
    if (!first) throw notThere(file);
    const size = objects.reduce((sum, one) => sum + one.size, 0);
    const piecesOf = async () => (file === sourceFile ? await this.sourcePieces(first) : objects);
    const pieces = (range: ByteRange) => this.read(piecesOf, range);
    const isOne = redirects && objects.length === 1 && file.endsWith('.mp4') && file !== sourceFile;
    return {
      size,
      tag: first.tag,
      ...(isOne && { address: bucket.signedAddress(first.key, bucketSpoolLimits.redirectSeconds) }),
      body: (range) => pulled(pieces(range)),
      pieces,
    };
  }

  private async text(recording: string, file: string): Promise<string> {
    const { store, bucket } = this.options;
    const objects = await objectsOfFile(store, { recording, file });
    if (objects.length === 0) throw notThere(file);
    const text = await textOf(bucket, objects);
    return file === sourceIndex ? withoutKeys(text) : text;
  }

  /** The row of a source leads to its index, whose lines name an object for each segment. */
  private async sourcePieces({ key }: RecordedObject): Promise<readonly Piece[]> {
    const known = this.sources.get(key);
    if (known) return known;
    const text = await textOf(this.options.bucket, [
      { key, size: bucketSpoolLimits.indexBytesMax },
    ]);
    const pieces = await inTurns(piecesIn(text));
    this.sources.set(key, pieces);
    return pieces;
  }

  private async *read(
    piecesOf: () => Promise<readonly Piece[]>,
    { at, size }: ByteRange,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const pieces = await piecesOf();
    const end = at + size;
    for (let n = firstBehind(pieces, at); n < pieces.length; n += 1) {
      const piece = pieces[n] as Piece;
      if (piece.at >= end) return;
      const from = Math.max(at, piece.at) - piece.at;
      const to = Math.min(end, piece.at + piece.size) - piece.at - 1;
      yield* this.options.bucket.read(piece.key, { from, to });
    }
  }
}

/** Of an index whose lines name objects. */
function* piecesIn(index: string): Generator<Piece> {
  let end = 0;
  for (const segment of segmentsIn(index)) {
    const at = end;
    end = segment.at + segment.size;
    yield { at, size: end - at, key: (segment as typeof segment & { key: string }).key };
  }
}

/** The first piece that ends behind a place: a source has up to 32,768. */
function firstBehind(pieces: readonly Piece[], at: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const piece = pieces[middle] as Piece;
    if (piece.at + piece.size > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function textOf(bucket: Bucket, objects: readonly { key: string; size: number }[]) {
  const texts: Uint8Array[] = [];
  for (const { key, size } of objects) texts.push(await bucket.bytes(key, size));
  return Buffer.concat(texts).toString('utf8');
}

/** As it stood on the disk. */
function withoutKeys(text: string): string {
  return text.replaceAll(/,"key":"[^"]*"\}$/gm, '}');
}
