// Where an address is, in words: a Chinese city, a country, the local network.
import { readFile } from 'node:fs/promises';
import { Networks, plainAddress } from '../../base/lib/ip-address.ts';
import type { Log } from '../../base/lib/log.ts';
import { remembered } from '../../base/lib/remembered.ts';
import { chinaSource } from './china-source.ts';
import { mended, type Place, type PlaceSource } from './place-source.ts';
import { worldSource } from './world-source.ts';

export interface Places {
  /** Empty where nothing is known. */
  of(ip: string, language: 'en' | 'zh'): string;
}

/** Addresses whose places are remembered: those of a large audience, in about 1 MB. */
const addressesMax = 10_000;

/** `file` is the operator's own, asked first, or empty. The files that come with us are opened when first asked. */
export async function openPlaces({ file, log }: { file: string; log: Log }): Promise<Places> {
  const sources = [
    ...(await operatorSources(file, log)),
    mended({ name: 'places in China', open: chinaSource, log }),
    mended({ name: 'countries', open: worldSource, log }),
  ];
  const placeOf = remembered(addressesMax, (ip): Place => {
    const address = plainAddress(ip);
    if (address === undefined) return nowhere;
    if (localNetworks.has(address)) return localNetwork;
    for (const ask of sources) {
      const place = ask(address);
      if (place) return place;
    }
    return nowhere;
  });
  return { of: (ip, language) => placeOf(ip)[language] };
}

const nowhere: Place = { en: '', zh: '' };
const localNetwork: Place = { en: 'Local network', zh: '局域网' };
/** RFC 1918, RFC 4193, loopback, link-local, and what carriers and private networks share (RFC 6598). */
const localNetworks = new Networks(
  '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, ::1, fc00::/7, fe80::/10',
);

/** It is read when the service starts: a city file is large, and its operator wants to know that it works. */
async function operatorSources(file: string, log: Log): Promise<PlaceSource[]> {
  if (file === '') return [];
  try {
    const { citySource } = await import('./city-source.ts');
    const source = citySource(await readFile(file));
    return [mended({ name: file, open: () => source, log })];
  } catch (error) {
    log.warn('the file that PLACE_FILE names cannot be used', { file, error });
    return [];
  }
}
