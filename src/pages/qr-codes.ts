// The QR codes of the pages, remembered: what is made anew for addresses that nobody asked for before has a bound.
import type { Html } from '../lib/html.ts';
import { networkOf } from '../lib/network.ts';
import { Allowance, NetworkAllowances } from '../peers/allowance.ts';
import type { Peers } from '../peers/peers.ts';
import { qrSymbol } from './qr-code.ts';

/** Channels that are opened again and again; a code takes as long to make as the rest of its page, and 3 KB. */
const codesMax = 500;
/** A host header may name any host, and each has a code of its own: more are new in a second only to who makes them up. */
const newCodes = { atOnce: 100, everyMs: 100 };
/** Of these one network's: who opens channels that nobody has opened before takes some time for each. */
const newCodesOfNetwork = { atOnce: 20, everyMs: 1_000 };

/** Undefined where too many are new: the page comes without. Nobody is refused by that, so it is not counted. */
export type QrOf = (address: string) => Html | undefined;

export interface QrCodesOptions {
  peers: Pick<Peers, 'isAllowed'>;
  now: () => number;
}

/** By the address of who asks for the page. */
export function rememberedQrCodes({ peers, now }: QrCodesOptions): (asker: string) => QrOf {
  const allowance = new Allowance(newCodes);
  const { isAllowed } = peers;
  const ofNetworks = new NetworkAllowances({ ...newCodesOfNetwork, isAllowed });
  /** The one that nobody has asked for longest first. */
  const codes = new Map<string, Html>();
  const mayMake = (asker: string) =>
    ofNetworks.take(networkOf(asker), now()) && allowance.take(now());
  return (asker) => (address) => {
    const known = codes.get(address);
    if (!known && !mayMake(asker)) return undefined;
    const code = known ?? qrSymbol('qr', address);
    codes.delete(address);
    codes.set(address, code);
    const [oldest] = codes.keys();
    if (codes.size > codesMax && oldest !== undefined) codes.delete(oldest);
    return code;
  };
}
