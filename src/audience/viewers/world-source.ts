// Countries of all addresses, from the registries' own lists.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Reader, Response } from 'mmdb-lib';
import { remembered } from '../../base/lib/remembered.ts';
import { countryNames } from './country-name.ts';
import type { Place, PlaceSource } from './place-source.ts';

const folder = '@ip-location-db/geo-whois-asn-country-mmdb';
/** There are about 250. */
const countriesMax = 300;

/** One file for each version of addresses (3 and 5 MB), read when the first such address is asked for. */
export function worldSource(): PlaceSource {
  const readerOf = remembered(2, openFile);
  const nameOf = countryNames();
  const placeOf = remembered(
    countriesMax,
    (code): Place => ({ en: nameOf(code, 'en'), zh: nameOf(code, 'zh') }),
  );
  return (address) => {
    const found = readerOf(address.includes(':') ? 'ipv6' : 'ipv4').get(address);
    // These files hold one field, which the library's types do not name.
    const { country_code } = (found ?? {}) as { country_code?: string };
    return country_code === undefined ? undefined : placeOf(country_code);
  };
}

/** The library is loaded here, not at the top: an idle service has no use for it. */
function openFile(version: string): Reader<Response> {
  const load = createRequire(import.meta.url);
  const library = load('mmdb-lib') as typeof import('mmdb-lib');
  return new library.Reader(
    readFileSync(load.resolve(`${folder}/geo-whois-asn-country-${version}.mmdb`)),
  );
}
