// H.264 as MPEG-TS and encoders carry it (ISO 14496-10 annex B): units behind start codes.

/** The units between the start codes, without the zeros that may follow one. */
export function annexBUnits(bytes: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = [];
  let from = -1;
  for (let at = startCode(bytes, 0); ; at = startCode(bytes, from)) {
    const end = at < 0 ? bytes.length : at;
    if (from >= 0) {
      const unit = withoutZeros(bytes.subarray(from, end));
      if (unit.length > 0) units.push(unit);
    }
    if (at < 0) return units;
    from = at + startCodeBytes;
  }
}

/** As MP4 has them: each with its length before it. */
export function withLengths(units: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(units.reduce((sum, { length }) => sum + 4 + length, 0));
  let at = 0;
  for (const unit of units) {
    at = bytes.writeUInt32BE(unit.length, at);
    bytes.set(unit, at);
    at += unit.length;
  }
  return bytes;
}

const startCodeBytes = 3;

/** Of three bytes; the zero before a longer one belongs to the unit before, which does not end with zeros. */
function startCode(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at += 1) {
    // The 1 is rarer than the zeros before it.
    at = bytes.indexOf(1, at);
    if (at < 0) return -1;
    if (at >= from + 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0) return at - 2;
  }
}

function withoutZeros(unit: Uint8Array): Uint8Array {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end -= 1;
  return unit.subarray(0, end);
}
