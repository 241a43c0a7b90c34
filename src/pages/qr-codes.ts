// The QR codes of the pages, remembered: what is made anew for addresses that nobody asked for before has a bound.
import type { Html } from '../lib/html.ts';
import { Allowance } from '../peers/allowance.ts';
import { qrSymbol } from './qr-code.ts';

/** Channels that are opened again and again; a code takes as long to make as the rest of its page, and 3 KB. */
const codesMax = 500;
/** A host header may name any host, and each has a code of its own: more are new in a second only to who makes them up. */
const newCodes = { atOnce: 100, everyMs: 100 };

/** Undefined where too many are new: the page comes without. */
export type QrOf = (address: string) => Html | undefined;

export function rememberedQrCodes(now: () => number): QrOf {
  const allowance = new Allowance(newCodes);
  /** The one that nobody has asked for longest first. */
  const codes = new Map<string, Html>();
  return (address) => {
    const known = codes.get(address);
    if (!known && !allowance.take(now())) return undefined;
    const code = known ?? qrSymbol('qr', address);
    codes.delete(address);
    codes.set(address, code);
    const [oldest] = codes.keys();
    if (codes.size > codesMax && oldest !== undefined) codes.delete(oldest);
    return code;
  };
}
