// Heads of tar entries (POSIX ustar, with pax for a size beyond 8 GB): of plain files alone, all of them alike.

export const blockBytes = 512;
/** What ends a tar. */
export const endBytes = 2 * blockBytes;
const nameBytesMax = 100;
/** Eleven digits, as many as ustar has room for. */
const ustarSizeMax = 0o77777777777;

export interface TarEntry {
  name: string;
  size: number;
  /** Epoch seconds. */
  changedAt: number;
}

/** What stands before the bytes of an entry. */
export function entryHead(entry: TarEntry): Uint8Array {
  const { name, size, changedAt } = entry;
  if (size <= ustarSizeMax) return head({ ...entry, type: '0' });
  const record = Buffer.alloc(blockBytes);
  const length = record.write(sizeRecord(size), 'ascii');
  const extended = head({ name: 'pax/size', size: length, changedAt, type: 'x' });
  return Buffer.concat([extended, record, head({ name, size: 0, changedAt, type: '0' })]);
}

/** How many bytes fill up the last block of an entry. */
export function fillBytes(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

/** `20 size=8589934592`: the length counts itself and the newline. */
function sizeRecord(size: number): string {
  const rest = ` size=${size}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length += 1;
  return `${length}${rest}`;
}

type Head = TarEntry & { type: '0' | 'x' };

function head({ name, size, changedAt, type }: Head): Buffer {
  if (!/^[\x21-\x7e]+$/.test(name) || name.length > nameBytesMax)
    throw new Error(`"${name}" cannot be the name of an entry`);
  const block = Buffer.alloc(blockBytes);
  const put = (at: number, text: string) => block.write(text, at, 'latin1');
  put(0, name);
  put(100, `${octal(0o600, 7)}\0`);
  put(108, `${octal(0, 7)}\0`);
  put(116, `${octal(0, 7)}\0`);
  put(124, `${octal(size, 11)}\0`);
  put(136, `${octal(changedAt, 11)}\0`);
  put(156, type);
  put(257, 'ustar\x0000');
  put(329, `${octal(0, 7)}\0`);
  put(337, `${octal(0, 7)}\0`);
  put(148, `${octal(checksum(block), 6)}\0 `);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** Its own place counts as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

/** An entry whose head is other than this program writes: a link, a folder, an owner, a bent byte. */
export class StrangeEntry extends Error {}

/** The entry that begins with this block; undefined for the end. `more` gives the next block. */
export async function readHead(
  block: Uint8Array,
  more: () => Promise<Uint8Array>,
): Promise<TarEntry | undefined> {
  if (isZero(block)) return undefined;
  const first = parsed(block);
  if (first.type === '0') return exactly({ ...first }, [block]);
  const record = await more();
  const last = await more();
  const [, size] = /^\d+ size=(\d{10,16})\n\0*$/.exec(Buffer.from(record).toString('latin1')) ?? [];
  return exactly({ ...parsed(last), size: Number(size) }, [block, record, last]);
}

function parsed(block: Uint8Array): Head {
  const text = Buffer.from(block).toString('latin1');
  const name = text.slice(0, nameBytesMax).replace(/\0+$/, '');
  const type = text[156];
  if (type !== '0' && type !== 'x') throw new StrangeEntry();
  return {
    name,
    size: Number.parseInt(text.slice(124, 135), 8),
    changedAt: Number.parseInt(text.slice(136, 147), 8),
    type,
  };
}

/** The entry, if this very head would be written of it. */
function exactly({ name, size, changedAt }: TarEntry, blocks: readonly Uint8Array[]): TarEntry {
  const entry = { name, size, changedAt };
  const isCount = Number.isSafeInteger(size) && Number.isSafeInteger(changedAt);
  if (!isCount || size < 0 || changedAt < 0) throw new StrangeEntry();
  try {
    if (Buffer.compare(entryHead(entry), Buffer.concat(blocks)) === 0) return entry;
  } catch {
    // A name that none of ours has.
  }
  throw new StrangeEntry();
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
