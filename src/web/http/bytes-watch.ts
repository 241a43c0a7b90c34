// Bytes that come over connections beyond their requests, which Bun tells nobody of, and requests that are refused: a connection that sends many is closed.
import { targetOf } from '../../base/api/request.ts';
import { Counts } from '../../base/lib/counts.ts';
import { networkOf } from '../../base/lib/network.ts';
import { Allowance, Allowances, type Rate } from '../../base/peers/allowance.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { connectionName, isSurelyHttp1, networkIn } from './asker.ts';
import type { BunServer } from './bun-handler.ts';
import type { TrustedProxies } from './client-address.ts';
import type { OpenConnection } from './connections.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { LookSlices } from './look-slices.ts';

export interface BytesWatchOptions {
  /** Whether we speak TLS ourselves: HTTP/2 comes with it. */
  isSecure: boolean;
  bounds: Pick<HttpBounds, 'bytesPerSecond'>;
  peers: Pick<Peers, 'isAllowed'>;
  proxies: TrustedProxies;
  /** Time that only passes. */
  monotonicMs: () => number;
}

/** What one look has found to be done. */
export interface BytesJudgement {
  over: readonly OpenConnection[];
  /** Networks that come back after each cut: they are kept out for a while. */
  shutOut: readonly string[];
}

/** A network that sends much. */
interface Sender {
  /** All that comes. */
  readonly came: Allowance;
  /** What is neither a request nor comes of reading answers. */
  readonly untold: Allowance;
  /** Until when its requests are counted. */
  countedUntil: number;
}

/** Of a network whose requests are counted. */
interface Counted {
  readonly connection: OpenConnection;
  readonly untold: Allowance;
  untoldBytes: number;
  /** Of long bodies: what has come and is to be read. */
  aheadBytes: number;
  /** The last that came by it. */
  look: number;
}

/**
 * Bun parses frames of HTTP/2 and pieces of bodies by itself, also those that lead to nothing. The system knows how
 * much has come over a connection. Where a network sends little that is enough; where it sends more, what its requests
 * account for is counted, and the rest has a bound.
 */
export class BytesWatch {
  private readonly options: BytesWatchOptions;
  private readonly ofConnection: Rate;
  private readonly ofNetwork: Rate;

  private readonly senders = new Map<string, Sender>();
  private readonly counted = new Map<number, Counted>();
  private readonly cuts: Allowances;
  private readonly gone: Allowances;
  /** By the connection's name. */
  private readonly refusedOften: Allowances;
  /** Names of connections that go on to ask though they are refused. */
  private readonly asksOn = new Set<string>();
  /** Of those, found by this look. */
  private readonly askingOn: OpenConnection[] = [];
  /** Networks that gave up too many requests since the last look, or were closed too often for asking on. */
  private readonly rude = new Set<string>();
  /** Networks whose requests are counted. */
  private readonly countedNetworks = new Set<string>();
  private look = 0;
  private isAlertNow = false;
  /** Of connections, by name: since the last look, and what that one did not find. */
  private told = new Counts<string>();
  private older = new Counts<string>();
  /** Names of connections that have asked since the last look. */
  private readonly asked = new Map<string, string>();
  private readonly names = new WeakMap<Request, string>();
  /** By connection: requests that may have a long body. */
  private readonly expected = new Counts<string>();
  /** By connection: long bodies that are read. */
  private readonly bodies = new Counts<string>();

  constructor(options: BytesWatchOptions) {
    this.options = options;
    const { bytesPerSecond } = options.bounds;
    const {
      bytesAtOnceSeconds,
      networkBytesShare,
      cutsOfNetwork,
      goneOfNetwork,
      refusedOfConnection,
    } = httpLimits;
    const rate = (perSecond: number): Rate => ({
      atOnce: bytesAtOnceSeconds * perSecond,
      everyMs: 1_000 / perSecond,
    });
    this.ofConnection = rate(bytesPerSecond);
    this.ofNetwork = rate(networkBytesShare * bytesPerSecond);
    this.cuts = new Allowances(cutsOfNetwork);
    this.gone = new Allowances(goneOfNetwork);
    this.refusedOften = new Allowances(refusedOfConnection);
  }

  /** Whether a network sends what is no request, or may: then it is looked more often. */
  get isAlert(): boolean {
    return this.isAlertNow;
  }

  /** Whether it sends much, so that its requests are counted; its connections are asked at every look then. */
  isCounted(network: string): boolean {
    return this.countedNetworks.has(network);
  }

  /** A request has come whole but for its body. */
  began(request: Request, server: BunServer): void {
    if (this.countedNetworks.size === 0) return;
    const peer = server.requestIP(request);
    const name = peer && this.countedName(peer);
    if (!name) return;
    if (request.method !== 'GET') this.names.set(request, name);
    this.told.add(name, this.headBytes(request));
  }

  /**
   * Its body may be long, and comes while it is still asked who sends it; called when it is answered. Anyone can ask, so
   * however many of one connection there are, they count as one.
   */
  expectBody(request: Request, server: BunServer): () => void {
    const peer = server.requestIP(request);
    if (!peer) return () => {};
    const name = connectionName(peer);
    this.expected.add(name);
    return () => this.expected.remove(name);
  }

  /**
   * Its body is long: so that the network may come to be counted while it is on its way, it is known from the start. What
   * has come of it is ahead of who reads it. Called when it is over; of one that was refused before its end so much is
   * on its way, whoever sends it.
   */
  followBody(request: Request, server: BunServer): (isWhole: boolean) => void {
    const peer = server.requestIP(request);
    if (!peer) return () => {};
    const name = connectionName(peer);
    this.names.set(request, name);
    this.bodies.add(name);
    return (isWhole) => {
      this.bodies.remove(name);
      if (!isWhole) this.bodyRead(request, httpLimits.bodyAheadBytesMax);
    };
  }

  /** So much of its body was read by us. */
  bodyRead(request: Request, bytes: number): void {
    if (this.countedNetworks.size === 0) return;
    const name = this.names.get(request);
    if (name !== undefined) this.told.add(name, bytes);
  }

  /** There was no room for its request: who goes on to ask costs as much as who sends frames. */
  refused(peer: { address: string; port: number }): void {
    const name = connectionName(peer);
    const isOften = !this.refusedOften.take(name, this.options.monotonicMs());
    if (isOften && this.isBound(networkIn(name))) this.asksOn.add(name);
  }

  /** Whoever asked over the connection has left it, or was closed, before the request was begun. */
  gaveUp(name: string): void {
    const network = networkIn(name);
    const isOften = !this.gone.take(network, this.options.monotonicMs());
    if (isOften && this.isBound(network)) this.rude.add(network);
  }

  /** Before connections are looked at. */
  begin(): void {
    this.look += 1;
    this.older = this.told;
    this.told = new Counts();
    this.asked.clear();
  }

  /** So much has come over a connection since the last look. */
  came(connection: OpenConnection, bytes: number): void {
    const { network, name, socket } = connection;
    if (this.asksOn.delete(name)) {
      this.askingOn.push(connection);
      return;
    }
    const known = this.senders.get(network);
    if (bytes <= 0 && !known) return;
    const at = this.options.monotonicMs();
    const sender = known ?? this.newSender(network);
    sender.came.spend(at, bytes);
    if (!this.isCounted(network)) return;
    const untold = bytes - this.told.take(name) - this.older.take(name);
    const one = this.counted.get(socket) ?? {
      connection,
      untold: new Allowance(this.ofConnection),
      untoldBytes: 0,
      aheadBytes: 0,
      look: 0,
    };
    this.counted.set(socket, one);
    one.look = this.look;
    const bodies = this.bodies.of(name) || (this.expected.has(name) ? 1 : 0);
    const aheadMax = bodies * httpLimits.bodyAheadBytesMax;
    const beyond = untold - this.ahead(one, untold, aheadMax);
    // Bun tells of a request after its bytes have come, never before.
    one.untoldBytes = Math.max(0, one.untoldBytes + beyond);
    one.untold.spend(at, beyond);
    sender.untold.spend(at, beyond);
  }

  /** How much of what has come, or was read at last, is what Bun has taken in ahead of who reads a body. */
  private ahead(one: Counted, untold: number, aheadMax: number): number {
    const before = one.aheadBytes;
    one.aheadBytes = Math.min(aheadMax, Math.max(0, before + untold));
    return one.aheadBytes - before;
  }

  /** After they were looked at. */
  async judge(slices: LookSlices): Promise<BytesJudgement> {
    const at = this.options.monotonicMs();
    const byNetwork = await this.countedNow(slices);
    const over = this.askingOn.splice(0);
    for (const { network } of over) if (!this.cuts.take(network, at)) this.rude.add(network);
    const shutOut = [...this.rude];
    this.rude.clear();
    // Most of them have gone; one that has not asks again.
    if (this.asksOn.size > httpLimits.othersOfLook.most) this.asksOn.clear();
    let isAlert = false;
    for (const [network, sender] of this.senders) {
      if (slices.isOver()) await slices.next();
      const wasCounted = this.isCounted(network);
      if (!this.count(network, sender, at)) continue;
      const isTooMuch = sender.untold.isOverspent(at) && this.isBound(network);
      const cut = this.overOf(sender, byNetwork.get(network) ?? [], { at, isTooMuch });
      over.push(...cut);
      if (cut.length > 0 && this.isBound(network)) {
        const isOften = !this.cuts.take(network, at);
        if (isOften || sender.untold.isOverspent(at)) shutOut.push(network);
      }
      // Of one that was not counted nobody knows yet what it sends.
      isAlert ||= !wasCounted || this.hasSentMore(sender, at);
    }
    this.isAlertNow = isAlert;
    return { over, shutOut };
  }

  /** Whether its requests are counted from now on; one that sends next to nothing is forgotten. */
  private count(network: string, sender: Sender, at: number): boolean {
    if (sender.came.isOverspent(at) && !this.options.proxies.areIn(network))
      sender.countedUntil = at + httpLimits.countedMs;
    if (sender.countedUntil >= at) {
      this.countedNetworks.add(network);
      return true;
    }
    this.countedNetworks.delete(network);
    if (sender.came.isWhole(at) && sender.untold.isWhole(at)) this.senders.delete(network);
    return false;
  }

  /** More than a request that is not told of yet. */
  private hasSentMore({ untold }: Sender, at: number): boolean {
    return untold.waitMs(at, this.ofNetwork.atOnce - httpLimits.untoldRequestBytesMax) > 0;
  }

  /** Those over their own bound, and where their network has sent too much, those that have sent most of it. */
  private overOf(
    { untold: ofAll }: Sender,
    counted: readonly Counted[],
    { at, isTooMuch }: { at: number; isTooMuch: boolean },
  ): OpenConnection[] {
    const over: OpenConnection[] = [];
    const most = counted
      .filter(({ untoldBytes }) => untoldBytes > 0)
      .sort((one, other) => other.untoldBytes - one.untoldBytes);
    for (const { connection, untold, untoldBytes } of most) {
      const isOver = untold.isOverspent(at);
      const isMost =
        isTooMuch && ofAll.isOverspent(at) && untoldBytes > httpLimits.untoldRequestBytesMax;
      if (!isOver && !isMost) continue;
      over.push(connection);
      this.counted.delete(connection.socket);
      ofAll.spend(at, -untoldBytes);
    }
    return over;
  }

  private newSender(network: string): Sender {
    const sender = {
      came: new Allowance(this.ofNetwork),
      untold: new Allowance(this.ofNetwork),
      countedUntil: Number.NEGATIVE_INFINITY,
    };
    this.senders.set(network, sender);
    return sender;
  }

  /** Empty where its requests are not counted. A connection asks again and again: it is found out once a look. */
  private countedName({ address, port }: { address: string; port: number }): string {
    const key = `${address} ${port}`;
    const known = this.asked.get(key);
    if (known !== undefined) return known;
    const name = this.isCounted(networkOf(address)) ? connectionName({ address, port }) : '';
    this.asked.set(key, name);
    return name;
  }

  /** At most so much was sent for it: over HTTP/2 it is less, and each has a frame and a TLS record around it. */
  private headBytes(request: Request): number {
    const { aroundRequestBytes, headBytesMax, packedHeadBytesMax } = httpLimits;
    let bytes = aroundRequestBytes + targetOf(request).length;
    for (const [name, value] of request.headers) bytes += name.length + value.length + 4;
    const isWhole = !this.options.isSecure || isSurelyHttp1(request);
    return Math.min(bytes, isWhole ? headBytesMax : packedHeadBytesMax);
  }

  /** Whether bounds by network hold for it. */
  private isBound(network: string): boolean {
    const { peers, proxies } = this.options;
    return !peers.isAllowed(network) && !proxies.areIn(network);
  }

  /** By network, without connections that have gone, or whose network sends little again. */
  private async countedNow(slices: LookSlices): Promise<Map<string, Counted[]>> {
    const byNetwork = new Map<string, Counted[]>();
    for (const [socket, one] of this.counted) {
      if (slices.isOver()) await slices.next();
      const { network } = one.connection;
      if (one.look !== this.look || !this.isCounted(network)) {
        this.counted.delete(socket);
        continue;
      }
      const all = byNetwork.get(network) ?? [];
      if (all.push(one) === 1) byNetwork.set(network, all);
    }
    return byNetwork;
  }
}
