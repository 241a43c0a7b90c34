// Which way up a photograph is: found in its EXIF, and written alone.

/** EXIF 2.32 4.6.4: the tag, a number of two bytes; 1 is as it lies. */
const orientationTag = 0x0112;
const shortType = 3;

/** 2 to 8 of a TIFF, as EXIF is one; undefined where it says nothing else than as it lies, or nothing that makes sense. */
export function orientationIn(tiff: Uint8Array): number | undefined {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  if (tiff.length < 8) return undefined;
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const isLittle = order === 0x4949;
  const table = view.getUint32(4, isLittle);
  if (table + 2 > tiff.length) return undefined;
  const count = view.getUint16(table, isLittle);
  for (let at = table + 2; at < table + 2 + 12 * count && at + 12 <= tiff.length; at += 12) {
    if (view.getUint16(at, isLittle) !== orientationTag) continue;
    if (view.getUint16(at + 2, isLittle) !== shortType) return undefined;
    const orientation = view.getUint16(at + 8, isLittle);
    return orientation >= 2 && orientation <= 8 ? orientation : undefined;
  }
  return undefined;
}

/** A TIFF with that tag and nothing else. */
export function minimalExif(orientation: number): Uint8Array {
  const tiff = Buffer.alloc(26);
  tiff.set(Buffer.from('MM'));
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(orientationTag, 10);
  tiff.writeUInt16BE(shortType, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
