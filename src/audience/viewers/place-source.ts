// A source of places, and how one that breaks stays harmless.
import type { Log } from '../../base/lib/log.ts';
import { monotonicMs } from '../../base/lib/time.ts';

/** A place in the languages of the pages. */
export interface Place {
  en: string;
  zh: string;
}

/** Gives the place of an address in its plain spelling; undefined where it knows none. */
export type PlaceSource = (address: string) => Place | undefined;

/** A source that failed is asked again after this long: descriptors may have run out, or its file is being replaced. */
const restMs = 60_000;

/** A source that is opened by the first question and never fails: where it would, it says so once and knows nothing. */
export function mended(options: { name: string; open: () => PlaceSource; log: Log }): PlaceSource {
  let source: PlaceSource | undefined;
  let restsUntil = 0;
  return (address) => {
    if (monotonicMs() < restsUntil) return undefined;
    try {
      source ??= options.open();
      return source(address);
    } catch (error) {
      if (restsUntil === 0) options.log.warn('places are not known', { of: options.name, error });
      restsUntil = monotonicMs() + restMs;
      source = undefined;
      return undefined;
    }
  };
}
