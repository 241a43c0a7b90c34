// Under which name a phone finds pages that somebody has open under a name that is made for this machine alone.
import type { PlainCall } from '../../base/api/plain-answer.ts';
import { isLoopbackHost } from '../../base/lib/network-address.ts';

/** What stands for localhost on the network; undefined where that is not known, or `PUBLIC_URL` says it. */
export type NetworkHost = () => string | undefined;

/**
 * What addresses that are passed on begin with. Only who asks from this machine learns its address: to others that name
 * nothing but themselves it is no business.
 */
export function sharedBase(
  { baseUrl, isLocal }: Pick<PlainCall, 'baseUrl' | 'isLocal'>,
  networkHost: NetworkHost,
): string {
  const url = new URL(baseUrl);
  if (!isLocal || !isLoopbackHost(url.hostname)) return baseUrl;
  url.hostname = networkHost() ?? url.hostname;
  return url.origin;
}
