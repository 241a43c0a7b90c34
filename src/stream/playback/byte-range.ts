// Reads a Range header (RFC 9110 14.2): one range of bytes, or the whole.

export type AskedRange = { from: number; to: number } | 'whole' | 'unsatisfiable';

/** A header that is no single range of bytes counts as none; `to` is the last byte. */
export function askedRange(header: string | null, size: number): AskedRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return 'whole';
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size - 1 };
  }
  const from = Number(match[1]);
  const to = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < from) return 'whole';
  return from >= size ? 'unsatisfiable' : { from, to };
}
