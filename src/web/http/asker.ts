// What a request says of who asks and how they reached us, proxies between us included.
import { isHost } from '../../base/api/host-name.ts';
import { queryTextOf, targetOf } from '../../base/api/request.ts';
import { plainAddress } from '../../base/lib/ip-address.ts';
import { networkOf } from '../../base/lib/network.ts';
import type { BunServer } from './bun-handler.ts';
import type { TrustedProxies } from './client-address.ts';

interface AskerOptions {
  proxies: TrustedProxies;
  /** Start of every address in an answer; empty for the host that the request names. */
  publicUrl: string;
  /** Whether we speak TLS ourselves. */
  isSecure: boolean;
}

export class Asker {
  private readonly options: AskerOptions;

  /** Nearly all ask for the same. */
  private knownHost: string | null = null;

  constructor(options: AskerOptions) {
    this.options = options;
  }

  /** Of the client, as far as the proxies before the peer are trusted. */
  addressOf({ headers }: Request, peer: string): string {
    return this.options.proxies.addressOf(peer, (name) => headers.get(name));
  }

  /** Whether the Host header is one. HTTP/1.0 may leave it out; where HTTP/1.1 does, Bun answers 400 by itself. */
  hasHost({ headers }: Request): boolean {
    const host = headers.get('host');
    if (host === this.knownHost) return true;
    if (host !== null && !isHost(host)) return false;
    this.knownHost = host;
    return true;
  }

  /** For a request that has a host. */
  baseUrl(request: Request): string {
    return this.options.publicUrl === '' ? this.reachedUrl(request) : this.options.publicUrl;
  }

  /** What a browser may call the place that our pages come from: as it reached us, and as `PUBLIC_URL` says. */
  ownOrigins(request: Request): string[] {
    const urls = [this.reachedUrl(request), this.options.publicUrl];
    return urls.flatMap((url) => URL.parse(url)?.origin ?? []);
  }

  private reachedUrl({ headers }: Request): string {
    const scheme = this.options.isSecure ? 'https' : 'http';
    return `${scheme}://${headers.get('host') ?? 'localhost'}`;
  }
}

/** Who holds the other end of the connection. */
export function peerOf(request: Request, server: BunServer): string {
  return server.requestIP(request)?.address ?? '';
}

/** Whether nobody between us has passed the request on; `address`: of who asks, or of the peer. */
export function isOfThisMachine(address: string, header: (name: string) => string | null): boolean {
  const isForwarded = header('x-forwarded-for') !== null || header('forwarded') !== null;
  return /^(127\.|::1$|::ffff:127\.)/.test(address) && !isForwarded;
}

/** One connection among all that are open: who holds the other end, and its port. */
export function connectionName({ address, port }: { address: string; port: number }): string {
  return `${plainAddress(address) ?? address} ${port}`;
}

/** HTTP/2 has no such header, and Bun refuses a request that has. Of HTTP/1.1 nearly every client sends one. */
export function isSurelyHttp1({ headers }: Request): boolean {
  return headers.has('connection');
}

/** The network at its other end. */
export function networkIn(name: string): string {
  return networkOf(name.slice(0, name.indexOf(' ')));
}

export function queryParamsOf(request: Request): URLSearchParams {
  return new URLSearchParams(queryTextOf(targetOf(request)));
}
