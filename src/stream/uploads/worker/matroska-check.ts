// Tells whether a Matroska or WebM file is as long as it says (RFC 8794 4, RFC 9559 5.1).
import { ImportError } from '../import-problem.ts';

const headerId = 0x1a45dfa3;
const segmentId = 0x18538067;

/** `head` is the file's first bytes. What is no Matroska, or does not say how long it is, passes. */
export function checkMatroska(head: Uint8Array, sizeBytes: number): void {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  const header = elementAt(bytes, 0);
  if (header?.id !== headerId || header.end === undefined) return;
  const segment = elementAt(bytes, header.end);
  if (segment?.id === segmentId && segment.end !== undefined && segment.end > sizeBytes)
    throw new ImportError({ code: 'cut' });
}

interface Element {
  id: number;
  /** Where it ends; undefined where its size is not known, as of what was written live. */
  end: number | undefined;
}

function elementAt(bytes: Buffer, at: number): Element | undefined {
  const [idBytes, sizeAt] = [4, at + 4];
  if (bytes.length < sizeAt + 8) return undefined;
  const id = bytes.readUIntBE(at, idBytes);
  // As many bytes as there are zeros in front, and one.
  const sizeBytes = Math.clz32(bytes[sizeAt] ?? 0) - 24 + 1;
  if (sizeBytes > 8) return undefined;
  const mask = (1n << BigInt(7 * sizeBytes)) - 1n;
  const size = (bytes.readBigUInt64BE(sizeAt) >> BigInt(64 - 8 * sizeBytes)) & mask;
  return { id, end: size === mask ? undefined : sizeAt + sizeBytes + Number(size) };
}
