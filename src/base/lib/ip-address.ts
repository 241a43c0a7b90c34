// IP addresses: their one usual spelling, and sets of networks.

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
  return [...bytesOfGroup(high), ...bytesOfGroup(low)].join('.');
}

interface Network {
  bytes: number[];
  /** How many of its first bits its addresses share. */
  bits: number;
}

/** Addresses and networks such as `10.0.0.0/8`. */
export class Networks {
  private readonly networks: readonly Network[];

  /** A comma list; throws a sentence that names what it cannot read. */
  constructor(list: string) {
    const entries = list.split(',').map((text) => text.trim());
    this.networks = entries.filter((entry) => entry !== '').map(readNetwork);
  }

  /** `address` in its plain spelling; what is no address is in no network. */
  has(address: string): boolean {
    if (this.networks.length === 0 || address === '') return false;
    const bytes = bytesOf(address);
    return this.networks.some((network) => isWithin(bytes, network));
  }

  /** Whether an address of that network is in it; `network` as `networkOf` names one, such as `2001:db8:0:0::/64`. */
  meets(network: string): boolean {
    const [address = '', prefix] = network.split('/', 2);
    if (prefix === undefined) return this.has(address);
    const bytes = bytesOf(address);
    const bitsMax = Number(prefix);
    return this.networks.some((one) =>
      isWithin(bytes, { ...one, bits: Math.min(one.bits, bitsMax) }),
    );
  }
}

function readNetwork(entry: string): Network {
  const [, text = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = plainAddress(text);
  const bytes = address === undefined ? [] : bytesOf(address);
  const bits = Number(prefix ?? bytes.length * 8);
  if (address === undefined || bits > bytes.length * 8)
    throw new Error(
      `must be a comma list of addresses and networks such as 10.0.0.0/8 (got "${entry}")`,
    );
  return { bytes, bits };
}

/** 4 bytes or 16. */
function bytesOf(address: string): number[] {
  if (!address.includes(':')) return address.split('.').map(Number);
  // `::` stands for as many zeros as are missing to eight groups.
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].flatMap(bytesOfGroup);
}

function bytesOfGroup(group: string): [number, number] {
  const number = Number.parseInt(group, 16);
  return [number >> 8, number & 255];
}

function isWithin(bytes: number[], network: Network): boolean {
  if (bytes.length !== network.bytes.length) return false;
  return network.bytes.every((byte, at) => {
    const shared = Math.min(8, Math.max(0, network.bits - at * 8));
    return (byte ^ (bytes[at] ?? 0)) >> (8 - shared) === 0;
  });
}
