// Whom an address stands for when it is counted: one IPv4 address, or one IPv6 network.
import { groupsOf } from './ip-address.ts';

/** A home or a server has a /64 of IPv6 addresses to itself, so they count as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  return `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/** The site of an IPv6 network: whoever has a /48, and anybody may have one, has 65,536 networks. IPv4 has none. */
export function siteOf(network: string): string | undefined {
  if (!network.endsWith('::/64')) return undefined;
  return `${network.split(':').slice(0, 3).join(':')}::/48`;
}
