// Ways in which a file goes bad.
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { Random } from '../../test/support/random.ts';

export type FileDamage = 'removed' | 'emptied' | 'cut' | 'bent' | 'overwritten' | 'a folder';

/** Bytes of a file that `bent` changes. */
const bentBytes = 16;

export function damageFile(path: string, how: FileDamage, random: Random): void {
  const { size } = statSync(path);
  if (how === 'emptied') truncateSync(path, 0);
  else if (how === 'cut') truncateSync(path, random.whole(1, size - 1));
  else if (how === 'bent') writeFileSync(path, bent(readFileSync(path), random));
  else if (how === 'overwritten')
    writeFileSync(path, bytesAtRandom(random.whole(1, 2 * size), random));
  else rmSync(path);
  if (how === 'a folder') mkdirSync(path);
}

function bent(bytes: Buffer, random: Random): Buffer {
  for (let at = 0; at < bentBytes; at++)
    bytes[random.whole(0, bytes.length - 1)] = random.whole(0, 255);
  return bytes;
}

function bytesAtRandom(size: number, random: Random): Uint8Array {
  return Uint8Array.from({ length: size }, () => random.whole(0, 255));
}
