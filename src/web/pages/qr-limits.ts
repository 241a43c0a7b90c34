// Every bound on those who open pages in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';

/** What one network may have made: settings, and these are their defaults. */
export const qrBounds = Object.freeze({
  // A host header may name any host, and each has a code of its own: only somebody who makes up hosts needs more new
  // ones in a second. Ten seconds' worth at once.
  perSecond: 10,
  // Of these one network's, in a minute, a third of them at once: who opens channels that nobody has opened before
  // takes some time for each.
  perNetwork: 60,
});

export type QrBounds = Readonly<Record<keyof typeof qrBounds, number>>;

export function qrRates({ perSecond, perNetwork }: QrBounds): Record<'all' | 'network', Rate> {
  return {
    all: { atOnce: 10 * perSecond, everyMs: 1_000 / perSecond },
    network: { atOnce: Math.ceil(perNetwork / 3), everyMs: 60_000 / perNetwork },
  };
}

/** How it is done. */
export const qrLimits = Object.freeze({
  // Codes of channels that are opened again and again; one takes as long to make as the rest of its page, and 3 KB.
  keptMax: 500,
});
