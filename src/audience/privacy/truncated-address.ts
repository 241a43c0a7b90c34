// An IP address without the part that names one household: IPv4 to its /24, IPv6 to its /48.
import { groupsOf, plainAddress } from '../../base/lib/ip-address.ts';

/** Of 16 bits each. */
const keptGroups = 3;

/** What is left of an address; of a text that is none (a proxy's list, another platform's words), nothing. */
export function truncatedAddress(text: string): string {
  const ip = plainAddress(text);
  if (ip === undefined) return '';
  if (!ip.includes(':')) return ip.replace(/\d+$/, '0');
  return plainAddress(`${groupsOf(ip).slice(0, keptGroups).join(':')}::`) ?? '';
}
