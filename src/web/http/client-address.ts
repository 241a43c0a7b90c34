// Who sent a request: the peer, or whom a trusted proxy names in its headers.
import { Networks, plainAddress } from '../../base/lib/ip-address.ts';

/** Hops that are looked at; a real chain has two or three. */
const hopsMax = 32;

/** The proxies whose word about a client is taken. */
export class TrustedProxies {
  private readonly networks: Networks;

  /** A comma list of addresses and networks; throws a sentence where it cannot be read. */
  constructor(list: string) {
    this.networks = new Networks(list);
  }

  /** Whether one of them is in the network, as `networkOf` names it. */
  areIn(network: string): boolean {
    return this.networks.meets(network);
  }

  /**
   * Read from the right, since each proxy adds at the end: as long as whoever speaks is trusted, whom it
   * names is believed. What stands further left is the client's own invention.
   */
  addressOf(peer: string, header: (name: string) => string | null): string {
    const nearest = plainAddress(peer) ?? peer;
    if (!this.networks.has(nearest)) return nearest;
    const chains = [forwardedFor(header('x-forwarded-for')), forwarded(header('forwarded'))];
    const [first, second] = chains.filter((chain) => chain !== undefined);
    if (!first) return nearest;
    const address = this.walk(nearest, first);
    // A proxy writes one of the two and passes the other on as the client wrote it. Where they disagree
    // nobody can tell which, so neither is believed.
    return second && this.walk(nearest, second) !== address ? nearest : address;
  }

  private walk(nearest: string, hops: string[]): string {
    let address = nearest;
    for (const hop of hops.slice(-hopsMax).reverse()) {
      if (!this.networks.has(address)) return address;
      const next = hopAddress(hop);
      if (next === undefined) return address;
      address = next;
    }
    return address;
  }
}

/** The hops of `X-Forwarded-For`; undefined where there is no such header. */
function forwardedFor(header: string | null): string[] | undefined {
  return header?.split(',').map((hop) => hop.trim());
}

const token = "[\\w!#$%&'*+.^`|~-]+";
/** Addresses are to be quoted; without quotes they are as plain. */
const bareValue = "[\\w!#$%&'*+.^`|~:[\\]-]+";
/** One `name=value` of `Forwarded` and what ends it (RFC 7239 4). */
const forwardedPair = new RegExp(
  `(${token})=(?:(${bareValue})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*([;,]|$)[ \\t]*`,
  'gy',
);

/** The hops of `Forwarded`; none where any of it is malformed, since a quote left open may hide commas. */
function forwarded(header: string | null): string[] | undefined {
  if (header === null) return undefined;
  const hops = [''];
  let readCharacters = 0;
  for (const [whole, name, bare, quoted, end] of header.matchAll(forwardedPair)) {
    readCharacters += whole.length;
    if (name?.toLowerCase() === 'for') hops[hops.length - 1] = bare ?? quoted ?? '';
    if (end === ',') hops.push('');
  }
  return readCharacters === header.length ? hops : [];
}

const hopShape = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:4711`. */
function hopAddress(hop: string): string | undefined {
  const [, bracketed, dotted] = hopShape.exec(hop) ?? [];
  return plainAddress(bracketed ?? dotted ?? hop);
}
