// Which addresses a webhook may lead to: public ones, and those that an operator allows.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { groupsOf, Networks, plainAddress } from '../../base/lib/ip-address.ts';

/** As an operator writes them: a comma list of networks, `all`, or nothing. */
export type PrivateTargets = string;

export interface TargetGuardOptions {
  allowed: PrivateTargets;
  /** Ports that the service itself listens on, once it does. */
  ownPorts: () => readonly number[];
  /** Of this machine; tests hand in others. */
  ownAddresses?: () => readonly string[];
}

/** What is wrong with an address, as a sentence goes on after "it". */
export type Refused = string;

const urlMax = 2_048;

export class TargetGuard {
  private readonly options: TargetGuardOptions;
  private readonly isAllAllowed: boolean;
  private readonly allowed: Networks;

  constructor(options: TargetGuardOptions) {
    this.options = options;
    this.isAllAllowed = options.allowed.trim() === 'all';
    this.allowed = new Networks(this.isAllAllowed ? '' : options.allowed);
  }

  /** Reads the address of a target as it was given; what is wrong with it, or the address in its one spelling. */
  read(text: string): { url: URL } | { refused: Refused } {
    // A browser drops line ends and tabs; whoever has them in an address means something else.
    if (text.length > urlMax || /[\s\p{Cc}\\]/u.test(text) || !text.isWellFormed())
      return { refused: `must be an address of at most ${urlMax} characters, without spaces` };
    const url = URL.parse(text);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
      return { refused: 'must be an http: or https: address' };
    if (url.username !== '' || url.password !== '')
      return { refused: 'must not hold a user name or a password' };
    if (url.hash !== '') return { refused: 'must not hold a #' };
    if (url.port === '0') return { refused: 'must not be of port 0' };
    const refused = this.refusedName(url);
    return refused === undefined ? { url } : { refused };
  }

  /** Why no connection is made to this address and port. */
  refusedAddress(address: string, port: number): Refused | undefined {
    const plain = plainAddress(address);
    // A scope, as in fe80::1%eth0, names a network of this machine.
    if (plain === undefined || address.includes('%'))
      return 'leads to no plain address (WEBHOOK_PRIVATE_TARGETS)';
    if (this.isAllAllowed) return undefined;
    const meant = [plain, ...wrappedIn(plain)];
    if (meant.some((one) => this.allowed.has(one))) return undefined;
    if (meant.some((one) => !isPublic(one)))
      return 'leads to a private address: to allow it, start the service with WEBHOOK_PRIVATE_TARGETS=ADDRESS';
    return this.isOwn(plain, port)
      ? 'leads to this service itself: to allow it, start the service with WEBHOOK_PRIVATE_TARGETS=ADDRESS'
      : undefined;
  }

  /** Of a host that is an address, or that is always this machine; other names are looked up when they are asked. */
  private refusedName(url: URL): Refused | undefined {
    const host = hostOf(url);
    if (isIP(host) !== 0) return this.refusedAddress(host, portOf(url));
    const isLocal = /^(?:.*\.)?localhost\.?$/i.test(host);
    return isLocal ? this.refusedAddress('127.0.0.1', portOf(url)) : undefined;
  }

  private isOwn(address: string, port: number): boolean {
    if (!this.options.ownPorts().includes(port)) return false;
    const { ownAddresses = machineAddresses } = this.options;
    return ownAddresses().some((own) => plainAddress(own) === address);
  }
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => one.address));
}

/** Without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ protocol, port }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** IANA's special-purpose addresses of IPv4, those of many receivers, and one by which a cloud's machines reach their host. */
const special4 = new Networks(
  [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
    ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
    ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
    '168.63.129.16/32',
  ].join(','),
);
/** What of IPv6 is handed out for everybody. */
const global6 = new Networks('2000::/3');
/** Of that, what is not: protocols (Teredo among them) and documentation. */
const special6 = new Networks('2001::/23, 2001:db8::/32, 3fff::/20');
/** RFC 6052: an IPv4 address, reached by a translator. */
const translated = new Networks('64:ff9b::/96');
/** RFC 3056: an IPv4 address with a tunnel. */
const tunnelled = new Networks('2002::/16');

function isPublic(address: string): boolean {
  if (!address.includes(':')) return !special4.has(address);
  if (translated.has(address)) return true;
  return global6.has(address) && !special6.has(address);
}

/** The IPv4 address that one of IPv6 stands for: it must be public too. */
function wrappedIn(address: string): string[] {
  if (!address.includes(':')) return [];
  const groups = groupsOf(address).map((group) => Number.parseInt(group, 16));
  const pairs = translated.has(address)
    ? groups.slice(6, 8)
    : tunnelled.has(address)
      ? groups.slice(1, 3)
      : [];
  return pairs.length === 0
    ? []
    : [pairs.flatMap((number) => [number >> 8, number & 255]).join('.')];
}
