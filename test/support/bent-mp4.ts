// An MP4 of our own clip, and ways to bend it: for tests of whatever reads files that strangers have made.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeMp4 } from '../../src/stream/recording/worker/make-mp4.ts';
import { type Clip, clip } from '../fixtures/media/clip.ts';
import { temporaryFolder } from './engines.ts';
import { recordPush } from './recorded-push.ts';

/** Four seconds of H.264 with B-frames and AAC: `ftyp`, `moov`, and an `mdat` with a length of 64 bits. */
export async function clipMp4(of: Clip = clip): Promise<Buffer> {
  const folder = join(temporaryFolder(), 'clip');
  await recordPush(folder, of);
  await makeMp4(folder);
  return readFileSync(join(folder, 'video.mp4'));
}

export interface Place {
  /** Of its header. */
  at: number;
  size: number;
  /** Of what it holds. */
  bodyAt: number;
}

/** Where the first box lies that the path leads to, as `moov trak mdia`; a number is how many of that name are left out. */
export function boxAt(bytes: Buffer, path: string): Place {
  let found: Place = { at: 0, size: bytes.length, bodyAt: 0 };
  let skip = 0;
  for (const word of path.split(' ')) {
    if (/^\d+$/.test(word)) {
      skip = Number(word);
      continue;
    }
    const inside = boxesIn(bytes, found).filter(({ type }) => type === word);
    const next = inside[skip];
    if (!next) throw new Error(`no box ${path}`);
    found = next;
    skip = 0;
  }
  return found;
}

function boxesIn(bytes: Buffer, { at: from, size: length, bodyAt }: Place) {
  const boxes: (Place & { type: string })[] = [];
  for (let at = bodyAt; at + 8 <= from + length; ) {
    const short = bytes.readUInt32BE(at);
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, at, size, bodyAt: at + (short === 1 ? 16 : 8) });
    at += size;
  }
  return boxes;
}

/** With this number of four bytes at a place of the box's body. */
export function bent(bytes: Buffer, path: string, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(value >>> 0, boxAt(bytes, path).bodyAt + offset);
  return copy;
}

/** With another box of the same length in its place. */
export function renamed(bytes: Buffer, path: string, type: string): Buffer {
  const copy = Buffer.from(bytes);
  copy.write(type, boxAt(bytes, path).at + 4, 'latin1');
  return copy;
}

export function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}
