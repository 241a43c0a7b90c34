// The doors let pages in: they count connections, check origins, and read the ticket of a page that says hello.
import { networkOf } from '../../base/lib/network.ts';
import { Allowances } from '../../base/peers/allowance.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { Share } from '../../base/turns/share.ts';
import { Connection, type Farewell, type Upgrade } from '../connection/page-connection.ts';
import { closeCodes, type Hello } from '../protocol/messages.ts';
import { goodbyesOf, type PageBounds } from '../protocol/page-limits.ts';
import { readResume } from '../protocol/page-message-reader.ts';
import type { PageBook } from '../protocol/page-refusals.ts';
import type { AuthorOf } from '../viewers/author.ts';
import type { DeviceOf } from '../viewers/device.ts';
import { readTicket } from '../viewers/ticket.ts';
import type { Arrival } from './entrance.ts';

export interface DoorsOptions
  extends Pick<PageBounds, 'connectionsMax' | 'helloWithinMs' | 'goodbyesPerNetwork'> {
  /** The secret that signs tickets. */
  secret: string;
  publicUrl: string;
  deviceOf: DeviceOf;
  authorOf: AuthorOf;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: PageBook;
  now: () => number;
  /** A page with a good ticket. */
  onArrival(channel_id: number, arrival: Arrival): void;
}

/** An upgrade request as the edge shows it. */
export interface UpgradeRequest {
  origin: string | null;
  host: string;
  address: string;
  userAgent: string;
}

export class Doors {
  private readonly options: DoorsOptions;
  private readonly publicHost: string | undefined;

  private readonly connections = new Set<Connection>();
  private readonly places: Share;
  private readonly farewell: Farewell;
  /** Connections that have not said hello yet, in the order they came. */
  private readonly strangers = new Set<Connection>();
  private isClosed = false;

  constructor(options: DoorsOptions) {
    this.options = options;
    this.publicHost = hostOf(options.publicUrl);
    const { connectionsMax: placesMax, peers, now } = options;
    const { isAllowed } = peers;
    this.places = new Share({ placesMax, isAllowed });
    const goodbyes = new Allowances({ ...goodbyesOf(options), isAllowed });
    this.farewell = { mayTell: (network) => goodbyes.take(network, now()) };
  }

  get count(): number {
    return this.connections.size;
  }

  /** A page that is refused is connected for as long as it takes to tell it why; a bot is told nothing. */
  admit({ origin, host, address, userAgent }: UpgradeRequest): Connection | 'refused' {
    const { device, browser, isBot } = this.options.deviceOf(userAgent);
    const network = networkOf(address);
    if (isBot) this.options.refusals.note('bot', network);
    if (isBot || this.isClosed) return 'refused';
    const refusal = this.isOwn(origin, host) ? this.fullness(network) : 'origin';
    const upgrade: Upgrade = { ip: address, network, device, browser, refusal };
    return new Connection(upgrade, this.options.now(), this.farewell);
  }

  opened(connection: Connection): void {
    const refusal = connection.upgrade?.refusal;
    this.connections.add(connection);
    this.places.take(connection.network);
    if (refusal) connection.refuse(refusal === 'network' ? 'full' : refusal, refusal);
    else this.strangers.add(connection);
  }

  left(connection: Connection): void {
    this.strangers.delete(connection);
    if (!this.connections.delete(connection)) return;
    const { network, refusedFor } = connection;
    this.places.leave(network);
    if (refusedFor) this.options.refusals.note(refusedFor, network);
  }

  /** The first message: who the page is for. A second hello is not heard. */
  hello(connection: Connection, { ticket: text, instance, resume, said }: Hello): void {
    const { secret, authorOf, now, onArrival } = this.options;
    const { upgrade } = connection;
    if (!upgrade || !this.strangers.delete(connection)) return;
    const at = now();
    const ticket = readTicket(secret, text, at);
    if (!ticket) {
      connection.refuse('ticket');
      return;
    }
    const { channel_id, viewer_id, nick, phone, origin, issued_at, pass } = ticket;
    connection.pass = pass;
    const { ip, device, browser } = upgrade;
    onArrival(channel_id, {
      connection,
      entry: { viewer_id, nick, phone, device, browser, origin, ip, at },
      // A ticket has a name only where a link has named its viewer.
      namedAt: nick === '' ? 0 : issued_at,
      author: authorOf(channel_id, viewer_id),
      instance,
      resume: readResume(resume),
      said,
    });
  }

  /** Sends those away who say nothing, one a step. */
  *sweep(at: number): Iterable<void> {
    for (const stranger of this.strangers) {
      if (at - stranger.heardAt <= this.options.helloWithinMs) break;
      stranger.cut('hello');
      yield;
    }
  }

  /** Lets nobody in any more; those who are in stay. */
  shut(): void {
    this.isClosed = true;
  }

  /** Those who are connected, the longest first. */
  get inside(): Iterable<Connection> {
    return this.connections;
  }

  close(code: number = closeCodes.restart): void {
    this.shut();
    for (const connection of this.connections) connection.close(code, 'the service stops');
  }

  private isOwn(origin: string | null, host: string): boolean {
    const from = hostOf(origin ?? '');
    return from !== undefined && (from === host.toLowerCase() || from === this.publicHost);
  }

  private fullness(network: string): 'full' | 'network' | undefined {
    const { places } = this;
    const refusal = places.refusal(network);
    const stranger = refusal && this.oldestStranger(network);
    if (!stranger) return refusal === 'share' ? 'network' : refusal;
    stranger.cut('hello');
    return undefined;
  }

  /** The stranger that makes room for a newer one of the network: of its own, or of a network that has more. */
  private oldestStranger(network: string): Connection | undefined {
    const { places } = this;
    const has = places.takenBy(network);
    const isFull = places.refusal(network) === 'full';
    return this.strangers
      .values()
      .find((one) => one.network === network || (isFull && places.takenBy(one.network) > has));
  }
}

function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.host;
  return host === '' ? undefined : host;
}
