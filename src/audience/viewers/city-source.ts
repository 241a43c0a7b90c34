// Cities from a file of the operator's own, built like GeoIP2's (`country`, `subdivisions`, `city`).
import { type CityResponse, Reader } from 'mmdb-lib';
import type { Place, PlaceSource } from './place-source.ts';

/** The whole file stays in memory: read piece by piece it would break when the operator replaces it. */
export function citySource(bytes: Buffer): PlaceSource {
  const reader = new Reader<CityResponse>(bytes);
  return (address) => {
    const found = reader.get(address);
    return found ? placeOf(found) : undefined;
  };
}

type Names = { readonly en: string; readonly 'zh-CN'?: string } | undefined;

function placeOf({ country, subdivisions, city }: CityResponse): Place | undefined {
  const places: Names[] = [country?.names, subdivisions?.[0]?.names, city?.names];
  // English begins with the city. Chinese begins with the country, and takes one's own for granted.
  const en = distinct(places.map((names) => names?.en).reverse());
  const chinese = country?.iso_code === 'CN' && places.slice(1).some((names) => names) ? 1 : 0;
  const zh = distinct(places.slice(chinese).map((names) => names?.['zh-CN'] ?? names?.en));
  if (en.length === 0) return undefined;
  const isHan = zh.every((name) => /^\p{Script=Han}/u.test(name));
  return { en: en.join(', '), zh: zh.join(isHan ? '' : ' ') };
}

/** Singapore is a city and a country, and is said once. */
function distinct(names: (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}
