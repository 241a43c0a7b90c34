// Carries the segments of one recording from its folder into the bucket, in their order: each is put, then named.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import { MediaError } from '../formats/packet.ts';
import type { Putting } from './bucket-files.ts';
import { keyStart } from './bucket-recordings.ts';
import { orNothing, sourceFile, sourceIndex } from './recording-folder.ts';
import { type IndexLine, type IndexSegment, indexLine, lineOf } from './recording-index.ts';
import { namedSegments, nameSegment } from './segment-store.ts';

export interface CarrierOptions extends Putting {
  recording: string;
  folder: string;
  store: Store;
}

/** Of the index at a time. */
const readBytes = 262_144;
/** Until several nodes go on with one push, each recording is all of its own. */
const epoch = 1;

interface Piece {
  segment: IndexSegment;
  sequence: number;
  /** With the init that stands before it, where it begins a new one. */
  at: number;
  init: Extract<IndexLine, { kind: 'init' }> | undefined;
}

/** Reads on in the index where it was left, so that a live one costs what is new in it. */
export class SegmentCarrier {
  private readonly options: CarrierOptions;

  /** How many are named; undefined before the database was asked. */
  private named: number | undefined;
  private indexAt = 0;
  /** A line of which the end has not been written yet. */
  private begun = '';
  private sequence = 0;
  private end = 0;
  private init: Piece['init'];
  /** Read and not named. */
  private waiting: Piece[] = [];

  constructor(options: CarrierOptions) {
    this.options = options;
  }

  /** Segments that wait for the bucket, as far as the index was read. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Resolves when all that the index names is in the bucket. Throws where the bucket or the database is away. */
  async carry(): Promise<void> {
    const { store, recording } = this.options;
    this.named ??= await store.perform(namedSegments, { push: recording });
    await this.readOn();
    for (let piece = this.waiting[0]; piece; piece = this.waiting[0]) {
      if (piece.sequence >= this.named) await this.putAndName(piece);
      this.waiting.shift();
    }
  }

  private async putAndName({ segment, sequence, at, init }: Piece): Promise<void> {
    const { store, bucket, recording, folder, inTurn, signal } = this.options;
    const key = segmentKey(recording, sequence);
    const size = segment.at + segment.size - at;
    const path = join(folder, sourceFile);
    await inTurn(() => bucket.putFile(key, { path, at, size }, signal));
    const isNamed = await store.perform(nameSegment, {
      push: recording,
      epoch,
      sequence,
      key,
      size,
      init_size: size - segment.size,
      width: init?.width ?? 0,
      height: init?.height ?? 0,
      duration_ms: Math.round(segment.durationMs),
      flags: (segment.isIndependent ? 1 : 0) + (segment.isDiscontinuity ? 2 : 0),
      starts_at: Math.round(segment.startsAt),
    });
    if (!isNamed) throw new Error('another node goes on with the push');
  }

  private async readOn(): Promise<void> {
    const { folder } = this.options;
    const file = await orNothing(open(join(folder, sourceIndex), 'r'));
    if (!file) return;
    try {
      for (;;) {
        const text = await this.nextText(file);
        if (text === '') return;
        const lines = (this.begun + text).split('\n');
        this.begun = lines.pop() ?? '';
        for (const line of lines) this.take(lineOf(line));
      }
    } finally {
      await file.close();
    }
  }

  /** Lines are of ASCII, so a piece never ends within a character. */
  private async nextText(file: FileHandle): Promise<string> {
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(readBytes),
      0,
      readBytes,
      this.indexAt,
    );
    this.indexAt += bytesRead;
    return buffer.toString('latin1', 0, bytesRead);
  }

  private take(line: IndexLine): void {
    if (line.kind === 'init') {
      this.init = line;
      return;
    }
    const piece = { segment: line, sequence: this.sequence, at: this.end, init: this.init };
    const isSeamless = line.at - this.end === (this.init?.size ?? 0);
    if (!isSeamless) throw new MediaError('The index of the recording has a gap');
    this.init = undefined;
    this.sequence += 1;
    this.end = line.at + line.size;
    this.waiting.push(piece);
  }
}

function segmentKey(recording: string, sequence: number): string {
  return `${keyStart(recording)}${epoch}/${sequence}.m4s`;
}

/** The index as it lies in the bucket: each segment says which object it is in. */
export function indexWithKeys(recording: string, text: string): string {
  let sequence = 0;
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((text) => {
      const line = lineOf(text);
      if (line.kind === 'init') return indexLine(line);
      return indexLine({ ...line, key: segmentKey(recording, sequence++) } as IndexLine);
    })
    .join('');
}
