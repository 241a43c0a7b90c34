// Carries the segments of one recording from its folder into the bucket, in their order: each is put, then named.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../base/db/sql.ts';
import { MediaError } from '../formats/packet.ts';
import type { Putting } from './bucket-files.ts';
import { keyStart } from './bucket-recordings.ts';
import {
  type NotedStint,
  orNothing,
  type RecordingNote,
  readNote,
  sourceFile,
  sourceIndex,
} from './recording-folder.ts';
import { type IndexLine, type IndexSegment, indexLine, lineOf } from './recording-index.ts';
import { lastNamed, nameSegment } from './segment-store.ts';
import { beginStint, type Fence } from './stint-store.ts';

export interface CarrierOptions extends Putting {
  /** The name of the folder, and of the recording where its note says no other. */
  recording: string;
  folder: string;
  node: string;
  store: Store;
  /** It is a video of this node's disk: nobody else can have a part in it. */
  isVideo?: boolean;
}

/** Which numbers a recording's segments have, and under which epoch: of one that is all its node's own the plainest. */
type Numbers = Pick<NotedStint, 'recording' | 'epoch' | 'sequence'>;

/** Of the index at a time. */
const readBytes = 262_144;
interface Piece {
  segment: IndexSegment;
  /** How many stand before it in the file. */
  count: number;
  /** With the init that stands before it, where it begins a new one. */
  at: number;
  init: Extract<IndexLine, { kind: 'init' }> | undefined;
}

/** Reads on in the index where it was left, so that a live one costs what is new in it. */
export class SegmentCarrier {
  private readonly options: CarrierOptions;

  /** What the folder is; undefined before its note was read and the database asked. */
  private known: { numbers: Numbers; note: RecordingNote | undefined; named: number } | undefined;
  /** Another node goes on with the push, or its video is made: no more of it is named. */
  isRefused = false;
  private indexAt = 0;
  /** A line of which the end has not been written yet. */
  private begun = '';
  private count = 0;
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

  /** Resolves when all that the index names is in the bucket, or refused. Throws where the bucket or the database is away. */
  async carry(): Promise<void> {
    const { numbers, named } = await this.begin();
    await this.readOn();
    for (let piece = this.waiting[0]; piece; piece = this.waiting[0]) {
      const sequence = numbers.sequence + piece.count;
      if (!this.isRefused && sequence > named) await this.putAndName(piece, sequence);
      this.waiting.shift();
    }
  }

  private async begin() {
    if (this.known) return this.known;
    const { store, recording, folder, node, isVideo = false } = this.options;
    const note = await readNote(folder);
    const numbers = numbersOf(recording, note);
    const named = await store.perform(lastNamed, { ...numbers, push: numbers.recording });
    if (note?.stint && !isVideo) {
      const { channel_id, account_id, pushed_ms = 0, show_at = null, stint } = note;
      const whose = { channel_id, account_id, node, pushed_ms: Math.round(pushed_ms), show_at };
      this.isRefused = !(await store.perform(beginStint, { ...stint, ...whose }));
    }
    this.known = { numbers, note, named };
    return this.known;
  }

  private async putAndName({ segment, at, init }: Piece, sequence: number): Promise<void> {
    const { store, bucket, folder, inTurn, signal, isVideo = false } = this.options;
    const { numbers, note } = await this.begin();
    const { recording, epoch } = numbers;
    const key = segmentKey(numbers, sequence);
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
      fence: isVideo ? undefined : fenceOf(note),
    });
    if (isNamed) return;
    if (isVideo || !note?.stint) throw new Error('the segment is another object');
    this.isRefused = true;
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
    const piece = { segment: line, count: this.count, at: this.end, init: this.init };
    const isSeamless = line.at - this.end === (this.init?.size ?? 0);
    if (!isSeamless) throw new MediaError('The index of the recording has a gap');
    this.init = undefined;
    this.count += 1;
    this.end = line.at + line.size;
    this.waiting.push(piece);
  }
}

function numbersOf(recording: string, note: RecordingNote | undefined): Numbers {
  return note?.stint ?? { recording, epoch: 1, sequence: 0 };
}

function fenceOf(note: RecordingNote | undefined): Fence | undefined {
  return note?.stint && { channel_id: note.channel_id, push: note.stint.push };
}

function segmentKey({ recording, epoch }: Numbers, sequence: number): string {
  return `${keyStart(recording)}${epoch}/${sequence}.m4s`;
}

/** The index as it lies in the bucket: each segment says which object it is in. */
export function indexWithKeys(
  { recording, note }: { recording: string; note: RecordingNote | undefined },
  text: string,
): string {
  const numbers = numbersOf(recording, note);
  let { sequence } = numbers;
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((text) => {
      const line = lineOf(text);
      if (line.kind === 'init') return indexLine(line);
      return indexLine({ ...line, key: segmentKey(numbers, sequence++) } as IndexLine);
    })
    .join('');
}
