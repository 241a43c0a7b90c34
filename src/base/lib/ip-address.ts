// IP addresses: their one usual spelling, and sets of networks.
import { BlockList } from 'node:net';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4Shape = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

const mapped = '::ffff:';

/** An address in its one usual spelling, IPv4 inside IPv6 as IPv4; undefined where the text is none. */
export function plainAddress(text: string): string | undefined {
  if (!text.includes(':')) return ipv4Shape.test(text) ? text : undefined;
  // So a socket that listens for both names a peer of IPv4: most there are.
  if (text.startsWith(mapped) && ipv4Shape.test(text.slice(mapped.length)))
    return text.slice(mapped.length);
  // `fe80::1%eth0` names the interface too, which means nothing elsewhere.
  const [address = ''] = text.split('%', 1);
  if (!/^[0-9a-f:.]+$/i.test(address)) return undefined;
  const written = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written ?? '') ?? [];
  if (high === undefined || low === undefined) return written;
  const bytes = [high, low].map((group) => Number.parseInt(group, 16));
  return bytes.flatMap((number) => [number >> 8, number & 255]).join('.');
}

/** The eight groups of an IPv6 address, with the zeros that `::` stands for. */
export function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail === undefined) return groups;
  const last = tail === '' ? [] : tail.split(':');
  while (groups.length + last.length < 8) groups.push('0');
  return [...groups, ...last];
}

/** What `networkOf` names a network of IPv6 by. */
const networkBits = 64;

/** Addresses and networks such as `10.0.0.0/8`. */
export class Networks {
  /** One each: a list takes an IPv4 address for the IPv6 address that stands for it, which then is in `::/0`. */
  private readonly lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  /** Those of IPv6, each as large at least as what `networkOf` names. */
  private readonly wholeNetworks = new BlockList();
  private readonly isEmpty: boolean;

  /** A comma list; throws a sentence that names what it cannot read. */
  constructor(list: string) {
    const entries = list.split(',').map((text) => text.trim());
    const networks = entries.filter((entry) => entry !== '').map(readNetwork);
    this.isEmpty = networks.length === 0;
    for (const { address, bits } of networks) {
      const family = familyOf(address);
      this.lists[family].addSubnet(address, bits, family);
      if (family === 'ipv6')
        this.wholeNetworks.addSubnet(address, Math.min(bits, networkBits), family);
    }
  }

  /** `address` in its plain spelling; what is no address is in no network. */
  has(address: string): boolean {
    if (this.isEmpty || address === '') return false;
    const family = familyOf(address);
    return this.lists[family].check(address, family);
  }

  /** Whether an address of that network is in it; `network` as `networkOf` names one, such as `2001:db8:0:0::/64`. */
  meets(network: string): boolean {
    if (this.isEmpty || !network.includes('/')) return this.has(network);
    return this.wholeNetworks.check(network.slice(0, network.indexOf('/')), 'ipv6');
  }
}

interface Network {
  address: string;
  /** How many of its first bits its addresses share. */
  bits: number;
}

function readNetwork(entry: string): Network {
  const [, text = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = plainAddress(text);
  const bitsMax = address !== undefined && familyOf(address) === 'ipv4' ? 32 : 128;
  const bits = Number(prefix ?? bitsMax);
  if (address === undefined || bits > bitsMax)
    throw new Error(
      `must be a comma list of addresses and networks such as 10.0.0.0/8 (got "${entry}")`,
    );
  return { address, bits };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
