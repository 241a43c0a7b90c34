// The QR codes of the pages, remembered: what is made anew for addresses that nobody asked for before has a bound.
import { networkOf } from '../../base/lib/network.ts';
import { Allowance, NetworkAllowances } from '../../base/peers/allowance.ts';
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
  const ofNetworks = new NetworkAllowances({ ...rates.network, isAllowed });
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
    if (codes.size > qrLimits.keptMax && oldest !== undefined) codes.delete(oldest);
    return code;
  };
}
