// Looks through the boxes of an MP4 before anybody makes tables of them: what is cut, bent or elsewhere is refused.
import type { FileHandle } from 'node:fs/promises';
import { Fields } from '../../formats/box-fields.ts';
import { MediaError } from '../../formats/packet.ts';
import { importLimits } from '../import-limits.ts';
import { ImportError } from '../import-problem.ts';

/** Boxes that stand beside each other in a file; anything else behind them is not the video's. */
const topTypes =
  'ftyp styp moov mdat moof mfra sidx ssix free skip wide uuid meta pnot udta emsg prft pdin pssh'.split(
    ' ',
  );
/** Those of them that hold what is looked for. */
const containers = ['trak', 'mdia', 'minf', 'dinf', 'stbl', 'edts', 'mvex'];

/** Throws where the file cannot be imported; what is no MP4 passes. */
export async function checkMp4(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  let isMp4 = false;
  let movies = 0;
  let boxes = 0;
  for (let at = 0; at < size; ) {
    const head = await headAt(file, at, size);
    if (!head || !topTypes.includes(head.type)) break;
    isMp4 ||= head.type === 'ftyp' || head.type === 'moov';
    const end = head.size === 0 ? size : at + head.size;
    if (isMp4 && end > size) throw new ImportError({ code: 'cut' });
    if (head.type === 'moov') {
      movies += 1;
      await checkMovie(file, { at: at + head.headerBytes, end });
    }
    boxes += 1;
    if (boxes > importLimits.topBoxesMax) throw new MediaError('it has too many boxes');
    at = end;
  }
  // Whoever wrote it was stopped before it could say what the samples are.
  if (isMp4 && movies === 0) throw new ImportError({ code: 'cut' });
  if (movies > 1) throw new MediaError('it holds several movies');
}

interface BoxHead {
  type: string;
  /** With its header; 0: up to the end of the file. */
  size: number;
  headerBytes: number;
}

async function headAt(file: FileHandle, at: number, end: number): Promise<BoxHead | undefined> {
  const bytes = Buffer.alloc(Math.min(16, end - at));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
  return headIn(bytes.subarray(0, bytesRead));
}

/** Undefined where it is no box. */
function headIn(bytes: Buffer): BoxHead | undefined {
  if (bytes.length < 8) return undefined;
  const short = bytes.readUInt32BE(0);
  const type = bytes.toString('latin1', 4, 8);
  if (short !== 1)
    return short > 0 && short < 8 ? undefined : { type, size: short, headerBytes: 8 };
  if (bytes.length < 16) return undefined;
  const size = Number(bytes.readBigUInt64BE(8));
  return size < 16 ? undefined : { type, size, headerBytes: 16 };
}

async function checkMovie(file: FileHandle, { at, end }: { at: number; end: number }) {
  const length = end - at;
  if (length > importLimits.headerBytesMax)
    throw new MediaError(`what describes its samples has ${length} bytes`);
  const movie = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(movie, done, length - done, at + done);
    if (bytesRead === 0) throw new ImportError({ code: 'cut' });
    done += bytesRead;
  }
  const count = { boxes: 0, samples: 0 };
  checkBoxes(movie, 0, count);
  if (count.samples > importLimits.samplesMax) throw tooMany(count.samples);
}

interface Count {
  boxes: number;
  samples: number;
}

function checkBoxes(bytes: Buffer, depth: number, count: Count): void {
  if (depth > importLimits.boxDepthMax) throw new MediaError('its boxes are nested too deep');
  const tables: Tables = {};
  for (const { type, body } of boxesIn(bytes)) {
    count.boxes += 1;
    if (count.boxes > importLimits.boxesMax) throw new MediaError('it has too many boxes');
    if (containers.includes(type)) checkBoxes(body, depth + 1, count);
    else if (type === 'dref') checkReferences(body);
    else if (type === 'stsd') checkEntries(body);
    else readTable(tables, type, body);
  }
  count.samples += samplesOf(tables);
}

function* boxesIn(bytes: Buffer): Generator<{ type: string; body: Buffer }> {
  for (let at = 0; bytes.length - at >= 8; ) {
    const head = headIn(bytes.subarray(at, at + 16));
    // QuickTime ends a list with four zeros.
    if (!head || head.size === 0) return;
    const end = at + head.size;
    if (end > bytes.length) throw new MediaError(`its box ${printable(head.type)} is cut`);
    yield { type: head.type, body: bytes.subarray(at + head.headerBytes, end) };
    at = end;
  }
}

/** ISO 14496-12 8.7.2: the flag says that the samples are in this file. One that names nothing cannot mean another. */
function checkReferences(body: Buffer): void {
  for (const { body: entry } of boxesIn(body.subarray(8))) {
    const isHere = ((entry[3] ?? 0) & 1) === 1;
    if (!isHere && entry.subarray(4).some((byte) => byte !== 0))
      throw new ImportError({ code: 'names_files' });
  }
}

function checkEntries(body: Buffer): void {
  for (const { type } of boxesIn(body.subarray(8)))
    if (type === 'encv' || type === 'enca') throw new ImportError({ code: 'encrypted' });
}

/** What one sample table says of how many samples there are. */
interface Tables {
  /** By their durations. */
  timed?: number;
  sized?: number;
  chunks?: number;
  /** Pairs: from which chunk on, how many samples each has. */
  shapes?: [number, number][];
}

/** Bytes of an entry behind version, flags and the count, or another number before it. */
const entryBytes: Record<string, number> = {
  stts: 8,
  ctts: 8,
  stsc: 12,
  stco: 4,
  co64: 8,
  stss: 4,
};

function readTable(tables: Tables, type: string, body: Buffer): void {
  if (type === 'stsz' || type === 'stz2') {
    const fields = new Fields(body).skip(4);
    const each = fields.u32();
    tables.sized = fields.u32();
    const bits = type === 'stsz' ? (each === 0 ? 32 : 0) : each & 0xff;
    if (tables.sized * bits > 8 * (body.length - 12)) throw tooMany(tables.sized);
    return;
  }
  const bytes = entryBytes[type];
  if (bytes === undefined) return;
  const fields = new Fields(body).skip(4);
  const entries = fields.u32();
  if (entries * bytes > body.length - 8) throw tooMany(entries);
  if (type === 'stts' || type === 'ctts') {
    let samples = 0;
    for (let left = entries; left > 0; left -= 1) {
      samples += fields.u32();
      fields.skip(4);
    }
    if (type === 'stts') tables.timed = samples;
    if (samples > importLimits.samplesMax) throw tooMany(samples);
  } else if (type === 'stsc') {
    const shapes: [number, number][] = [];
    for (let left = entries; left > 0; left -= 1) {
      shapes.push([fields.u32(), fields.u32()]);
      fields.skip(4);
    }
    tables.shapes = shapes;
  } else if (type === 'stco' || type === 'co64') {
    tables.chunks = entries;
  }
}

/** Every sample must have a time, a size and a place, or the tables are not of one file. */
function samplesOf({ timed = 0, sized = 0, chunks = 0, shapes = [] }: Tables): number {
  let placed = 0;
  for (const [at, [first, samples]] of shapes.entries()) {
    const next = shapes[at + 1]?.[0] ?? chunks + 1;
    if (first < 1 || next < first) throw new MediaError('its chunks are out of order');
    if (samples === 0 || samples > importLimits.samplesMax) throw tooMany(samples);
    placed += (next - first) * samples;
  }
  if (timed > sized || timed > placed)
    throw new MediaError(
      `it tells the times of ${timed} samples, and where ${Math.min(sized, placed)} are`,
    );
  return timed;
}

function tooMany(count: number): MediaError {
  return new MediaError(`it says that it has ${count} samples`);
}

function printable(type: string): string {
  return type.replace(/[^\x20-\x7e]/g, '?');
}
