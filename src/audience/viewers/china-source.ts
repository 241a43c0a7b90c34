// Chinese provinces and cities of IPv4 addresses, from a file of ranges that comes with us.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { englishCity, englishProvince } from './china-names.ts';
import type { Place, PlaceSource } from './place-source.ts';

/** Made by `places/make-china-places.ts` from ip2region's data (Apache-2.0); 435 KB. */
export const chinaFile = fileURLToPath(new URL('../../../places/china.places', import.meta.url));

export function chinaSource(file = chinaFile): PlaceSource {
  const { starts, placeNumbers, places } = readRanges(readFileSync(file));
  const shown = places.map(placeOf);
  return (address) => {
    if (address.includes(':')) return undefined;
    return shown[placeNumbers[rangeOf(starts, numberOf(address))] ?? 0];
  };
}

/**
 * A line of JSON with how many ranges there are and what the places are called, `广东省|深圳市`; then where each
 * range begins and the number of its place, all numbers little-endian. Place 0 is outside China.
 */
export function readRanges(bytes: Buffer) {
  const headEnd = bytes.indexOf(0x0a) + 1;
  const { ranges, places } = JSON.parse(bytes.toString('utf8', 0, headEnd)) as {
    ranges: number;
    places: string[];
  };
  const numbersAt = headEnd + 4 * ranges;
  if (bytes.length !== numbersAt + 2 * ranges)
    throw new Error('the file is not as long as it says');
  return {
    places,
    // Copied as they lie there: every machine that Bun runs on is little-endian.
    starts: new Uint32Array(new Uint8Array(bytes.subarray(headEnd, numbersAt)).buffer),
    placeNumbers: new Uint16Array(new Uint8Array(bytes.subarray(numbersAt)).buffer),
  };
}

function numberOf(address: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return ((a * 256 + b) * 256 + c) * 256 + d;
}

/** The last range that starts at or before the number. */
function rangeOf(starts: Uint32Array, number: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Beijing is a province and its city in one, and is said once. */
function placeOf(text: string): Place | undefined {
  if (text === '') return undefined;
  const [province = '', city = ''] = text.split('|');
  const zh = (province !== '' && city.startsWith(province) ? city : province + city) || '中国';
  const en = [englishCity(province, city), ...englishProvince(province)];
  return { zh, en: [...new Set(en)].filter((name) => name !== '').join(', ') };
}
