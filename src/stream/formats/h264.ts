// H.264: what a decoder configuration tells of a track, and pictures cleaned for MP4 (ISO 14496-10, -15).
import { keep, type Lent } from '../../base/bytes/memory.ts';
import { BitReader } from './bits.ts';
import { MediaError, OversizedPicture, type VideoTrack } from './packet.ts';

export interface CleanPicture {
  /** The picture's units with lengths before them; a view of the bytes given where that will do. */
  bytes: Lent;
  isKey: boolean;
  /** The track's new record, where the picture brought parameters that the track does not have. */
  record: Uint8Array | undefined;
}

/** How our sentences about them begin. */
const what = 'The H.264 parameters';

/** Encoders send 40 to 100 bytes; a record is kept with every init segment, so it must not grow. */
const recordBytesMax = 4_096;
/** Encoders send one SPS and one to four PPS; of a record and of a picture. Each is compared with each. */
const setsMax = 32;
/** A key frame of 4 MB in slices of 1,200 bytes, as some cut them for UDP, has 3,500; most have one to 64. */
const unitsMax = 4_096;
/** Browsers decode 8K, 7,680 wide, at best. */
const sizeMax = 8_192;

/**
 * Kinds of units (ISO 14496-10 table 7-1). Slices of a picture are 1 to 5; from 7 to 13 come parameters,
 * delimiters, ends and filler.
 */
const unit = {
  slice: 1,
  keySlice: 5,
  sequenceParameters: 7,
  pictureParameters: 8,
  sequenceExtension: 13,
} as const;

/** Checks an AVCDecoderConfigurationRecord (ISO 14496-15 5.3.3.1) and tells what browsers need to know of it. */
export function videoTrackOf(came: Lent): VideoTrack {
  if (came.length > recordBytesMax) throw broken(`more than ${recordBytesMax} bytes`);
  const record = keep(came);
  const [sequence] = parameterSetsOf(record).sequences;
  if (!sequence) throw broken('no SPS');
  const { width, height } = shapeOf(sequence);
  return {
    kind: 'video',
    codec: `avc1.${sequence.subarray(1, 4).toHex()}`,
    record,
    width,
    height,
  };
}

/** The sequence parameter sets of a record: a picture may use any of them. */
export function sequencesOf(record: Uint8Array): readonly Uint8Array[] {
  return parameterSetsOf(record).sequences;
}

/**
 * Leaves out what does not belong into an MP4 sample: delimiters, filler and the parameter sets that
 * stand in the record. Undefined where no slice of a picture is left.
 *
 * Key is an IDR slice alone. A recovery point would do for a decoder that is told of it, but MP4's
 * sync samples and HLS's independent segments promise that nothing before them is needed.
 */
export function cleanPicture(bytes: Lent, track: VideoTrack): CleanPicture | undefined {
  const lengthSize = lengthSizeOf(track.record);
  let hasSlice = false;
  let isKey = false;
  let units = 0;
  let sets = 0;
  let keptBytes = 0;
  let keptFrom = -1;
  let keptTo = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = unitEnd(bytes, at, lengthSize);
    const kind = kindAt(bytes, at + lengthSize, end);
    if (kind >= unit.slice && kind <= unit.keySlice) hasSlice = true;
    if (kind === unit.keySlice) isKey = true;
    if (isParameters(kind)) sets += 1;
    if (isKept(kind)) {
      if (keptFrom < 0) keptFrom = at;
      keptTo = end;
      keptBytes += end - at;
    }
    units += 1;
    if (units > unitsMax || sets > setsMax) throw tooMany(units > unitsMax);
    at = end;
  }
  if (!hasSlice) return undefined;
  // Delimiters stand before a picture and filler behind it, so that there is seldom a gap to close.
  const isWhole = keptTo - keptFrom === keptBytes;
  return {
    bytes: isWhole ? bytes.subarray(keptFrom, keptTo) : keptUnits(bytes, lengthSize, keptBytes),
    isKey,
    record: sets > 0 ? changedRecord(bytes, track.record) : undefined,
  };
}

/** The AVCDecoderConfigurationRecord of a stream whose parameter sets stand among its units; lengths have four bytes. */
export function recordOfUnits(units: readonly Uint8Array[]): Uint8Array {
  const ofUnits = (kind: number) => units.filter((one) => kindAt(one, 0, one.length) === kind);
  return recordOf(4, {
    sequences: ofUnits(unit.sequenceParameters),
    pictures: ofUnits(unit.pictureParameters),
  });
}

interface ParameterSets {
  /** SPS: of whole sequences of pictures. */
  sequences: Uint8Array[];
  /** PPS: of single pictures. */
  pictures: Uint8Array[];
}

function parameterSetsOf(record: Uint8Array): ParameterSets {
  if (record.length < 7) throw broken('they end too early');
  if (record[0] !== 1) throw broken(`version ${record[0]}, not 1`);
  if (lengthSizeOf(record) === 3) throw broken('lengths of 3 bytes');
  const sequences = setsAt(record, 5, 0x1f);
  const pictures = setsAt(record, sequences.end, 0xff);
  if (sequences.sets.length + pictures.sets.length > setsMax) throw broken('too many sets');
  // More may follow: it repeats what the first SPS says, and encoders leave it out.
  return {
    sequences: ofKind(unit.sequenceParameters, sequences.sets),
    pictures: ofKind(unit.pictureParameters, pictures.sets),
  };
}

function lengthSizeOf(record: Uint8Array): number {
  return ((record[4] ?? 0) & 3) + 1;
}

/** A count, and so many sets with two bytes of length before each. */
function setsAt(record: Uint8Array, from: number, countMask: number) {
  const count = (record[from] ?? 0) & countMask;
  const sets: Uint8Array[] = [];
  let end = from + 1;
  while (sets.length < count) {
    const start = end + 2;
    end = start + numberAt(record, end, 2);
    if (end > record.length) throw broken('they end too early');
    sets.push(record.subarray(start, end));
  }
  return { sets, end };
}

function ofKind(kind: number, sets: Uint8Array[]): Uint8Array[] {
  const fitting = sets.filter((set) => kindAt(set, 0, set.length) === kind);
  if (fitting.length === 0) throw broken(kind === unit.sequenceParameters ? 'no SPS' : 'no PPS');
  return fitting;
}

/** The part of an SPS that we need. */
export interface Shape {
  width: number;
  height: number;
  /** Before it is cropped: what a decoder holds of each picture, whatever is shown. */
  codedPixels: number;
  /** Pictures that a decoder must keep for those to come. */
  referenceFrames: number;
  /** 0 is grey, 1 is 4:2:0. */
  chromaFormat: number;
}

/** Profiles whose SPS tells the chroma format and the depths. */
const detailedProfiles = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

/** Reads an SPS (7.3.2.1.1) up to its cropping; the VUI behind it does not matter to us. */
export function shapeOf(sequence: Uint8Array): Shape {
  const bits = new BitReader(withoutEmulation(sequence.subarray(1)), what);
  const profile = bits.bits(8);
  bits.bits(16); // constraints, level
  bits.unsigned(); // its id
  const chromaFormat = detailedProfiles.includes(profile) ? readColour(bits) : 1;
  bits.unsigned(); // bits of frame_num
  skipPictureOrder(bits);
  const referenceFrames = bits.unsigned();
  bits.flag(); // gaps in frame_num
  return { ...readSize(bits, chromaFormat), chromaFormat, referenceFrames };
}

/** Without the 3 that keeps two zeros from looking like a start code (7.4.1.1). */
function withoutEmulation(bytes: Uint8Array): Uint8Array {
  let zeros = 0;
  return bytes.filter((byte) => {
    const isEmulation = zeros >= 2 && byte === 3;
    zeros = byte === 0 ? zeros + 1 : 0;
    return !isEmulation;
  });
}

/** The chroma format, where browsers play it. */
function readColour(bits: BitReader): number {
  const chromaFormat = bits.unsigned();
  if (chromaFormat > 1) {
    const name = chromaFormat === 2 ? '4:2:2' : '4:4:4';
    throw new MediaError(
      `The picture is ${name}, which browsers cannot play: set the encoder to 4:2:0 (yuv420p)`,
    );
  }
  const depth = 8 + Math.max(bits.unsigned(), bits.unsigned());
  if (depth > 8) {
    throw new MediaError(
      `The picture has ${depth} bits a colour, which browsers cannot play: set the encoder to 8 bits (yuv420p)`,
    );
  }
  bits.flag(); // lossless by QP 0
  if (bits.flag()) skipScalingLists(bits);
  return chromaFormat;
}

/** 7.3.2.1.1.1: six lists of 16 numbers, two of 64; a scale of 0 ends one early. */
function skipScalingLists(bits: BitReader): void {
  for (let list = 0; list < 8; list += 1) {
    if (!bits.flag()) continue;
    let scale = 8;
    for (let left = list < 6 ? 16 : 64; left > 0 && scale !== 0; left -= 1) {
      scale = (scale + bits.signed()) & 0xff;
    }
  }
}

function skipPictureOrder(bits: BitReader): void {
  const type = bits.unsigned();
  if (type === 0) bits.unsigned();
  if (type !== 1) return;
  bits.flag();
  bits.signed();
  bits.signed();
  const cycle = bits.unsigned();
  if (cycle > 255) throw broken('too many pictures in their order');
  for (let left = cycle; left > 0; left -= 1) bits.signed();
}

/** In macroblocks of 16 by 16, less what is cropped in units of chroma samples (7.4.2.1.1). */
function readSize(bits: BitReader, chromaFormat: number) {
  const columns = bits.unsigned() + 1;
  const rows = bits.unsigned() + 1;
  const fieldsInRow = bits.flag() ? 1 : 2;
  if (fieldsInRow === 2) bits.flag(); // frames and fields mixed
  bits.flag(); // direct prediction
  const isCropped = bits.flag();
  const [across, down] = isCropped ? [twoSides(bits), twoSides(bits)] : [0, 0];
  const unitSize = chromaFormat === 1 ? 2 : 1;
  const width = 16 * columns - unitSize * across;
  const height = fieldsInRow * (16 * rows - unitSize * down);
  if (Math.min(width, height) < 1 || Math.max(width, height) > sizeMax) {
    throw new OversizedPicture({ width, height, sideMax: sizeMax });
  }
  return { width, height, codedPixels: 256 * columns * fieldsInRow * rows };
}

/** Left and right, or top and bottom. */
function twoSides(bits: BitReader): number {
  return bits.unsigned() + bits.unsigned();
}

/** Where the unit ends whose length stands at `at`. */
function unitEnd(bytes: Lent, at: number, lengthSize: number): number {
  const start = at + lengthSize;
  const end = start + numberAt(bytes, at, lengthSize);
  if (end > bytes.length) {
    throw new MediaError('The picture is broken: a unit is longer than its packet');
  }
  return end;
}

function numberAt(bytes: Lent, at: number, size: number): number {
  let value = 0;
  for (let place = 0; place < size; place += 1) value = 256 * value + (bytes[at + place] ?? 0);
  return value;
}

/** 0, which stands for none of ours, where the unit is empty. */
function kindAt(bytes: Lent, start: number, end: number): number {
  return start < end ? (bytes[start] ?? 0) & 0x1f : 0;
}

function isParameters(kind: number): boolean {
  return kind === unit.sequenceParameters || kind === unit.pictureParameters;
}

/** Empty units, which some encoders pad with, and those of no kind go too. */
function isKept(kind: number): boolean {
  return kind !== 0 && (kind < unit.sequenceParameters || kind > unit.sequenceExtension);
}

function keptUnits(bytes: Lent, lengthSize: number, keptBytes: number): Uint8Array {
  const kept = new Uint8Array(keptBytes);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = unitEnd(bytes, at, lengthSize);
    if (isKept(kindAt(bytes, at + lengthSize, end))) {
      kept.set(bytes.subarray(at, end), length);
      length += end - at;
    }
    at = end;
  }
  return kept;
}

/** The record with the parameter sets among these units, or undefined where it has them all. */
function changedRecord(bytes: Lent, record: Uint8Array): Uint8Array | undefined {
  const known = parameterSetsOf(record);
  const found: ParameterSets = { sequences: [], pictures: [] };
  const lengthSize = lengthSizeOf(record);
  for (let at = 0; at < bytes.length; ) {
    const end = unitEnd(bytes, at, lengthSize);
    const kind = kindAt(bytes, at + lengthSize, end);
    const set = isParameters(kind) ? bytes.subarray(at + lengthSize, end) : undefined;
    if (set && set.length > recordBytesMax) throw broken(`more than ${recordBytesMax} bytes`);
    if (set) (kind === unit.sequenceParameters ? found.sequences : found.pictures).push(keep(set));
    at = end;
  }
  if (holdsAll(known.sequences, found.sequences) && holdsAll(known.pictures, found.pictures)) {
    return undefined;
  }
  return recordOf(lengthSize, {
    sequences: merged(known.sequences, found.sequences, 4),
    pictures: merged(known.pictures, found.pictures, 1),
  });
}

function holdsAll(known: Uint8Array[], found: Uint8Array[]): boolean {
  return found.every((set) => known.some((other) => Buffer.compare(set, other) === 0));
}

/** A set replaces the one of its id; new ones go first, because the first SPS tells the size. */
function merged(known: Uint8Array[], found: Uint8Array[], idAt: number): Uint8Array[] {
  const byId = new Map<number, Uint8Array>();
  for (const set of [...found, ...known]) {
    const id = new BitReader(set.subarray(idAt), what).unsigned();
    if (!byId.has(id)) byId.set(id, set);
  }
  return [...byId.values()];
}

function recordOf(lengthSize: number, { sequences, pictures }: ParameterSets): Uint8Array {
  const [first] = sequences;
  if (!first) throw broken('no SPS');
  if (sequences.length + pictures.length > setsMax) throw broken('too many sets');
  const { chromaFormat } = shapeOf(first);
  const [profile = 0, constraints = 0, level = 0] = first.subarray(1, 4);
  // Chroma format, 8 bits, 8 bits, no SPS extension.
  const details = detailedProfiles.includes(profile) ? [0xfc | chromaFormat, 0xf8, 0xf8, 0] : [];
  const record = Buffer.concat([
    Uint8Array.of(1, profile, constraints, level, 0xfc | (lengthSize - 1)),
    Uint8Array.of(0xe0 | sequences.length),
    ...sequences.flatMap(withLength),
    Uint8Array.of(pictures.length),
    ...pictures.flatMap(withLength),
    Uint8Array.from(details),
  ]);
  if (record.length > recordBytesMax) throw broken(`more than ${recordBytesMax} bytes`);
  return record;
}

function withLength(set: Uint8Array): Uint8Array[] {
  return [Uint8Array.of(set.length >> 8, set.length & 0xff), set];
}

function tooMany(isUnits: boolean): MediaError {
  const most = isUnits ? `${unitsMax} units` : `${setsMax} parameter sets`;
  return new MediaError(`The picture has more than ${most}: no encoder makes so many`);
}

function broken(how: string): MediaError {
  return new MediaError(`${what} are broken: ${how}`);
}
