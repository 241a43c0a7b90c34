// The QR codes of the pages, remembered: what is made anew for addresses that nobody asked for before has a bound.

import { networkOf } from '../../base/lib/network.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { Allowance, Allowances } from '../../base/peers/allowance.ts';
import type { Peers } from '../../base/peers/peers.ts';
import type { Html } from './html.ts';
import { qrSymbol } from './qr-code.ts';
import { type QrBounds, qrLimits, qrRates } from './qr-limits.ts';

/** Undefined where too many are new: the page comes without. Nobody is refused by that, so it is not counted. */
export type QrOf = (address: string) => Html | undefined;

export interface QrCodesOptions {
  bounds: QrBounds;
  peers: Pick<Peers, 'isAllowed'>;
  now: () => number;
}

/** By the address that asks for the page. */
export function rememberedQrCodes({ bounds, peers, now }: QrCodesOptions): (asker: string) => QrOf {
  const rates = qrRates(bounds);
  const allowance = new Allowance(rates.all);
  const { isAllowed } = peers;
  const ofNetworks = new Allowances({ ...rates.network, isAllowed });
  const codes = new RecentMap<string, Html>({ max: qrLimits.keptMax });
  const mayMake = (asker: string) =>
    ofNetworks.take(networkOf(asker), now()) && allowance.take(now());
  return (asker) => (address) => {
    const known = codes.get(address);
    if (known) return known;
    if (!mayMake(asker)) return undefined;
    const code = qrSymbol('qr', address);
    codes.set(address, code);
    return code;
  };
}
