// An H.264 decoder configuration that says what it is told to, for pictures that no camera takes.

export interface ForgedPicture {
  /** In macroblocks of 16 by 16. */
  columns: number;
  rows: number;
  referenceFrames: number;
  /** What is cropped off right and below, in units of two pixels. */
  cropRight?: number;
  cropBottom?: number;
  /** The parameter set's number. */
  id?: number;
}

/** A record (ISO 14496-15 5.3.3.1) with a set for each picture; the first tells its size. */
export function forgedRecord(...pictures: readonly [ForgedPicture, ...ForgedPicture[]]): Buffer {
  const sequences = pictures.map(sequenceSet);
  const [first] = sequences;
  return Buffer.concat([
    Buffer.of(1, first?.[1] ?? 0, first?.[2] ?? 0, first?.[3] ?? 0, 0xff, 0xe0 | sequences.length),
    ...sequences.flatMap(withLength),
    Buffer.of(pictures.length),
    ...pictures.map(({ id = 0 }) => pictureSet(id)).flatMap(withLength),
  ]);
}

/** The body of an FLV tag that carries it (FLV 1, E.4.3.1). */
export function sequenceHeader(record: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0x17, 0, 0, 0, 0), record]);
}

/** ISO 14496-10 7.3.2.1.1, in the baseline profile. */
function sequenceSet(picture: ForgedPicture): Buffer {
  const { columns, rows, referenceFrames, cropRight = 0, cropBottom = 0, id = 0 } = picture;
  const isCropped = cropRight + cropBottom > 0;
  const crop = [0, cropRight, 0, cropBottom].map(golomb).join('');
  const bits = [
    golomb(id),
    golomb(0), // bits of frame_num
    golomb(2), // pictures are shown in the order they are decoded
    golomb(referenceFrames),
    '0',
    golomb(columns - 1),
    golomb(rows - 1),
    '11', // frames, direct prediction
    isCropped ? `1${crop}` : '0',
    '0',
  ];
  return Buffer.concat([Buffer.of(0x67, 0x42, 0xc0, 0x3e), bytesOf(bits.join(''))]);
}

/** 7.3.2.2, with everything as plain as can be; it uses the sequence set of its own number. */
function pictureSet(id: number): Buffer {
  const numbers = [golomb(id), golomb(id), '00', golomb(0), golomb(0), golomb(0), '000'];
  return Buffer.concat([Buffer.of(0x68), bytesOf(`${numbers.join('')}${golomb(0).repeat(3)}000`)]);
}

/** 9.1: as many zeros as bits follow the first one. */
function golomb(value: number): string {
  const text = (value + 1).toString(2);
  return '0'.repeat(text.length - 1) + text;
}

/** With the bit that ends it, and a 3 where two zeros would look like a start code (7.4.1.1). */
function bytesOf(bits: string): Buffer {
  const whole = `${bits}1`.padEnd(8 * Math.ceil((bits.length + 1) / 8), '0');
  const plain = Array.from({ length: whole.length / 8 }, (_, at) =>
    Number.parseInt(whole.slice(8 * at, 8 * at + 8), 2),
  );
  const escaped: number[] = [];
  for (const byte of plain) {
    const isLikeCode = byte <= 3 && escaped.at(-1) === 0 && escaped.at(-2) === 0;
    escaped.push(...(isLikeCode ? [3, byte] : [byte]));
  }
  return Buffer.from(escaped);
}

function withLength(set: Buffer): Buffer[] {
  return [Buffer.of(set.length >> 8, set.length & 0xff), set];
}
