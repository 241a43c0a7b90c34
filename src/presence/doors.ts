// Who may come in: counts connections, looks at origins, and reads the ticket of those who say hello.
import type { Log } from '../lib/log.ts';
import { networkOf } from '../lib/network.ts';
import type { DeviceOf } from '../viewers/device.ts';
import type { Places } from '../viewers/place.ts';
import { signatureOf } from '../viewers/signed-text.ts';
import { readTicket } from '../viewers/ticket.ts';
import { Connection } from './connection.ts';
import type { Arrival } from './entrance.ts';
import { readResume } from './page-message.ts';
import { presenceLimits } from './presence-limits.ts';
import { closeCodes, type Hello, type Refusal } from './wire.ts';

export interface DoorsOptions {
  /** What tickets are signed with. */
  secret: string;
  publicUrl: string;
  connectionsMax: number;
  places: Places;
  deviceOf: DeviceOf;
  now: () => number;
  log: Log;
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

/** So that one network can never keep everybody else out. A venue of thousands is one network, too. */
const networkShare = 0.5;
/** A flood of connections must not become a flood of lines. */
const refusalLineEveryMs = 10_000;
const authorCharacters = 10;

export class Doors {
  private readonly options: DoorsOptions;
  private readonly publicHost: string | undefined;

  private readonly connections = new Set<Connection>();
  private readonly perNetwork = new Map<string, number>();
  /** Those who have not said hello yet. */
  private readonly strangers = new Set<Connection>();
  private isClosed = false;
  /** Since the start, for who watches the service. */
  readonly refusals: Record<Refusal | 'bot', number> = {
    ticket: 0,
    banned: 0,
    full: 0,
    unavailable: 0,
    origin: 0,
    gone: 0,
    bot: 0,
  };
  private refused = 0;
  private refusalLineAt = Number.NEGATIVE_INFINITY;

  constructor(options: DoorsOptions) {
    this.options = options;
    this.publicHost = hostOf(options.publicUrl);
  }

  get count(): number {
    return this.connections.size;
  }

  /** Who is told why is taken for as long as that takes; a bot is not told anything. */
  admit({ origin, host, address, userAgent }: UpgradeRequest): Connection | 'refused' {
    const { device, browser, isBot } = this.options.deviceOf(userAgent);
    if (isBot) this.refusals.bot += 1;
    if (isBot || this.isClosed) return 'refused';
    const network = networkOf(address);
    const refusal = this.isOwn(origin, host) ? this.fullness(network) : 'origin';
    if (refusal) this.noteRefusal({ reason: refusal, network, origin });
    return new Connection({ ip: address, network, device, browser, refusal }, this.options.now());
  }

  opened(connection: Connection): void {
    const refusal = connection.upgrade?.refusal;
    this.connections.add(connection);
    const { network } = connection;
    this.perNetwork.set(network, (this.perNetwork.get(network) ?? 0) + 1);
    if (refusal) connection.refuse(refusal);
    else this.strangers.add(connection);
  }

  left(connection: Connection): void {
    this.strangers.delete(connection);
    if (!this.connections.delete(connection)) return;
    const { network, refusedFor } = connection;
    if (refusedFor) this.refusals[refusedFor] += 1;
    const count = (this.perNetwork.get(network) ?? 0) - 1;
    if (count > 0) this.perNetwork.set(network, count);
    else this.perNetwork.delete(network);
  }

  /** The first message: who the page is for. A second hello is not heard. */
  hello(connection: Connection, { ticket: text, instance, resume, said }: Hello): void {
    const { secret, places, now, onArrival } = this.options;
    const { upgrade } = connection;
    if (!upgrade || !this.strangers.delete(connection)) return;
    const at = now();
    const ticket = readTicket(secret, text, at);
    if (!ticket) {
      connection.refuse('ticket');
      return;
    }
    const { channel_id, viewer_id, nick, phone, origin, language } = ticket;
    const { ip, device, browser } = upgrade;
    const addr = places.of(ip, language);
    onArrival(channel_id, {
      connection,
      entry: { viewer_id, nick, addr, phone, device, browser, origin, ip, at },
      author: this.authorOf(channel_id, viewer_id),
      instance,
      resume: readResume(resume),
      said,
    });
  }

  /** Sends those away who say nothing. */
  sweep(at: number): void {
    for (const stranger of this.strangers) {
      // They stand in the order they came.
      if (at - stranger.heardAt <= presenceLimits.helloWithinMs) break;
      stranger.terminate();
    }
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.connections)
      connection.close(closeCodes.restart, 'the service stops');
  }

  /** The same in all of a channel and different in the next: it stands for a viewer without telling who it is. */
  authorOf(channel_id: number, viewer_id: string): string {
    const text = `author.${channel_id}.${viewer_id}`;
    return signatureOf(this.options.secret, text, 'base64url').slice(0, authorCharacters);
  }

  private isOwn(origin: string | null, host: string): boolean {
    const from = hostOf(origin ?? '');
    return from !== undefined && (from === host.toLowerCase() || from === this.publicHost);
  }

  private fullness(network: string): Refusal | undefined {
    const { connectionsMax } = this.options;
    const isFull = this.connections.size >= connectionsMax;
    const isGreedy = (this.perNetwork.get(network) ?? 0) >= connectionsMax * networkShare;
    return isFull || isGreedy ? 'full' : undefined;
  }

  private noteRefusal(fields: { reason: Refusal; network: string; origin: string | null }): void {
    this.refused += 1;
    const now = this.options.now();
    if (now - this.refusalLineAt < refusalLineEveryMs) return;
    this.options.log.warn('pages were not let in', { count: this.refused, ...fields });
    this.refusalLineAt = now;
    this.refused = 0;
  }
}

function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.host;
  return host === '' ? undefined : host;
}
