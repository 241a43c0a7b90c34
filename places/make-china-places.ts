// Makes china.places from ip2region's file: `bun places/make-china-places.ts ip2region.xdb`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The file (xdb, version 2), all numbers little-endian: 256 bytes of header, whose third and fourth number tell
 * where the first and the last segment begin; an index; then texts and segments. A segment is its first address,
 * its last address, the length of its text and where that is. A text is `中国|0|广东省|深圳市|电信`, `0` for what
 * is not known.
 */
const segmentBytes = 14;
const xdb = readFileSync(process.argv[2] ?? '');
const firstSegment = xdb.readUInt32LE(8);
const lastSegment = xdb.readUInt32LE(12);

/** Number 0 is whatever lies outside China. */
const places: string[] = [''];
const numbers = new Map(places.map((place, number) => [place, number]));
const starts: number[] = [];
const placeNumbers: number[] = [];

for (let at = firstSegment; at <= lastSegment; at += segmentBytes) {
  const textAt = xdb.readUInt32LE(at + 10);
  const text = xdb.subarray(textAt, textAt + xdb.readUInt16LE(at + 8)).toString();
  begin(xdb.readUInt32LE(at), placeOf(text));
}

const head = JSON.stringify({ ranges: starts.length, places });
const file = join(import.meta.dir, 'china.places');
writeFileSync(
  file,
  Buffer.concat([
    Buffer.from(`${head}\n`),
    Buffer.from(Uint32Array.from(starts).buffer),
    Buffer.from(Uint16Array.from(placeNumbers).buffer),
  ]),
);
console.log(`${file}: ${starts.length} ranges, ${places.length - 1} places`);

/** Province and city without the carrier; empty outside China. */
function placeOf(text: string): string {
  const [country, , province = '', city = ''] = text.split('|');
  return country === '中国' ? `${known(province)}|${known(city)}` : '';
}

function known(name: string): string {
  return name === '0' ? '' : name;
}

/** Neighbours of one place are one range. */
function begin(start: number, place: string): void {
  const number = numbers.get(place) ?? places.push(place) - 1;
  numbers.set(place, number);
  if (placeNumbers.at(-1) === number) return;
  starts.push(start);
  placeNumbers.push(number);
}
