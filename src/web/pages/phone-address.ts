// Where a phone finds a page whose address is made for this machine alone.
import type { PlainCall } from '../../base/api/plain-answer.ts';
import { isLoopbackHost } from '../../base/lib/network-address.ts';

/** What stands for localhost on the network; undefined where that is not known, or `PUBLIC_URL` says it. */
export type NetworkHost = () => string | undefined;

/** Only who asks from this machine learns its address: to others that name nothing but themselves it is no business. */
export function phoneAddress(
  address: string,
  { isLocal }: Pick<PlainCall, 'isLocal'>,
  networkHost: NetworkHost,
): string {
  const url = new URL(address);
  if (!isLocal || !isLoopbackHost(url.hostname)) return address;
  url.hostname = networkHost() ?? url.hostname;
  return url.href;
}
