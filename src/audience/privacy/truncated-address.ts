// An IP address without the part that names one household: IPv4 to its /24, IPv6 to its /48.
import { plainAddress } from '../../base/lib/ip-address.ts';

/** Of 16 bits each. */
const keptGroups = 3;
const allGroups = 8;

/** What is left of an address; of a text that is none (a proxy's list, another platform's words), nothing. */
export function truncatedAddress(text: string): string {
  const ip = plainAddress(text);
  if (ip === undefined) return '';
  if (!ip.includes(':')) return ip.replace(/\d+$/, '0');
  return plainAddress(`${groupsOf(ip).slice(0, keptGroups).join(':')}::`) ?? '';
}

/** The eight groups of an IPv6 address, with those that `::` leaves out. */
function groupsOf(ip: string): string[] {
  const [head = [], tail] = ip
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  if (!tail) return head;
  const absent = allGroups - head.length - tail.length;
  return [...head, ...new Array<string>(absent).fill('0'), ...tail];
}
